"""Requests that take too long are ended. One look at all of them from time to time costs less than a timer for each."""

import asyncio
from typing import Any

from tacit.service.errors import ServiceError
from tacit.service.running_loop import RunningLoop


class Patience:
    """``with patience:`` around what a request waits for; it is refused after ``seconds``, or a quarter more."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._looking = False
        self._running = RunningLoop()

    def __enter__(self) -> None:
        loop, task = self._running.current()
        self._begun[task] = loop.time()
        if not self._looking:
            self._looking = True
            loop.call_later(self.seconds / 4, self._look)

    def __exit__(self, kind: Any, *_: object) -> None:
        task = self._running.current()[1]
        del self._begun[task]
        if task in self._late:
            self._late.remove(task)
            # Whoever cancels it beside us is still heard.
            if task.uncancel() == 0 and kind is asyncio.CancelledError:
                raise ServiceError(503, f"no answer within {self.seconds:g} seconds.", retry_after=1) from None

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        latest = loop.time() - self.seconds
        for task, begun in self._begun.items():
            if begun <= latest and task not in self._late:
                self._late.add(task)
                task.cancel()
        self._looking = bool(self._begun)
        if self._looking:
            loop.call_later(self.seconds / 4, self._look)
