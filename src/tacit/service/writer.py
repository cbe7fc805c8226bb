"""The one writer: events that wait are stored in one transaction, then learned, then acknowledged.

    queue ──► all that waits ──► commit (durable) ──► apply, in order ──► acknowledge

Whoever was acknowledged together tends to come again together: after a commit that several requests shared, the next
one waits until as many have come, for ``GATHER_SECONDS`` at most. After a commit of one request nobody waits.

The queue is bounded: beyond it a client is told when to come again. After a failed commit the store is asked what it
holds, because a lost connection does not say whether its transaction was committed.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from tacit.service.errors import ServiceError, StoreError
from tacit.service.served import Served
from tacit.service.store import EventStore, New, Placed, Stored

_log = logging.getLogger("tacit.service")

GATHER_SECONDS = 0.002
"""How long a commit waits for those who shared the last one: about as long as a disk takes to write."""


class Waiting(NamedTuple):
    """Events of one request, and who is told what became of them."""

    model: str
    events: Sequence[New]
    told: "Told"


Told = Callable[[list[Placed] | ServiceError], None]
"""Takes, in the writer's thread, where events went when they are durable and learned, or why they are not stored."""


@dataclass(frozen=True)
class Rhythm:
    """How much may wait, and when snapshots are taken: after so many events, or so many seconds with new ones."""

    most_waiting: int = 50_000
    most_together: int = 5_000
    snapshot_events: int = 50_000
    snapshot_seconds: float = 300.0


class Writer:
    """Runs in a thread of its own from ``start`` to ``stop``."""

    def __init__(self, store: EventStore, served: dict[str, Served], rhythm: Rhythm) -> None:
        self.store, self.served, self.rhythm = store, served, rhythm
        self._queue: deque[Waiting | tuple[Callable[[], Any], Future[Any]]] = deque()
        self._waiting = 0
        self._shared = 0  # requests that the last commit answered, where there were several
        self._wake = threading.Condition()
        self._ending = False
        self._behind = False
        self._thread = threading.Thread(target=self._run, name="tacit-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Events that wait."""
        return self._waiting

    @property
    def alive(self) -> bool:
        return self._thread.is_alive() and not self._ending

    def submit(self, model: str, events: Sequence[New], told: Told) -> None:
        """Take in events; ``told`` is called when they are durable and learned, or cannot be stored."""
        with self._wake:
            if self._ending:
                raise ServiceError(503, "the service is stopping; send the events again.", retry_after=5)
            if self._waiting + len(events) > self.rhythm.most_waiting:
                raise ServiceError(503, f"{self._waiting} events wait to be stored; send these again.", retry_after=1)
            self._waiting += len(events)
            self._queue.append(Waiting(model, events, told))
            if len(self._queue) >= self._shared:
                self._wake.notify()

    def between(self, task: Callable[[], Any]) -> "Future[Any]":
        """Run a task between two commits, such as a swap of models."""
        done: Future[Any] = Future()
        with self._wake:
            if self._ending:
                raise ServiceError(503, "the service is stopping.", retry_after=5)
            self._queue.append((task, done))
            self._shared = 0
            self._wake.notify()
        return done

    def stop(self) -> None:
        """Store and learn what waits, take snapshots, and end."""
        with self._wake:
            self._ending = True
            self._shared = 0
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._wake:
                if len(self._queue) < self._shared:
                    self._wake.wait(timeout=GATHER_SECONDS)
                self._shared = 0
                while not self._queue and not self._ending:
                    if not self._wake.wait(timeout=1.0):
                        break
                together, task = self._draw()
                self._shared = len(together) if len(together) > 1 else 0
                ending = self._ending and not self._queue and not together and task is None
            if task is not None:
                _fulfil(task[1], task[0])
            if together:
                self._commit(together)
            self._take_snapshots(everything=ending)
            if ending:
                return

    def _draw(self) -> tuple[list[Waiting], tuple[Callable[[], Any], Future[Any]] | None]:
        together: list[Waiting] = []
        size = 0
        while self._queue and size < self.rhythm.most_together:
            head = self._queue[0]
            if not isinstance(head, Waiting):
                return together, (None if together else self._queue.popleft())  # type: ignore[return-value]
            together.append(head)
            self._queue.popleft()
            size += len(head.events)
        self._waiting -= size
        return together, None

    def _commit(self, together: list[Waiting]) -> None:
        by_model: dict[str, list[Waiting]] = {}
        for one in together:
            by_model.setdefault(one.model, []).append(one)
        batch = [(model, [event for one in some for event in one.events]) for model, some in by_model.items()]
        try:
            if self._behind:
                self._catch_up()
            placed = self.store.append(batch)
        except StoreError as error:
            self._behind = True
            _log.error("events could not be stored", extra={"why": str(error)})
            for one in together:
                one.told(ServiceError(503, str(error), retry_after=5))
            return
        for (model, events), places in zip(batch, placed):
            self.served[model].learn(Stored(p.sequence, e.id, e.payload) for p, e in zip(places, events) if p.fresh)
            rest = iter(places)
            for one in by_model[model]:
                one.told(list(islice(rest, len(one.events))))

    def _catch_up(self) -> None:
        """Learn what is in the store although its commit seemed to fail."""
        for served in self.served.values():
            served.learn(self.store.read(served.name, served.sequence))
        self._behind = False

    def _take_snapshots(self, *, everything: bool) -> None:
        now = time.monotonic()
        for served in self.served.values():
            new = served.sequence - served.saved
            due = new >= self.rhythm.snapshot_events or now - served.saved_at >= self.rhythm.snapshot_seconds
            if new and (everything or (due and now >= served.not_before)):
                try:
                    served.snapshot()
                except Exception as error:
                    # Events are safe in the store; the next one tries again after a while.
                    served.not_before = now + 10.0
                    _log.error("snapshot failed", extra={"model": served.name, "why": str(error)})


def _fulfil(done: "Future[Any]", task: Callable[[], Any]) -> None:
    if not done.set_running_or_notify_cancel():
        return
    try:
        done.set_result(task())
    except Exception as error:
        done.set_exception(error)
