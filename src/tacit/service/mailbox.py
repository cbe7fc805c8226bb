"""Results that another thread has for the event loop: one wake-up for all that have come, however many wait."""

import asyncio
from collections import deque
from typing import Any


class Mailbox:
    """Belongs to the loop in which it is made; ``put`` may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._come: deque[tuple[asyncio.Future[Any], Any]] = deque()
        self._waking = False

    def put(self, future: "asyncio.Future[Any]", result: Any) -> None:
        """A result, or the exception that takes its place."""
        self._come.append((future, result))
        if not self._waking:
            self._waking = True
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._waking = False  # before the mail is read: what comes now wakes the loop again
        while self._come:
            settle(*self._come.popleft())


def settle(future: "asyncio.Future[Any]", result: Any) -> None:
    """Tell who waits, unless nobody does any more."""
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
