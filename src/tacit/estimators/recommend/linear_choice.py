"""Choose the weights of a ``LinearRecommender``: dense, sparse or local, ridge, exponents and sharpening.

Held-out positives decide (``held_out_choice``).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.matrix import Csr
from tacit.estimators.recommend import held_out_choice
from tacit.estimators.recommend.held_out_choice import Budget, Part
from tacit.estimators.recommend.linear_setting import Products, Setting, spoken_for
from tacit.solvers import sharpening
from tacit.solvers.popular_row import votes

RIDGES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
DENSE_EXPONENTS = ((0.0, 0.0), (0.5, 0.5))
"""(row, ridge): EASE as published, and rows and ridge by the roots of their counts."""
LOCAL_EXPONENTS = (0.5, 0.5)
EXPONENTS = (0.25, 0.5, 0.75, 1.0), (0.0, 0.5, 1.0), (-0.25, 0.0, 0.125, 0.25, 0.5)
"""(in, row, out)."""
SHARPENING = (0.0, 0.25, 0.5, 0.75)
START_RIDGE, START_EXPONENTS = 3.0, (0.75, 1.0, 0.25)
LEAST_LEAD = 0.5
"""Standard errors by which sparse weights must lead for dense ones not to be taken."""
CHEAPEST_FIRST = (0, 2, 1)
"""Places of the exponents, in the order in which they are tried: another ``in`` needs no new co-occurrence."""

Beside = Callable[[int, int, int, Iterator[NDArray[np.float32]]], Iterator[NDArray[np.float32]]]
"""From the number of a split, a block's first and last row, and the candidates' scores of it, to what is ranked."""


@dataclass
class Search:
    """Settings that were tried on splits, with the NDCG@10 of every row.

    beside : puts the scores of a setting beside those of others; None ranks them alone
    share : the part of the budget that may pass before no more is tried
    products : what the settings of a split share, by the number of the split
    """

    parts: list[Part]
    keep: int
    threads: int
    budget: Budget
    beside: Beside | None = None
    share: float = 0.5
    products: dict[int, Products] = field(default_factory=dict)
    scores: dict[Setting, NDArray[np.float64]] = field(default_factory=dict)

    def mean(self, setting: Setting) -> float:
        self.look([setting])
        return float(self.scores[setting].mean())

    def look(self, settings: Sequence[Setting]) -> None:
        """Try settings that differ in their sharpening alone."""
        new = [setting for setting in settings if setting not in self.scores]
        if new:
            result = [self._of(number, new) for number in range(len(self.parts))]
            self.scores |= {setting: np.concatenate(rows) for setting, rows in zip(new, zip(*result))}

    def _of(self, number: int, settings: list[Setting]) -> list[NDArray[np.float64]]:
        part, strengths = self.parts[number], [setting.sharpening for setting in settings]
        # Weights of full strength give the scores of all the others.
        full = replace(settings[0], sharpening=1.0 if any(strengths) else 0.0)
        weights = full.weights(part.train, self.keep, self.threads, self.products.setdefault(number, Products()))
        popular = votes(part.train)

        def score_rows(start: int, stop: int) -> Iterator[NDArray[np.float32]]:
            blocks = sharpening.scores_at(part.seen, weights, strengths, start, stop)
            ours = (spoken_for(part.seen, block, popular, start, stop) for block in blocks)
            return ours if self.beside is None else self.beside(number, start, stop, ours)

        return part.ndcg_of_each(score_rows, self.threads)

    def climb(self, values: Sequence[Any], start: Any, make: Callable[[Any], Setting]) -> Any:
        """From ``start`` along the ascending ``values`` as long as it gets better and there is time."""
        return held_out_choice.climbed(
            values, start, lambda value: self.mean(make(value)), lambda: self.budget.over(self.share)
        )

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


@dataclass(frozen=True)
class Choice:
    """A setting, what was tried, and the products of the splits that it took.

    smallest : of all stored values, which values are taken relative to, in a split too
    seed : of the splits
    """

    setting: Setting
    smallest: float
    tried: list[dict[str, Any]] = field(default_factory=list)
    products: dict[int, Products] = field(default_factory=dict)
    seed: int | None = None

    def products_of(self, seed: int) -> dict[int, Products]:
        """Those of the splits by this seed."""
        return self.products if seed == self.seed else {}


def choose(
    positives: Csr,
    smallest: float,
    methods: Sequence[str],
    given: dict[str, Any],
    keep: int,
    seed: int,
    threads: int,
    budget: Budget,
) -> Choice:
    """The setting for these positives, whose values were taken relative to ``smallest``.

    ``methods`` are those that may win. ``given`` may fix the ``ridge``, ``dense_exponents``, ``sparse_exponents`` and
    ``sharpening``; what is None is chosen.
    """
    settings = [fixed(method, given) for method in methods]
    if len(settings) == 1 and settings[0] is not None:
        return Choice(settings[0], smallest)
    parts = held_out_choice.split(positives, seed)
    if not any(len(part.rows) for part in parts):
        local = {"dense_exponents": LOCAL_EXPONENTS} if methods[0] == "local" else {}
        start = fixed(methods[0], _STARTS | local | {name: value for name, value in given.items() if value is not None})
        return Choice(start, smallest)  # type: ignore[arg-type]
    search = Search(parts, keep, threads, budget)
    ways = {"sparse": _best_sparse, "dense": _best_dense, "local": _best_local}
    best = [ways[method](search, given) for method in methods]
    dense_first = sorted(best, key=lambda setting: setting.method)
    for setting in dense_first:
        search.look([setting])
    found = held_out_choice.first_near_the_best(search.scores, dense_first, errors=LEAST_LEAD)
    return Choice(found, smallest, search.records(), search.products, seed)


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
    exponents = given["dense_exponents"] or (LOCAL_EXPONENTS if method == "local" else None)
    if given["ridge"] is None or exponents is None:
        return None
    return Setting(method, exponents, given["ridge"])


def _best_sparse(search: Search, given: dict[str, Any]) -> Setting:
    """One exponent after the other, and then the sharpening."""
    result = fixed("sparse", given)
    if result is not None:
        search.mean(result)
        return result
    result = Setting("sparse", START_EXPONENTS, sharpening=given["sharpening"] or 0.0)
    for index in CHEAPEST_FIRST:
        result = _climbed(search, result, index)
    search.mean(result)
    return result if given["sharpening"] is not None else sharper(search, result)


def _climbed(search: Search, result: Setting, index: int) -> Setting:
    """With a better exponent at one index."""

    def at(value: float) -> Setting:
        return replace(result, exponents=(*result.exponents[:index], value, *result.exponents[index + 1 :]))

    return at(search.climb(EXPONENTS[index], result.exponents[index], at))


def sharper(search: Search, start: Setting) -> Setting:
    """With the least sharpening within one standard error of the best; ``start`` where there is no time left."""
    if search.budget.over(search.share):
        return start
    tried = [replace(start, sharpening=strength) for strength in SHARPENING]
    search.look(tried)
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


def _best_local(search: Search, given: dict[str, Any]) -> Setting:
    exponents = given["dense_exponents"] or LOCAL_EXPONENTS
    return Setting(
        "local", exponents, search.climb(RIDGES, START_RIDGE, lambda ridge: Setting("local", exponents, ridge))
    )
