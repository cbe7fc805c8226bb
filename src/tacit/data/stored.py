"""Positives on disk: both orders, built from parts of a table by an external sort, and read through memory maps.

    1. ids       the distinct ids of every part, merged
    2. counts    every part in these numbers; lines per row and per column, from which ranges of ``LINES`` lines follow
    3. events    every part cut by ranges of rows, appended to a file per range
    4. rows      every range sorted and its pairs merged: the row order; the cells cut by ranges of columns
    5. columns   every range sorted: the column order

What is held at one time is a part, or a range, and a few numbers per row and column. All files are read and written
from beginning to end. The arrays are those that memory would hold, so training on them gives the same bits.
"""

import hashlib
import json
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.data import events as _events
from tacit.data.events import Duplicates, Events, Twice
from tacit.data.ids import Ids
from tacit.data.matrix import StoredCsr
from tacit.data.parts import Columns, cut, distinct_ids, events_of, ids_of_parts, merged_ids, stable_order
from tacit.errors import InputError
from tacit.progress import Run

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]

LINES = 2_000_000
"""Lines of a range: sorting one takes about 100 MB."""

_EVENT = np.dtype([("row", np.int32), ("col", np.int32), ("weight", np.float32)])
_ARRAYS = {"indptr": np.int64, "indices": np.int32, "values": np.float32}


def stored(
    paths: Sequence[str], columns: Columns, duplicates: Duplicates, folder: Path | None, progress: bool | None
) -> tuple[StoredCsr, Ids, Ids]:
    """The positives of the parts, on disk, and the ids of rows and columns.

    A folder that holds the same parts already is only opened. Without one they lie in a temporary folder, which
    disappears with the matrix.
    """
    here = Path(tempfile.mkdtemp(prefix="tacit-")) if folder is None else folder
    here.mkdir(parents=True, exist_ok=True)
    mark = _mark(paths, columns, duplicates)
    if not _is_complete(here, mark):
        _build(here, paths, columns, duplicates, progress)
        (here / "complete.json").write_text(json.dumps(mark))
    matrix, row_ids, col_ids = _opened(here)
    if folder is None:
        weakref.finalize(matrix, shutil.rmtree, here, ignore_errors=True)
    return matrix, row_ids, col_ids


def _mark(paths: Sequence[str], columns: Columns, duplicates: Duplicates) -> dict[str, Any]:
    """What the folder was built from: these files, as they were written, read in this way."""
    files = [[path, Path(path).stat().st_size, Path(path).stat().st_mtime_ns] for path in paths]
    text = json.dumps([files, asdict(columns), duplicates])
    return {"parts": len(files), "made_from": hashlib.sha256(text.encode()).hexdigest()}


def _is_complete(folder: Path, mark: dict[str, Any]) -> bool:
    known = folder / "complete.json"
    if not known.exists():
        if any(folder.iterdir()) and not (folder / "unfinished").exists():
            raise InputError(f"folder: {str(folder)!r} holds other files; give an empty folder, or a new one.")
        return False
    if json.loads(known.read_text()) != mark:
        raise InputError(
            f"folder: {str(folder)!r} was made from other parts or columns, or they have changed since; "
            "give another folder, or delete it."
        )
    return True


