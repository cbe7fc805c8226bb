"""The durable store of events: what every kind of it promises, and opening one by its name.

A model's events are numbered from 1 without gaps. ``append`` returns when they are on disk; an event whose id is known
keeps the number that it has. One process at a time may write.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class New(NamedTuple):
    """An event to be stored: its client's id or None, and what it says as bytes."""

    id: str | None
    payload: bytes


class Stored(NamedTuple):
    """An event of the store."""

    sequence: int
    id: str | None
    payload: bytes


class Placed(NamedTuple):
    """Where an event went: its number, and whether it was not there before."""

    sequence: int
    fresh: bool


class EventStore(Protocol):
    """What the service asks of a store."""

    def append(self, batch: Sequence[tuple[str, Sequence[New]]]) -> list[list[Placed]]:
        """Store events of models, all of them or none; when it returns they survive a power cut."""

    def read(self, model: str, after: int = 0) -> Iterator[Stored]:
        """Events of a model with numbers above ``after``, in order."""

    def last(self, model: str) -> int:
        """Number of the last event of a model; 0 when it has none."""

    def models(self) -> list[str]:
        """Models that have events."""

    def learned_by(self, model: str, digest: str) -> int:
        """Up to which event the model file of this digest has learned; 0 for a file never heard of."""

    def set_learned(self, model: str, digest: str, sequence: int) -> None:
        """Note it, durably."""

    def check(self) -> list[str]:
        """What is wrong with the store, one sentence each."""

    def close(self) -> None:
        """Let another process write."""


def placed(events: Sequence[New], known: dict[str, int], last: int) -> list[Placed]:
    """Where events go after the number ``last``; ``known`` has the numbers of ids that are stored, and gains the new.

    >>> placed([New("a", b""), New("b", b""), New("b", b""), New(None, b"")], {"a": 3}, 7)
    [Placed(sequence=3, fresh=False), Placed(sequence=8, fresh=True), Placed(sequence=8, fresh=False),
     Placed(sequence=9, fresh=True)]
    """
    places = []
    for event in events:
        number = None if event.id is None else known.get(event.id)
        if number is None:
            last += 1
            places.append(Placed(last, True))
            if event.id is not None:
                known[event.id] = last
        else:
            places.append(Placed(number, False))
    return places


def open_store(place: str | os.PathLike[str], *, write: bool = True) -> EventStore:
    """A folder (SQLite) or ``postgresql://…``."""
    name = os.fspath(place)
    if name.startswith(("postgresql://", "postgres://")):
        from tacit.service.postgres_store import PostgresStore

        return PostgresStore(name, write=write)
    from tacit.service.sqlite_store import SqliteStore

    return SqliteStore(Path(name), write=write)


def gaps(model: str, sequences: Sequence[int]) -> list[str]:
    """A sentence where the numbers of a model's events are not 1, 2, 3, …"""
    for expected, sequence in enumerate(sequences, start=1):
        if sequence != expected:
            return [f"{model}: event {expected} is missing; the next one is {sequence}."]
    return []
