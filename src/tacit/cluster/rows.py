"""Rows of numbers on the workers: each part of a table is read by one of them and stays there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.cluster.workers import Tasks
from tacit.data.columns import numbers_of
from tacit.data.elsewhere import Block, Numbers
from tacit.data.readers import origin_of, read_frame
from tacit.errors import InputError

Array = NDArray[Any]
State = TypeVar("State")


@dataclass(frozen=True)
class RowsOnWorkers:
    """A table whose parts are futures of dense arrays; see ``tacit.data.elsewhere``."""

    tasks: Tasks
    parts: list[Any]
    starts: Array
    shape: tuple[int, int]

    def __getitem__(self, rows: Numbers) -> Array:
        numbers = self._numbers(rows)
        order = np.argsort(numbers, kind="stable")
        result = self.tasks.results(
            [self.tasks(taken, [self.parts[place]], [local]) for place, local in self._by_part(numbers[order])]
        )
        here = np.empty((len(numbers), self.shape[1]))
        here[order] = np.concatenate([np.empty((0, self.shape[1])), *result])
        return here

    def fold(self, step: Callable[..., State], start: State, lanes: Sequence[Sequence[Block]]) -> list[State]:
        """A task per block, which takes what the block before it gave; lanes run side by side."""
        ends = []
        for lane in lanes:
            state: Any = start
            for rows, told in lane:
                pieces = self._by_part(self._numbers(rows))
                parts, local = [self.parts[place] for place, _ in pieces], [one for _, one in pieces]
                state = self.tasks(stepped, step, state, parts, local, *told)
            ends.append(state)
        return self.tasks.results(ends)

    def _numbers(self, rows: Numbers) -> NDArray[np.intp]:
        return np.arange(self.shape[0])[rows] if isinstance(rows, slice) else np.asarray(rows)

    def _by_part(self, numbers: NDArray[np.intp]) -> list[tuple[int, NDArray[np.intp]]]:
        """Ascending row numbers as numbers within each of the parts that have some."""
        ends = np.searchsorted(numbers, self.starts)
        return [(place, numbers[a:b] - self.starts[place]) for place, (a, b) in enumerate(pairwise(ends)) if a < b]


def rows_of(
    tasks: Tasks, paths: Sequence[str], grade: str, leave: Sequence[str]
) -> tuple[RowsOnWorkers, list[str], list[Any]]:
    """The columns of numbers of all parts, their names, and the grades of all rows."""
    names = tasks(feature_names, paths[0], grade, list(leave)).result()
    parts = [tasks(features_of, path, names) for path in paths]
    grades = [grade for part in tasks.results([tasks(grades_of, path, grade) for path in paths]) for grade in part]
    sizes = tasks.results([tasks(len, part) for part in parts])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return RowsOnWorkers(tasks, parts, starts, (int(starts[-1]), len(names))), names, grades


# -- tasks -----------------------------------------------------------------------------------------------------


def feature_names(path: str, grade: str, leave: Sequence[str]) -> list[str]:
    """The columns of numbers but for the grade and those to leave out."""
    import polars as pl

    frame = read_frame(path, {"grade": grade}, None, name=repr(path))
    missing = [name for name in leave if name not in frame.columns]
    if missing:
        raise InputError(f"leave: {path!r} has no column {missing[0]!r}; it has {', '.join(frame.columns)}.")
    names = [name for name, kind in frame.schema.items() if kind.is_numeric() or kind == pl.Boolean]
    names = [name for name in names if name not in (grade, *leave)]
    if not names:
        raise InputError(f"{path!r} has no column of numbers to learn from; code text columns as numbers first.")
    return names


def features_of(path: str, names: Sequence[str]) -> Array:
    """These columns of one part, as finite float64."""
    frame = read_frame(path, {}, names, name=repr(path))
    columns = [numbers_of(frame[name], f"feature {name}", origin_of(path)) for name in names]
    return np.ascontiguousarray(np.column_stack(columns))


def grades_of(path: str, grade: str) -> list[Any]:
    """The grades of one part, None where there is none."""
    values = read_frame(path, {"grade": grade}, [grade], name=repr(path))[grade].to_list()
    return [None if isinstance(value, str) and value.strip() in {"", "-1"} else value for value in values]


def taken(parts: Sequence[Array], numbers: Sequence[Array]) -> Array:
    """Rows of several parts, one after the other."""
    return np.concatenate([part[local] for part, local in zip(parts, numbers)])


def stepped(
    step: Callable[..., State], state: State, parts: Sequence[Array], numbers: Sequence[Array], *told: Any
) -> State:
    """One step of a fold."""
    with threads.single_threaded_blas():
        return step(state, taken(parts, numbers), *told)
