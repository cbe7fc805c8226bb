"""Ratings of ``tacit stream`` in the event store: kept before they are learned, learned once after a crash."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.service import events, snapshots
from tacit.service.retrain import replace_file
from tacit.service.store import New, open_store


class StreamEvents:
    """The ratings of one model file, under the stem of its name."""

    def __init__(self, place: str, path: Path) -> None:
        self.store, self.name = open_store(place), path.name.split(".")[0]
        self._learned = self.store.learned_by(self.name, snapshots.digest_of(path)) if path.exists() else 0

    def unlearned(self) -> list[tuple[Any, Any, float]]:
        """User, item and rating of what was stored and is not in the file."""
        ratings = [events.from_bytes(one.payload) for one in self.store.read(self.name, self._learned)]
        return [(one.row, one.col, one.amount) for one in ratings]

    def keep(self, users: Sequence[Any], items: Sequence[Any], ratings: Sequence[float]) -> None:
        """Durable when it returns."""
        given = [events.Event(user, item, rating) for user, item, rating in zip(users, items, ratings)]
        self.store.append([(self.name, [New(None, events.to_bytes(one)) for one in given])])

    def save(self, model: Any, path: Path, **options: Any) -> None:
        """Save the model, which has learned all that was kept."""
        replace_file(model, path, self.store, self.name, self.store.last(self.name), **options)

    def close(self) -> None:
        """Let another process write."""
        self.store.close()
