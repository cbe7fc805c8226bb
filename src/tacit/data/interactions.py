"""``Interactions``: the positives Ω⁺ with the caller's ids, and optional features, graphs, contexts and times.

A stored cell is a positive; a cell that is not stored is unlabelled. A weight says how strong the evidence is.
"""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data import events as _events
from tacit.data import filtering
from tacit.data.event_tables import EventColumns, read_events
from tacit.data.events import Duplicates, Events
from tacit.data.ids import Ids, as_ids
from tacit.data.matrix import as_csr
from tacit.data.split import By, Test, held_out
from tacit.data.summary import Reading, Summary, summary_of
from tacit.data.text_files import TextForm
from tacit.errors import InputError

Array = NDArray[Any]


class Interactions:
    """Positives with ids, and optionally times, contexts, side features and graphs.

    Attributes
    ----------
    matrix : (n, m) canonical CSR, float32 weights
    row_ids, col_ids : the caller's ids, in matrix order
    times : one per stored cell, aligned with ``matrix.data``, or None; the latest where a cell was seen often
    events : what was observed, per (row, column, contexts); without contexts the same as the stored cells
    context_ids : name → ids of that context; numbers are in ``events.context``
    row_features, col_features : (n, ·) and (m, ·) sparse matrices or None
    row_graph, col_graph : (n, n) and (m, m) sparse adjacencies or None
    reading : how many lines of the table were read, lacked a value, or repeated a pair; None unless from a table

    ``print(interactions)`` and notebooks show ``interactions.summary()``.
    """

    def __init__(
        self,
        matrix: sp.csr_array,
        row_ids: Ids,
        col_ids: Ids,
        *,
        times: Array | None = None,
        events: Events | None = None,
        context_ids: Mapping[str, Ids] | None = None,
        row_features: Any = None,
        col_features: Any = None,
        row_graph: Any = None,
        col_graph: Any = None,
        reading: Reading | None = None,
    ) -> None:
        self.reading = reading
        self.matrix = as_csr(matrix, "matrix", rows=len(row_ids), cols=len(col_ids), zeros="keep", allow_empty=True)
        self.row_ids, self.col_ids, self.times = row_ids, col_ids, times
        if times is not None and len(times) != self.matrix.nnz:
            raise InputError(f"times must have one entry per stored cell, {self.matrix.nnz}, but has {len(times)}.")
        self.context_ids: dict[str, Ids] = dict(context_ids or {})
        self._events = events
        n, m = self.shape
        self.row_features = _side(row_features, "row_features", n, None)
        self.col_features = _side(col_features, "col_features", m, None)
        self.row_graph = _side(row_graph, "row_graph", n, n)
        self.col_graph = _side(col_graph, "col_graph", m, m)

    # -- ways in -----------------------------------------------------------------------------------------------

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        row: str,
        col: str,
        weight: str | None = None,
        time: str | None = None,
        context: str | Sequence[str] | None = None,
        duplicates: Duplicates = "sum",
        missing: Literal["error", "drop"] = "error",
        min_weight: float | None = None,
        binary: bool = False,
        min_row_count: int = 1,
        min_col_count: int = 1,
        query: str | None = None,
        text_ids: bool = False,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str = ".",
        time_format: str | None = None,
    ) -> "Interactions":
        """Interactions from a table with one event per line.

        Ids are numbered in ascending order, so the same events give the same matrix however the table is ordered.
        The steps, in this order: missing values, duplicates, ``min_weight``, ``binary``, the counts.

        Parameters
        ----------
        table : pandas, polars (eager or lazy), Arrow, a mapping of columns; a path or glob of CSV, TSV, Parquet or
            JSON lines (text also .gz, .zst, .xz); or a URI of SQLite or PostgreSQL with ``query``
        row, col, weight, time, context : names of columns; without ``weight`` each event weighs 1
        duplicates : what to do when a pair (with equal contexts) occurs again. ``"sum"`` adds the weights: repeated
            clicks and plays are more evidence, and a sum does not depend on the order of lines. For ratings that
            people revise use ``"last"`` (by time, else by line); also ``"first"``, ``"max"``, ``"error"``
        missing : null or blank ids, null or NaN weights and times are an ``"error"``, or their lines are ``"drop"``ped
        min_weight : keep cells of at least this weight, such as 4 for ratings of which 4 and 5 are positive
        binary : set the weight of all cells that are left to 1
        min_row_count, min_col_count : drop rows and columns with fewer cells, repeatedly until all have enough
        text_ids : read ids in text files as text, even where all are whole numbers (leading zeros survive)
        separator : between the columns of a text file; None finds ``, ; | tab`` by its name and first line
        encoding : of a text file, such as ``"latin-1"``; None is UTF-8
        decimal : ``","`` reads 3,5 as a number
        time_format : how text times are written, such as ``"%d/%m/%Y"``; None reads ISO dates (2024-12-31 18:00)

        >>> plays = {"who": ["eve", "bob", "eve"], "song": [7, 7, 9], "times": [3, 1, 2]}
        >>> heard = Interactions.from_table(plays, row="who", col="song", weight="times")
        >>> heard
        Interactions(2 rows × 2 columns, 3 positives)
        >>> heard.matrix.toarray()
        array([[1., 0.],
               [3., 2.]], dtype=float32)
        """
        columns = EventColumns(row, col, weight, time, [context] if isinstance(context, str) else list(context or ()))
        form = TextForm(separator, encoding, decimal)
        read = read_events(
            table, columns, form, duplicates=duplicates, missing=missing, query=query, text_ids=text_ids,
            time_format=time_format,
        )  # fmt: skip
        positives = cls._from_events(read.events, read.row_ids, read.col_ids, read.context_ids, reading=read.reading)
        return positives.filtered(
            min_weight=min_weight, binary=binary, min_row_count=min_row_count, min_col_count=min_col_count
        )

    @classmethod
    def from_parquet(
        cls,
        parts: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        row: str,
        col: str,
        weight: str | None = None,
        duplicates: Duplicates = "sum",
        missing: Literal["error", "drop"] = "error",
        out_of_core: bool = False,
        folder: str | os.PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> "Interactions":
        """Interactions from the parts of a table: a path, a glob or a list of them.

        Parameters
        ----------
        row, col, weight, duplicates, missing : as in ``from_table``; weights must be above zero
        out_of_core : sort on disk and keep the positives there, in both orders, 16 bytes each. Memory holds a part, a
            range of rows and a few numbers per row and column. Training reads the files through memory maps, and gives
            the bits that it would give in memory
        folder : where the files are; a folder that holds the same parts already is only opened. None is a temporary
            one that disappears with the interactions
        progress : True, False, or None for "when a terminal is attached"

        >>> import polars as pl, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> pl.DataFrame({"who": ["eve", "bob"], "song": [7, 9]}).write_parquet(folder.name + "/a.parquet")
        >>> Interactions.from_parquet(folder.name + "/*.parquet", row="who", col="song", out_of_core=True)
        Interactions(2 rows × 2 columns, 2 positives)
        >>> folder.cleanup()
        """
        import polars as pl

        from tacit.data.parts import Columns, part_paths
        from tacit.data.stored import stored

        _events.check_duplicates(duplicates)
        paths, columns = part_paths(parts), Columns(row, col, weight, missing)
        if not out_of_core:
            if folder is not None:
                raise InputError("folder is for out_of_core=True; leave it out, or say so.")
            return cls.from_table(
                pl.scan_parquet(paths, glob=False), row=row, col=col, weight=weight,
                duplicates=duplicates, missing=missing,
            )  # fmt: skip
        return cls(*stored(paths, columns, duplicates, None if folder is None else Path(folder), progress))

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        row_ids: Ids | Iterable[Hashable] | None = None,
        col_ids: Ids | Iterable[Hashable] | None = None,
        **sides: Any,
    ) -> "Interactions":
        """Interactions from any SciPy sparse array or matrix; without ids, row and column numbers are the ids.

        >>> Interactions.from_matrix(sp.eye_array(3), col_ids=["a", "b", "c"]).col_ids.all().tolist()
        ['a', 'b', 'c']
        """
        csr = as_csr(matrix, "matrix")
        ids = [
            _as_ids(given, name, length)
            for given, name, length in ((row_ids, "row_ids", csr.shape[0]), (col_ids, "col_ids", csr.shape[1]))
        ]
        return cls(csr, *ids, **sides)

    @classmethod
    def _from_events(
        cls, events: Events, row_ids: Ids, col_ids: Ids, context_ids: Mapping[str, Ids], **sides: Any
    ) -> "Interactions":
        cells = _events.merge(events, "sum", over_context=True) if context_ids else events
        matrix = _events.matrix_of(cells, (len(row_ids), len(col_ids)))
        kept = events if context_ids else None
        return cls(matrix, row_ids, col_ids, times=cells.time, events=kept, context_ids=context_ids, **sides)

    # -- what is here ------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        return (self.matrix.shape[0], self.matrix.shape[1])

    @property
    def nnz(self) -> int:
        return int(self.matrix.nnz)

    @property
    def events(self) -> Events:
        if self._events is not None:
            return self._events
        rows = np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.matrix.indptr))
        return Events(rows, self.matrix.indices, self.matrix.data, self.times)

    @property
    def context(self) -> dict[str, tuple[Ids, NDArray[np.int32]]]:
        """Name → its ids and their numbers per event."""
        return {name: (ids, self.events.context[name]) for name, ids in self.context_ids.items()}

    def __repr__(self) -> str:
        n, m = self.shape
        extras = [*(["times"] if self.times is not None else []), *(f"context {name!r}" for name in self.context_ids)]
        extras += [name for name in SIDES if getattr(self, name) is not None]
        beside = f", with {', '.join(extras)}" if extras else ""
        return f"Interactions({n} rows × {m} columns, {self.nnz} positives{beside})"

    def summary(self) -> Summary:
        """Sizes, density, tails and times, for people: ``print`` it, or let a notebook show it.

        >>> print(Interactions.from_matrix(np.eye(3)).summary())  # doctest: +NORMALIZE_WHITESPACE
        rows         3
        columns      3
        positives    3, 33.3333 % of all cells
        per row      1 to 1, median 1
        per column   1 to 1, median 1; the most frequent tenth of columns holds 33 % of the positives
        weights      all 1
        """
        return summary_of(self)

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_polars(self) -> Any:
        """The events as a table of the caller's ids: row, col, weight, and time and contexts where there are."""
        import polars as pl

        events = self.events
        columns: dict[str, Any] = {
            "row": self.row_ids.take(events.row).tolist(),
            "col": self.col_ids.take(events.col).tolist(),
            "weight": events.weight,
        }
        columns |= {} if events.time is None else {"time": events.time}
        columns |= {name: ids.take(numbers).tolist() for name, (ids, numbers) in self.context.items()}
        return pl.DataFrame(columns, strict=False)

    # -- ways on -----------------------------------------------------------------------------------------------

    def split(self, test: Test = 0.2, seed: int = 0, by: By = "random") -> tuple["Interactions", "Interactions"]:
        """Training and test part, with the same ids, shape and sides.

        Parameters
        ----------
        test : share of what is held out, or a whole number of it; by time also the moment from which on everything
            is held out, such as ``"2024-11-01"`` or a date
        by : ``"random"`` holds out events; ``"last"`` the latest of each row (leave one out; a whole ``test`` holds
            out that many; a row always keeps one); ``"time"`` the latest events of all, moments kept together;
            ``"user"`` all events of some rows

        Without contexts the events are the stored cells, so no pair is in both parts. With contexts a pair can be
        in both, in different contexts.

        >>> train, test = Interactions.from_matrix(np.ones((4, 5))).split(test=0.25, seed=1)
        >>> train.nnz, test.nnz, float((train.matrix + test.matrix).min())
        (15, 5, 1.0)
        """
        events = self.events
        mask = held_out(events, self.shape[0], test, seed, by)
        return self._part(events, ~mask), self._part(events, mask)

    def filtered(
        self,
        *,
        min_weight: float | None = None,
        binary: bool = False,
        min_row_count: int = 1,
        min_col_count: int = 1,
    ) -> "Interactions":
        """What is left above thresholds; rows and columns without events disappear with their ids.

        ``min_weight`` keeps events of at least that weight (a weight of 0 is no evidence and always goes),
        ``binary`` then sets all weights to 1, and the counts drop rare rows and columns until all have enough.
        """
        given = self.events
        events = filtering.above(given, self.shape, min_weight, min_row_count, min_col_count)
        if binary:
            ones = np.ones(len(events), dtype=np.float32)
            events = Events(events.row, events.col, ones, events.time, events.context)
        row_ids, rows, used_rows = filtering.used(self.row_ids, events.row)
        col_ids, cols, used_cols = filtering.used(self.col_ids, events.col)
        if len(events) == len(given) and (len(row_ids), len(col_ids)) == self.shape and not binary:
            return self
        context = {name: filtering.used(ids, events.context[name]) for name, ids in self.context_ids.items()}
        numbers = {name: used[1] for name, used in context.items()}
        return Interactions._from_events(
            Events(rows, cols, events.weight, events.time, numbers),
            row_ids,
            col_ids,
            {name: used[0] for name, used in context.items()},
            reading=self.reading,
            row_features=None if self.row_features is None else self.row_features[used_rows],
            col_features=None if self.col_features is None else self.col_features[used_cols],
            row_graph=None if self.row_graph is None else self.row_graph[used_rows][:, used_rows],
            col_graph=None if self.col_graph is None else self.col_graph[used_cols][:, used_cols],
        )

    def aligned(self, row_ids: Ids, col_ids: Ids) -> "Interactions":
        """The same cells under other ids, such as those of a fitted model; cells with unknown ids are left out."""
        events = self.events
        rows = row_ids.numbers(self.row_ids.all())[events.row]
        cols = col_ids.numbers(self.col_ids.all())[events.col]
        known = (rows >= 0) & (cols >= 0)
        events = events.take(known)
        moved = Events(
            rows[known].astype(np.int32), cols[known].astype(np.int32), events.weight, events.time, events.context
        )
        return Interactions._from_events(_events.merge(moved, "sum"), row_ids, col_ids, self.context_ids)

    def with_sides(
        self, *, row_features: Any = None, col_features: Any = None, row_graph: Any = None, col_graph: Any = None
    ) -> "Interactions":
        """The same positives with side features and graphs; what is not given stays as it is."""
        given = {
            "row_features": row_features,
            "col_features": col_features,
            "row_graph": row_graph,
            "col_graph": col_graph,
        }
        sides = {name: getattr(self, name) if side is None else side for name, side in given.items()}
        return Interactions(
            self.matrix,
            self.row_ids,
            self.col_ids,
            times=self.times,
            events=self._events,
            context_ids=self.context_ids,
            reading=self.reading,
            **sides,
        )

    def _part(self, events: Events, mask: NDArray[np.bool_]) -> "Interactions":
        sides = {name: getattr(self, name) for name in SIDES}
        return Interactions._from_events(events.take(mask), self.row_ids, self.col_ids, self.context_ids, **sides)


SIDES = ("row_features", "col_features", "row_graph", "col_graph")


def _side(matrix: Any, name: str, rows: int, cols: int | None) -> sp.csr_array | None:
    return None if matrix is None else as_csr(matrix, name, rows=rows, cols=cols, allow_empty=True)


def _as_ids(given: Ids | Iterable[Hashable] | None, name: str, length: int) -> Ids:
    if given is None:
        return Ids.range(length, name)
    ids = as_ids(given, name)
    if len(ids) != length:
        lines = "rows" if name == "row_ids" else "columns"
        raise InputError(f"{name} has {len(ids)} ids, but the matrix has {length} {lines}; give one id for each.")
    return ids
