"""Events in SQLite: write-ahead log, ``synchronous=FULL``, one transaction for all events that wait."""

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tacit.service import faults
from tacit.service.errors import StoreError
from tacit.service.store import New, Placed, Stored, gaps, placed

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    model TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT, payload BLOB NOT NULL, received REAL NOT NULL,
    PRIMARY KEY (model, sequence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS events_by_id ON events (model, id) WHERE id IS NOT NULL;
CREATE TABLE IF NOT EXISTS learned (
    model TEXT NOT NULL, digest TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (model, digest)
) WITHOUT ROWID;
"""
_PAGE = 10_000
_ROWS = 500
"""Rows of one statement at most."""


class SqliteStore:
    """A folder with ``events.db`` and a lock that dies with the process that holds it."""

    def __init__(self, folder: Path, *, write: bool = True) -> None:
        self.folder, self._guard, self._lock = folder, threading.RLock(), -1
        with self._told("open"):
            if write:
                folder.mkdir(parents=True, exist_ok=True)
                self._lock = _locked(folder)
            elif not (folder / "events.db").exists():
                raise StoreError(f"there is no event store in {str(folder)!r}.")
            self._connection = sqlite3.connect(folder / "events.db", isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA busy_timeout = 5000")
            self._connection.execute("PRAGMA synchronous = FULL")
            if write:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.executescript(_SCHEMA)

    def append(self, batch: Sequence[tuple[str, Sequence[New]]]) -> list[list[Placed]]:
        with self._guard, self._told("write to"):
            run = self._connection.execute
            run("BEGIN IMMEDIATE")
            try:
                places = [self._insert(model, events) for model, events in batch]
                faults.reach("commit.before")
                run("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    run("ROLLBACK")
                raise
            faults.reach("commit.after")
            return places

    def _insert(self, model: str, events: Sequence[New]) -> list[Placed]:
        """In a few statements: each gives the interpreter's lock away, and others may keep it for a while."""
        places = placed(events, self._known(model, [event.id for event in events]), self.last(model))
        now = time.time()
        rows = [
            (model, place.sequence, event.id, event.payload, now) for place, event in zip(places, events) if place.fresh
        ]
        for first in range(0, len(rows), _ROWS):
            some = rows[first : first + _ROWS]
            values = ", ".join(["(?, ?, ?, ?, ?)"] * len(some))
            self._connection.execute(f"INSERT INTO events VALUES {values}", [part for row in some for part in row])
        return places

    def _known(self, model: str, ids: Sequence[str | None]) -> dict[str, int]:
        """Those of these ids that are stored, with their numbers."""
        known: dict[str, int] = {}
        wanted = [one for one in ids if one is not None]
        for first in range(0, len(wanted), _ROWS):
            some = wanted[first : first + _ROWS]
            asked = f"SELECT id, sequence FROM events WHERE model = ? AND id IN ({', '.join('?' * len(some))})"
            known.update(self._connection.execute(asked, (model, *some)).fetchall())
        return known

    def read(self, model: str, after: int = 0) -> Iterator[Stored]:
        while True:
            with self._guard, self._told("read"):
                page = self._connection.execute(
                    "SELECT sequence, id, payload FROM events WHERE model = ? AND sequence > ? "
                    "ORDER BY sequence LIMIT ?",
                    (model, after, _PAGE),
                ).fetchall()
            if not page:
                return
            after = page[-1][0]
            yield from map(Stored._make, page)

    def last(self, model: str) -> int:
        with self._guard, self._told("read"):
            row = self._connection.execute("SELECT max(sequence) FROM events WHERE model = ?", (model,)).fetchone()
        return int(row[0] or 0)

    def models(self) -> list[str]:
        with self._guard, self._told("read"):
            return [row[0] for row in self._connection.execute("SELECT DISTINCT model FROM events ORDER BY model")]

    def learned_by(self, model: str, digest: str) -> int:
        with self._guard, self._told("read"):
            row = self._connection.execute(
                "SELECT sequence FROM learned WHERE model = ? AND digest = ?", (model, digest)
            ).fetchone()
        return int(row[0]) if row else 0

    def set_learned(self, model: str, digest: str, sequence: int) -> None:
        with self._guard, self._told("write to"):
            self._connection.execute("INSERT OR REPLACE INTO learned VALUES (?, ?, ?)", (model, digest, sequence))

    def check(self) -> list[str]:
        with self._guard, self._told("read"):
            findings = [row[0] for row in self._connection.execute("PRAGMA integrity_check")]
        problems = [f"the database is damaged: {one}." for one in findings if one != "ok"]
        for model in self.models():
            problems += gaps(model, [event.sequence for event in self.read(model)])
        return problems

    def close(self) -> None:
        with self._guard:
            self._connection.close()
            if self._lock >= 0:
                os.close(self._lock)
                self._lock = -1

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"cannot {doing} the event store in {str(self.folder)!r} ({error}); nothing that was acknowledged is "
                "lost: see to the disk and the folder's permissions, then try again."
            ) from error


def _locked(folder: Path) -> int:
    """The descriptor of a lock that this process holds; it ends with the process, however that ends."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise StoreError(
            f"the event store in {str(folder)!r} is in use by another process; stop that one, or give --store another "
            "folder."
        ) from None
    return lock
