"""Choose the weights of a ``LinearRecommender``: dense or sparse, ridge, exponents and sharpening.

Held-out positives decide (``held_out_choice``).
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr
from tacit.estimators.recommend import held_out_choice
from tacit.estimators.recommend.asking import ScoreRows
from tacit.estimators.recommend.held_out_choice import Budget, Part
from tacit.solvers import linear_weights, sharpening
from tacit.solvers.sharpening import Leading, Sharpened

Array = NDArray[Any]
Weights = Array | Csr | Sharpened

RIDGES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
DENSE_EXPONENTS = ((0.0, 0.0), (0.5, 0.5))
"""(row, ridge): EASE as published, and rows and ridge by the roots of their counts."""
INTO, BY_ROW, OUT = (0.25, 0.5, 0.75, 1.0), (0.0, 0.5, 1.0), (-0.25, 0.0, 0.125, 0.25, 0.5)
SHARPENING = (0.0, 0.25, 0.5, 0.75)
START_RIDGE, START_EXPONENTS = 3.0, (0.75, 1.0, 0.25)


@dataclass(frozen=True)
class Setting:
    """What makes weights of positives; ``ridge`` is that of dense weights and None for sparse ones, which may be
    sharpened."""

    method: str
    exponents: tuple[float, ...]
    ridge: float | None = None
    sharpening: float = 0.0

    def weights(self, positives: Csr, keep: int, threads: int, made: "Made | None" = None) -> Weights:
        """``made`` has what other settings made of the same positives, and keeps what this one makes."""
        if self.ridge is None:
            into, by_row, out = self.exponents
            made = made or Made()
            exponents = into, by_row, out
            if made.sparse is None or made.exponents != exponents:
                made.exponents = exponents
                made.sparse = linear_weights.sparse_weights(positives, exponents, keep, threads=threads)
            if not self.sharpening:
                return made.sparse
            if by_row not in made.leading:
                made.leading[by_row] = sharpening.leading(positives, by_row, threads)
            return sharpening.sharpened(made.sparse, positives, exponents, made.leading[by_row], self.sharpening)
        row, ridge = self.exponents
        return linear_weights.dense_weights(
            positives, self.ridge, row_exponent=row, ridge_exponent=ridge, threads=threads
        )

    def __str__(self) -> str:
        numbers = ", ".join(f"{one:g}" for one in self.exponents)
        more = "" if self.ridge is None else f", ridge {self.ridge:g}"
        return f"{self.method}, exponents ({numbers}){more}" + f", sharpening {self.sharpening:g}" * bool(
            self.sharpening
        )


@dataclass
class Made:
    """The last sparse weights that were made of some positives, and the leading directions by the rows' exponent."""

    exponents: tuple[float, float, float] | None = None
    sparse: Csr | None = None
    leading: dict[float, Leading] = field(default_factory=dict)


@dataclass
class Search:
    """Settings that were tried on splits, with the NDCG@10 of every row.

    beside : from the number of a split and the scores of a setting to the scores that are ranked
    share : the part of the budget that may pass before no more is tried
    """

    parts: list[Part]
    keep: int
    threads: int
    budget: Budget
    beside: Callable[[int, ScoreRows], ScoreRows] = lambda number, scorer: scorer
    share: float = 0.5
    scores: dict[Setting, NDArray[np.float64]] = field(default_factory=dict)
    made: dict[int, Made] = field(default_factory=dict)

    def mean(self, setting: Setting) -> float:
        if setting not in self.scores:
            self.scores[setting] = np.concatenate([self._of(number, setting) for number in range(len(self.parts))])
        return float(self.scores[setting].mean())

    def _of(self, number: int, setting: Setting) -> NDArray[np.float64]:
        part = self.parts[number]
        weights = setting.weights(part.train, self.keep, self.threads, self.made.setdefault(number, Made()))
        average = average_scores(part.train, weights)
        scorer = self.beside(number, lambda start, stop: row_scores(part.seen, weights, average, start, stop))
        return part.ndcg(scorer, self.threads)

    def climb(self, values: Sequence[Any], start: Any, make: Callable[[Any], Setting]) -> Any:
        """From ``start`` along the ascending ``values`` as long as it gets better and there is time."""
        best = values.index(start)
        for step in (1, -1):
            while 0 <= best + step < len(values) and not self.budget.over(self.share):
                if self.mean(make(values[best + step])) <= self.mean(make(values[best])):
                    break
                best += step
        return values[best]

    def records(self) -> list[dict[str, Any]]:
        """JSON-ready: every setting with its mean NDCG@10 and the error of it, the best first."""
        result = [
            asdict(setting)
            | {
                "exponents": list(setting.exponents),
                "ndcg@10": float(rows.mean()),
                "error": float(rows.std() / np.sqrt(len(rows))),
            }
            for setting, rows in self.scores.items()
        ]
        return sorted(result, key=lambda record: -record["ndcg@10"])


