"""Single rows that wait at the same moment are answered by one call.

One call for several rows costs less than one for each. It runs in the event loop: in a thread it would wait for the
interpreter's lock at every kernel, which takes longer than the answer. Each row gets the bits that it would get alone
(``neighbours.topk`` keeps that promise up to ``MOST`` rows), and its own answer: a batch that fails is asked again row
by row.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from tacit.service.mailbox import settle
from tacit.service.running_loop import RunningLoop

MOST = 16
"""Rows of one call at most."""


class _Wish(NamedTuple):
    key: Any
    row: Any
    answer: "asyncio.Future[Any]"


class Together:
    """Collects wishes until the loop has read what has come; ``call(key, rows)`` gives one answer for each row."""

    def __init__(self, call: Callable[[Any, list[Any]], list[Any]]) -> None:
        self._call = call
        self._wishes: deque[_Wish] = deque()
        self._busy = False
        self._running = RunningLoop()

    def ask(self, key: Any, row: Any) -> "asyncio.Future[Any]":
        """The answer for one row, to be awaited; wishes with equal keys may be asked together."""
        loop, _ = self._running.current()
        answer: asyncio.Future[Any] = loop.create_future()
        self._wishes.append(_Wish(key, row, answer))
        if not self._busy:
            self._busy = True
            loop.call_soon(self._begin, loop)
        return answer

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        key = self._wishes[0].key
        together: list[_Wish] = []
        while self._wishes and self._wishes[0].key == key and len(together) < MOST:
            together.append(self._wishes.popleft())
        for wish, answer in zip(together, self._tried(together), strict=True):
            settle(wish.answer, answer)
        self._busy = bool(self._wishes)
        if self._busy:
            loop.call_soon(self._begin, loop)

    def _tried(self, together: list[_Wish]) -> list[Any]:
        """An answer or an error for each."""
        try:
            return self._call(together[0].key, [wish.row for wish in together])
        except Exception as error:
            if len(together) == 1:
                return [error]
        return [one for wish in together for one in self._tried([wish])]
