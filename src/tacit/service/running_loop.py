"""The event loop that answers, without asking for it at every request.

``asyncio.get_running_loop`` compares process ids, a system call each time in Python 3.11, and a request would ask it
five times over.
"""

import asyncio
from typing import Any


class RunningLoop:
    """Remembers the loop of the last task that asked; a task of another loop makes it look again."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def current(self) -> tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]:
        """The running loop and the task that is asking."""
        loop = self._loop
        task = None if loop is None else asyncio.current_task(loop)
        if loop is None or task is None:
            loop = self._loop = asyncio.get_running_loop()
            task = asyncio.current_task(loop)
        assert task is not None
        return loop, task