def choose(
    positives: Csr,
    methods: Sequence[str],
    given: dict[str, Any],
    keep: int,
    seed: int,
    threads: int,
    budget: Budget,
) -> tuple[Setting, list[dict[str, Any]]]:
    """The setting for these positives, and what was tried.

    ``methods`` are those that may win. ``given`` may fix the ``ridge``, ``dense_exponents``, ``sparse_exponents`` and
    ``sharpening``; what is None is chosen.
    """
    settings = [fixed(method, given) for method in methods]
    if len(settings) == 1 and settings[0] is not None:
        return settings[0], []
    parts = held_out_choice.split(positives, seed)
    if not any(len(part.rows) for part in parts):
        return fixed(methods[0], _STARTS | {name: value for name, value in given.items() if value is not None}), []  # type: ignore[return-value]
    search = Search(parts, keep, threads, budget)
    best = [{"sparse": _best_sparse, "dense": _best_dense}[method](search, given) for method in methods]
    return max(best, key=search.mean), search.records()


_STARTS: dict[str, Any] = {
    "ridge": START_RIDGE,
    "dense_exponents": DENSE_EXPONENTS[0],
    "sparse_exponents": START_EXPONENTS,
    "sharpening": 0.0,
}


def fixed(method: str, given: dict[str, Any]) -> Setting | None:
    """The setting that is given in full, or None."""
    if method == "sparse":
        exponents = given["sparse_exponents"]
        return None if exponents is None else Setting("sparse", exponents, sharpening=given["sharpening"] or 0.0)
    if given["ridge"] is None or given["dense_exponents"] is None:
        return None
    return Setting("dense", given["dense_exponents"], given["ridge"])


def _best_sparse(search: Search, given: dict[str, Any]) -> Setting:
    result = fixed("sparse", given)
    if result is None:
        into, by_row, out = START_EXPONENTS
        into = search.climb(INTO, into, lambda value: Setting("sparse", (value, by_row, out)))
        out = search.climb(OUT, out, lambda value: Setting("sparse", (into, by_row, value)))
        by_row = search.climb(BY_ROW, by_row, lambda value: Setting("sparse", (into, value, out)))
        plain = Setting("sparse", (into, by_row, out), sharpening=given["sharpening"] or 0.0)
        result = plain if given["sharpening"] is not None else sharper(search, plain)
    search.mean(result)
    return result


def sharper(search: Search, start: Setting) -> Setting:
    """With the best sharpening, where it leads ``start`` by more than one standard error."""
    strength = search.climb(SHARPENING, start.sharpening, lambda value: replace(start, sharpening=value))
    tried = [start, replace(start, sharpening=strength)]
    for setting in tried:
        search.mean(setting)
    return held_out_choice.first_near_the_best(search.scores, tried)


def _best_dense(search: Search, given: dict[str, Any]) -> Setting:
    families = DENSE_EXPONENTS if given["dense_exponents"] is None else (given["dense_exponents"],)
    ridge, tried = START_RIDGE, []
    for family in families:
        if given["ridge"] is None:
            ridge = search.climb(RIDGES, ridge, lambda value, family=family: Setting("dense", family, value))  # type: ignore[misc]
        else:
            ridge = given["ridge"]
        tried.append(Setting("dense", family, ridge))
    return max(tried, key=search.mean)


def row_scores(positives: Csr, weights: Weights, average: Array, start: int, stop: int) -> NDArray[np.float32]:
    """x W for the rows start..stop-1, and the average row's scores for rows without positives."""
    scores = sharpening.scores(positives, weights, start, stop)
    silent = np.flatnonzero(np.diff(positives.indptr[start : stop + 1]) == 0)
    scores[silent] = average
    return scores


def average_scores(positives: Csr, weights: Weights) -> NDArray[np.float32]:
    """The mean of x W over all rows."""
    n, m = positives.shape
    sums = np.bincount(positives.indices, positives.data, minlength=m).astype(np.float32) / np.float32(n)
    mean = as_csr(sums[None], "mean", allow_empty=True)
    average: NDArray[np.float32] = sharpening.scores(mean, weights, 0, 1)[0]
    return average
