"""One model that is served: where its file lies, what it has learned, and how it comes back."""

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tacit.errors import TacitError
from tacit.service import events, faults, snapshots
from tacit.service.learners import Learner, learner_of
from tacit.service.store import EventStore, Stored

_log = logging.getLogger("tacit.service")

MOST_TOGETHER = 1_000
"""Events that are learned in one call."""


@dataclass(frozen=True)
class State:
    """A model with what teaches it; replaced as a whole by a reload. ``digest`` is that of the file it began as."""

    model: Any
    learner: Learner | None
    digest: str


@dataclass(eq=False)
class Served:
    """A model under its name. Everything but ``state`` and ``sequence`` is the writer's own."""

    name: str
    path: Path
    folder: Path
    state: State
    sequence: int
    saved: int
    titles: dict[Any, str] = field(default_factory=dict)
    saved_at: float = field(default_factory=time.monotonic)
    lock: threading.RLock = field(default_factory=threading.RLock)
    not_before: float = 0.0
    refused: int = 0
    _last: Stored | None = None

    @classmethod
    def open(
        cls, name: str, path: Path, folder: Path, store: EventStore, titles: dict[Any, str] | None = None
    ) -> "Served":
        """The model in a file, with all that the store knows of it."""
        state, saved = restored(name, path, folder, store)
        served = cls(name, path, folder, state, saved, saved, titles or {})
        served.learn(store.read(name, saved))
        return served

    def learn(self, stored: Iterable[Stored]) -> None:
        """Take in events that are in the store, in their order; those that are known already change nothing."""
        fresh = (one for one in stored if one.sequence > self.sequence)
        while group := list(islice(fresh, MOST_TOGETHER)):
            faults.reach("apply.before")
            with self.lock:
                self._apply(group)
                self.sequence, self._last = group[-1].sequence, group[-1]
            faults.reach("apply.after")

    def _apply(self, group: Sequence[Stored]) -> None:
        if self.state.learner is None:
            return
        try:
            self.state.learner.apply([events.from_bytes(one.payload) for one in group])
        except (TacitError, ValueError) as error:
            if len(group) > 1:
                for one in group:
                    self._apply([one])
                return
            # A replay comes to the same refusal, so that the state stays the same.
            self.refused += 1
            _log.error(
                "event cannot be learned",
                extra={"model": self.name, "sequence": group[0].sequence, "why": str(error)},
            )

    def snapshot(self) -> None:
        """Save the model as it is, unless that is done already."""
        learner = self.state.learner
        if (
            learner is not None
            and learner.restarts_from == "snapshot"
            and self._last is not None
            and self.sequence > self.saved
        ):
            event = snapshots.digest_of_event(self._last)
            path = snapshots.write(self.state.model, self.folder, self.state.digest, self.sequence, event)
            _log.info("snapshot", extra={"model": self.name, "sequence": self.sequence, "path": str(path)})
        self.saved, self.saved_at = self.sequence, time.monotonic()

    def fresh(self, store: EventStore) -> "Served":
        """The same name with what its file holds now; the present one goes on until it is swapped for this."""
        return Served.open(self.name, self.path, self.folder, store, self.titles)


def restored(name: str, path: Path, folder: Path, store: EventStore) -> tuple[State, int]:
    """The newest state that can be trusted, and the last event that it knows."""
    from tacit import load

    digest = snapshots.digest_of(path)
    model = load(path)
    learner = learner_of(model)
    if learner is None or learner.restarts_from == "events":
        return State(model, learner, digest), 0
    learned = store.learned_by(name, digest)
    for snapshot, sequence in snapshots.valid(name, folder, digest, store):
        if sequence > learned and type(snapshot) is type(model):
            return State(snapshot, learner_of(snapshot), digest), sequence
    return State(model, learner, digest), learned
