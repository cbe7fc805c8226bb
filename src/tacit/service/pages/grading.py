"""Rows to grade: which are most worth it, and a ranker that is fitted anew, in the background, as grades come.

A row is worth grading by the error to expect of its predicted grade ŷ: Σ_k p_k |k − ŷ|, with grades counted by rank.
"""

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tacit.errors import InputError, TacitError
from tacit.service.events import Id
from tacit.service.learners import GradeLearner
from tacit.service.served import Served

_log = logging.getLogger("tacit.service")
Answer = dict[str, Any]
_GRADE = "grade"
_DOTS = 400


class Grading(msgspec.Struct, forbid_unknown_fields=True):
    """Rows with grades and confidence, those most worth grading first, without those in ``leave``."""

    n: int = 25
    leave: list[Id] = []


@dataclass(eq=False)
class GradingTable:
    """Rows of one table, and the newest ranker that has learned from their grades."""

    ids: list[Id]
    columns: list[str]
    table: Any
    inputs: Any
    known: dict[Id, str]
    model: Any
    learned: int = 0
    _given: dict[Id, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def learn(self, grades: dict[Id, str]) -> None:
        """Fit anew when grades have come; what comes while it fits is learned by the next fit."""
        with self._lock:
            if grades == self._given or (self._thread is not None and self._thread.is_alive()):
                return
            self._given = grades
            self._thread = threading.Thread(target=self._fit, args=(grades,), daemon=True)
            self._thread.start()

    def _fit(self, grades: dict[Id, str]) -> None:
        classes = self.model.classes_.tolist()
        by_name = {str(one): one for one in classes}
        every = self.known | grades
        y = np.array([by_name[every[one]] if one in every else None for one in self.ids], dtype=object)
        try:
            fresh = clone(self.model).set_params(classes=classes, progress=False)
            self.model, self.learned = fresh.fit(self.inputs, y), len(grades)
        except (TacitError, ValueError) as error:
            # Such as grades of one kind only: the ranker that was there goes on.
            _log.info("grades not learned yet", extra={"why": str(error)})

    def rows(self, ask: Grading, grades: dict[Id, str]) -> Answer:
        """What the page shows."""
        model = self.model
        scores, chances = model.rank_score(self.inputs), model.predict_proba(self.inputs)
        names, worth = [str(one) for one in model.classes_.tolist()], expected_error(chances)
        left, every = set(ask.leave), self.known | grades
        order = np.argsort(-worth, kind="stable").tolist()
        open_ones = [n for n in order if self.ids[n] not in every and self.ids[n] not in left]
        graded = [n for n in order if self.ids[n] in grades]
        shown = [*open_ones[: ask.n], *graded[: ask.n]]
        best = chances.argmax(axis=1)
        return {
            "classes": names,
            "thresholds": model.thresholds_.tolist(),
            "graded": len(grades),
            "learned": self.learned,
            "open": len(self.ids) - len(every),
            "columns": self.columns,
            "scores": scores[:: max(1, len(scores) // _DOTS)].tolist(),
            "rows": [
                {
                    "row": self.ids[n],
                    "features": [str(cell) for cell in self.table.row(n)],
                    "given": grades.get(self.ids[n]),
                    "grade": names[best[n]],
                    "confidence": float(chances[n, best[n]]),
                    "score": float(scores[n]),
                    "worth": float(worth[n]),
                }
                for n in shown
            ],
        }


class GradingTables:
    """Tables by the names of their rankers, read when they are first asked for."""

    def __init__(self, paths: Mapping[str, str | os.PathLike[str]]) -> None:
        self.paths = dict(paths)
        self._tables: dict[tuple[str, str], GradingTable] = {}
        self._lock = threading.Lock()

    def grading(self, served: Served, ask: Grading) -> Answer:
        if served.name not in self.paths:
            raise InputError(
                f"there are no rows to grade for {served.name}: start with --rows {served.name}=table.csv."
            )
        if not (1 <= ask.n <= 200 and len(ask.leave) <= 10_000):
            raise InputError("grading: ask for 1 to 200 rows and leave out at most 10000.")
        learner = served.state.learner
        if not isinstance(learner, GradeLearner):
            raise InputError(f"{served.name} is a {type(served.state.model).__name__}, which does not grade rows.")
        with self._lock:
            key = served.name, served.state.digest
            if key not in self._tables:
                self._tables[key] = read_rows(self.paths[served.name], served.state.model)
            table = self._tables[key]
        known = set(table.ids)
        grades = {row: str(grade) for row, grade in dict(learner.grades).items() if row in known}
        table.learn(grades)
        return table.rows(ask, grades)


def read_rows(path: str | os.PathLike[str], model: Any) -> GradingTable:
    """A table whose columns are the ranker's features; the first other column names the rows."""
    from tacit.data.readers import read_frame

    frame = read_frame(os.fspath(path), {}, None)
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    others = [name for name in frame.columns if name not in names and name != _GRADE]
    if not names:
        names, others = others[-model.n_features_in_ :], others[: -model.n_features_in_]
    lacking = [name for name in names if name not in frame.columns]
    if lacking or len(names) != model.n_features_in_:
        what = f"lacks the column {lacking[0]!r}" if lacking else f"has {len(names)} columns of features"
        raise InputError(f"--rows: {os.fspath(path)!r} {what}; the ranker knows {model.n_features_in_} features.")
    ids: list[Id] = frame[others[0]].to_list() if others else list(range(len(frame)))
    if len(set(ids)) < len(ids):
        raise InputError(f"--rows: ids in the column {others[0]!r} of {os.fspath(path)!r} must differ.")
    given = frame[_GRADE].to_list() if _GRADE in frame.columns else [None] * len(ids)
    classes = {str(one) for one in model.classes_.tolist()}
    table = frame.select(names)
    # A ranker that was fitted to a bare array is asked with one.
    inputs = table if hasattr(model, "feature_names_in_") else table.to_numpy()
    return GradingTable(
        ids, names, table, inputs, {one: str(g) for one, g in zip(ids, given) if str(g) in classes}, model
    )


def expected_error(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ_k p_k |k − ŷ| for each row of (n, K) chances.

    >>> expected_error(np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])).tolist()
    [0.5, 0.0, 1.0]
    """
    ranks = np.arange(chances.shape[1])
    errors: NDArray[np.float64] = (chances * np.abs(ranks - chances.argmax(axis=1)[:, None])).sum(axis=1)
    return errors