def _build(folder: Path, paths: Sequence[str], columns: Columns, duplicates: Duplicates, progress: bool | None) -> None:
    """The five passes; an earlier attempt that was cut short is begun anew."""
    for old in folder.iterdir():
        old.unlink()
    (folder / "unfinished").touch()
    ids = _merge_ids(_each(paths, "ids", progress), columns)
    for name, series in zip(("row", "col"), ids):
        series.rename("id").to_frame().write_parquet(folder / f"{name}_ids.parquet")
        ids_of_parts(series, name)
    counts = [np.zeros(len(series), dtype=np.int64) for series in ids]
    for index, path in enumerate(_each(paths, "counts", progress)):
        events = events_of(path, columns, *ids)
        _append(folder, f"part-{index}", [events])
        counts[0] += np.bincount(events.row, minlength=len(ids[0]))
        counts[1] += np.bincount(events.col, minlength=len(ids[1]))
    borders = [_borders(of_side) for of_side in counts]
    for index in _each(range(len(paths)), "events", progress):
        _append(folder, "rows", cut(_taken(folder, f"part-{index}", 0), borders[0], "row"))
    of_rows, of_cols = (np.zeros(len(series), dtype=np.int64) for series in ids)
    for index in _each(range(len(borders[0]) - 1), "rows", progress):
        try:
            events = _events.merge(_taken(folder, "rows", index), duplicates)
        except Twice as twice:
            raise InputError(
                f"duplicates='error': the pair ({ids[0][twice.row]!r}, {ids[1][twice.col]!r}) occurs more than once; "
                "choose sum, last, first or max."
            ) from None
        of_rows += np.bincount(events.row, minlength=len(of_rows))
        of_cols += np.bincount(events.col, minlength=len(of_cols))
        _write(folder, "row", events.col, events.weight)
        _append(folder, "cols", cut(events, borders[1], "col"))
    for index in _each(range(len(borders[1]) - 1), "columns", progress):
        events = _taken(folder, "cols", index)
        events = events.take(stable_order(events.col - borders[1][index]))
        _write(folder, "col", events.row, events.weight)
    for name, of_side in (("row", of_rows), ("col", of_cols)):
        np.concatenate(([0], np.cumsum(of_side))).astype(np.int64).tofile(folder / f"{name}_indptr")
    (folder / "unfinished").unlink()


def _each(things: Iterable[Any], label: str, progress: bool | None) -> Iterator[Any]:
    """The things one after the other, with a bar; an interrupt ends the pass when its thing is done."""
    listed = list(things)
    with Run(label, len(listed), progress=progress) as run:
        for index in run.iterations():
            yield listed[index]
            run.report()
        if run.interrupted:
            raise KeyboardInterrupt


def _merge_ids(paths: Iterable[str], columns: Columns) -> tuple["pl.Series", "pl.Series"]:
    known: list[Any] = []
    for path in paths:
        result = distinct_ids(path, columns)
        known = (
            [merged_ids([old, new]) for old, new in zip(known, result)] if known else [merged_ids([f]) for f in result]
        )
    return known[0], known[1]


def _borders(counts: Array) -> Array:
    """Where ranges of about ``LINES`` lines begin, and the end of the last."""
    most = max(1, -(-int(counts.sum()) // LINES))
    ranges = threads.balanced_chunks(np.concatenate(([0], np.cumsum(counts))), row_cost=0.0, most=most)
    return np.array([start for start, _ in ranges] + [len(counts)])


def _append(folder: Path, name: str, pieces: Sequence[Events]) -> None:
    for index, events in enumerate(pieces):
        lines = np.empty(len(events), dtype=_EVENT)
        lines["row"], lines["col"], lines["weight"] = events.row, events.col, events.weight
        with (folder / f"{name}-{index}").open("ab") as file:
            lines.tofile(file)


def _taken(folder: Path, name: str, index: int) -> Events:
    """A range, whose file is not needed any more."""
    path = folder / f"{name}-{index}"
    lines = np.fromfile(path, dtype=_EVENT)
    path.unlink()
    row, col, weight = (np.ascontiguousarray(lines[field]) for field in ("row", "col", "weight"))
    return Events(row, col, weight)


def _write(folder: Path, side: str, indices: Array, values: Array) -> None:
    for name, array in (("indices", indices), ("values", values)):
        with (folder / f"{side}_{name}").open("ab") as file:
            array.tofile(file)


def _opened(folder: Path) -> tuple[StoredCsr, Ids, Ids]:
    import polars as pl

    ids = [ids_of_parts(pl.read_parquet(folder / f"{side}_ids.parquet")["id"], side) for side in ("row", "col")]
    # Copy on write: to Numba an array that must not be written is another type, and nothing writes to them.
    row, col = (
        {name: np.asarray(np.memmap(folder / f"{side}_{name}", kind, "c")) for name, kind in _ARRAYS.items()}
        for side in ("row", "col")
    )
    matrix = StoredCsr((len(ids[0]), len(ids[1])), dtype=np.float32)
    matrix.indptr, matrix.indices, matrix.data = row["indptr"], row["indices"], row["values"]
    matrix.has_canonical_format = True
    matrix.folder = folder
    matrix.col_indptr, matrix.col_indices, matrix.col_values = col["indptr"], col["indices"], col["values"]
    return matrix, ids[0], ids[1]
