"""Events in PostgreSQL: the same promises as in SQLite, for those who run a PostgreSQL server."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tacit.errors import MissingExtraError
from tacit.service import faults
from tacit.service.errors import StoreError
from tacit.service.store import New, Placed, Stored, gaps, placed

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tacit_events (
    model text NOT NULL, sequence bigint NOT NULL, id text, payload bytea NOT NULL,
    received timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (model, sequence)
);
CREATE UNIQUE INDEX IF NOT EXISTS tacit_events_by_id ON tacit_events (model, id) WHERE id IS NOT NULL;
CREATE TABLE IF NOT EXISTS tacit_learned (
    model text NOT NULL, digest text NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (model, digest)
);
"""
_LOCK = zlib.crc32(b"tacit event store")
_LOCK_SECONDS = 2
_PAGE = 10_000


class PostgresStore:
    """Tables ``tacit_events`` and ``tacit_learned``; an advisory lock keeps a second writer out.

    A connection that was lost is made anew by the next call. Whether its last transaction was committed is then read
    from the table: see ``Writer``.
    """

    def __init__(self, url: str, *, write: bool = True) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingExtraError(
                "events in PostgreSQL need psycopg: install it with 'pip install tacit[postgres]'."
            ) from None
        self._psycopg, self._url, self._write = psycopg, url, write
        self._guard = threading.RLock()
        self._held: Any = None
        with self._guard, self._told("open"):
            if write:
                with self._connection().transaction():
                    self._connection().execute(_SCHEMA)

    def _connection(self) -> Any:
        if self._held is None or self._held.closed:
            self._held = self._psycopg.connect(self._url, autocommit=True, connect_timeout=5)
            self._held.execute("SET synchronous_commit = on")
            if self._write:
                self._lock()
        return self._held

    def _lock(self) -> None:
        """Keep other writers out; the server may need a moment to notice that the last one was killed."""
        self._held.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
        try:
            self._held.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        except self._psycopg.errors.LockNotAvailable:
            self._held.close()
            raise StoreError(
                "the event store in this PostgreSQL database is in use by another process; stop that one, or give "
                "--store another database."
            ) from None
        self._held.execute("SET lock_timeout = 0")

    def append(self, batch: Sequence[tuple[str, Sequence[New]]]) -> list[list[Placed]]:
        with self._guard, self._told("write to"):
            connection = self._connection()
            with connection.transaction():
                places = [self._insert(connection, model, events) for model, events in batch]
                faults.reach("commit.before")
            faults.reach("commit.after")
            return places

    def _insert(self, connection: Any, model: str, events: Sequence[New]) -> list[Placed]:
        """One query finds what is known and another stores the rest, however many there are."""
        ids = [event.id for event in events if event.id is not None]
        known: dict[str, int] = {}
        if ids:
            known = dict(
                connection.execute(
                    "SELECT id, sequence FROM tacit_events WHERE model = %s AND id = ANY(%s)", (model, ids)
                ).fetchall()
            )
        places = placed(events, known, self.last(model))
        rows = [(model, place.sequence, event.id, event.payload) for place, event in zip(places, events) if place.fresh]
        if rows:
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO tacit_events (model, sequence, id, payload) VALUES (%s, %s, %s, %s)", rows
                )
        return places

    def read(self, model: str, after: int = 0) -> Iterator[Stored]:
        while True:
            page = self._rows(
                "SELECT sequence, id, payload FROM tacit_events WHERE model = %s AND sequence > %s "
                "ORDER BY sequence LIMIT %s",
                (model, after, _PAGE),
            )
            if not page:
                return
            after = page[-1][0]
            for sequence, ident, payload in page:
                yield Stored(sequence, ident, bytes(payload))

    def last(self, model: str) -> int:
        return int(self._rows("SELECT max(sequence) FROM tacit_events WHERE model = %s", (model,))[0][0] or 0)

    def models(self) -> list[str]:
        return [row[0] for row in self._rows("SELECT DISTINCT model FROM tacit_events ORDER BY model", ())]

    def learned_by(self, model: str, digest: str) -> int:
        rows = self._rows("SELECT sequence FROM tacit_learned WHERE model = %s AND digest = %s", (model, digest))
        return int(rows[0][0]) if rows else 0

    def set_learned(self, model: str, digest: str, sequence: int) -> None:
        with self._guard, self._told("write to"):
            self._connection().execute(
                "INSERT INTO tacit_learned VALUES (%s, %s, %s) ON CONFLICT (model, digest) "
                "DO UPDATE SET sequence = EXCLUDED.sequence",
                (model, digest, sequence),
            )

    def check(self) -> list[str]:
        return [
            problem
            for model in self.models()
            for problem in gaps(model, [event.sequence for event in self.read(model)])
        ]

    def close(self) -> None:
        with self._guard:
            if self._held is not None:
                self._held.close()

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._guard, self._told("read"):
            rows: list[Any] = self._connection().execute(query, values).fetchall()
            return rows

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            with suppress(Exception):
                self._held.close()
            reason = " ".join(str(error).split())
            raise StoreError(
                f"cannot {doing} the event store in PostgreSQL ({reason}); nothing that was acknowledged is lost: see "
                "to the database, then try again."
            ) from error
