"""Snapshots: a model as it was after some event, one file each, verified by its name.

The name identifies the content: ``SEQUENCE.BASE.EVENT.DIGEST.tacit`` is the model that began as the file of digest BASE
and has learned up to event SEQUENCE, whose own digest is EVENT, in a file of digest DIGEST. A file that does not match
its name is damaged; one whose event differs from the store's belongs to another history. Both are skipped, with an
error in the log.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import TacitError
from tacit.service import faults
from tacit.service.store import EventStore, Stored

KEPT = 2
_CHUNK = 1 << 20
_log = logging.getLogger("tacit.service")


class Snapshot(NamedTuple):
    """A file and what its name says."""

    path: Path
    sequence: int
    base: str
    event: str
    digest: str


def digest_of_event(event: Stored) -> str:
    """SHA-256 of what an event says, in short."""
    return hashlib.sha256(f"{event.sequence} {event.id} ".encode() + event.payload).hexdigest()[:16]


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in short."""
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            whole.update(block)
    return whole.hexdigest()[:32]


def listed(folder: Path) -> list[Snapshot]:
    """Snapshots of one model, newest first."""
    snapshots = []
    for path in folder.glob("*.tacit") if folder.is_dir() else ():
        parts = path.name.split(".")
        if len(parts) == 5 and parts[0].isdigit():
            snapshots.append(Snapshot(path, int(parts[0]), *parts[1:4]))
    return sorted(snapshots, key=lambda one: one.sequence, reverse=True)


def valid(name: str, folder: Path, base: str, store: EventStore) -> Iterator[tuple[Any, int]]:
    """Models and their sequence numbers, newest first, of the snapshots that can be trusted."""
    from tacit import load

    for one in listed(folder):
        if one.base != base:
            continue
        event = next(store.read(name, one.sequence - 1), None)
        if event is None or digest_of_event(event) != one.event:
            _log.error("snapshot belongs to another store and is skipped", extra={"path": str(one.path)})
            continue
        try:
            if digest_of(one.path) != one.digest:
                raise TacitError("its content does not match its name")
            model = load(one.path)
        except (TacitError, OSError) as error:
            _log.error("snapshot is damaged and skipped", extra={"path": str(one.path), "why": str(error)})
            continue
        yield model, one.sequence


def write(model: Any, folder: Path, base: str, sequence: int, event: str) -> Path:
    """Save a model under its name; a crash leaves it whole or not at all. Older ones are pruned."""
    folder.mkdir(parents=True, exist_ok=True)
    faults.reach("snapshot.before")
    unnamed = folder / f"{sequence:012d}.writing"
    model.save(unnamed)
    faults.reach("snapshot.written")
    path = folder / f"{sequence:012d}.{base}.{event}.{digest_of(unnamed)}.tacit"
    unnamed.replace(path)
    sync(folder)
    faults.reach("snapshot.named")
    _prune(folder, path)
    return path


def _prune(folder: Path, newest: Path) -> None:
    faults.reach("prune.before")
    others = [one for one in listed(folder) if one.path != newest]
    for one in others[KEPT - 1 :]:
        one.path.unlink(missing_ok=True)
    for left in folder.glob("*.writing*"):
        left.unlink(missing_ok=True)
    faults.reach("prune.after")


def sync(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
