"""How good a ranking is, for users with held-out items.

A user's list holds the k best items that are not in the training data; a *hit* is a listed item that was held out.
With h_j ∈ {0, 1} for place j = 1..k and R held-out items:

    precision  Σ h_j / k                              hit_rate  1 if Σ h_j > 0 else 0
    recall     Σ h_j / R                              mrr       1 / (place of the first hit), 0 without one
    ndcg       Σ h_j / log₂(j+1)  ÷  Σ_{j ≤ min(k,R)} 1 / log₂(j+1)
    map        Σ h_j (h_1 + … + h_j) / j  ÷  min(k, R)

and over all lists together

    coverage   distinct items listed / items
    novelty    mean over listed items of −log₂((c + 1) / (n + 1)), c of n training users having the item

Rules. A list shorter than k counts its empty places as misses. Users without held-out items are left out of every
mean and counted in ``Evaluation.left_out``. A held-out cell that is also in the training data cannot be listed and is
not counted. Equal scores are ordered by item number; ``auc`` counts them as one half.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels import evaluation as kernels
from tacit.metrics.intervals import Difference
from tacit.report.notebook import html_table

Array = NDArray[Any]
Hits = NDArray[np.bool_]
Floats = NDArray[np.float64]


def precision(hits: Hits, held_out: Array) -> Floats:
    """Share of the k places that hit, per user.

    >>> precision(np.array([[True, False]]), np.array([3]))
    array([0.5])
    """
    return np.asarray(hits.mean(axis=1))


def recall(hits: Hits, held_out: Array) -> Floats:
    """Share of the held-out items that are listed, per user.

    >>> recall(np.array([[True, False]]), np.array([4]))
    array([0.25])
    """
    return np.asarray(hits.sum(axis=1) / held_out)


def ndcg(hits: Hits, held_out: Array) -> Floats:
    """Discounted gain of the hits, over that of the best list possible; gains are 0 or 1.

    >>> ndcg(np.array([[False, True]]), np.array([1])).round(4)
    array([0.6309])
    """
    discount = 1 / np.log2(np.arange(2, hits.shape[1] + 2))
    ideal = np.cumsum(discount)[np.minimum(held_out, hits.shape[1]) - 1]
    return np.asarray(hits @ discount / ideal)


def mrr(hits: Hits, held_out: Array) -> Floats:
    """Reciprocal place of the first hit, 0 without one, per user.

    >>> mrr(np.array([[False, True], [False, False]]), np.array([1, 1]))
    array([0.5, 0. ])
    """
    return np.asarray(np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 1), 0.0))


def average_precision(hits: Hits, held_out: Array) -> Floats:
    """Mean of the precision at each hit, over the most hits possible, per user (its mean over users is MAP).

    >>> average_precision(np.array([[True, False, True]]), np.array([2])).round(4)
    array([0.8333])
    """
    k = hits.shape[1]
    precisions = np.cumsum(hits, axis=1) / np.arange(1, k + 1)
    return np.asarray((hits * precisions).sum(axis=1) / np.minimum(held_out, k))


def hit_rate(hits: Hits, held_out: Array) -> Floats:
    """1 for a user with at least one hit, else 0.

    >>> hit_rate(np.array([[False, True], [False, False]]), np.array([1, 1]))
    array([1., 0.])
    """
    return np.asarray(hits.any(axis=1), dtype=np.float64)


PER_USER: dict[str, Callable[[Hits, Array], Floats]] = {
    "precision": precision,
    "recall": recall,
    "ndcg": ndcg,
    "mrr": mrr,
    "map": average_precision,
    "hit_rate": hit_rate,
}
METRICS = (*PER_USER, "coverage", "novelty", "auc")


@dataclass(frozen=True)
class Evaluation(Mapping[str, float]):
    """Means by name (``"ndcg@10"``, ``"auc"``), how many users they are over, and how many were left out.

    ``cases`` says what was counted, where these are no users: rows with labels, ratings, questions.

    ``differences`` holds, for every baseline that was evaluated beside the model, the lead of the model in each metric
    of single users, with its interval.

    >>> print(Evaluation({"ndcg@10": 0.25, "auc": 0.9}, users=8, left_out=2))
    ndcg@10  0.2500
    auc      0.9000
    (8 users with held-out items, 2 without were left out)
    """

    values_by_name: dict[str, float]
    users: int
    left_out: int
    differences: dict[str, dict[str, Difference]] = field(default_factory=dict)
    cases: str = "users with held-out items"

    @property
    def counted(self) -> str:
        """Over how many cases the means are, in words."""
        return f"{self.users} {self.cases}" + (f", {self.left_out} without were left out" if self.left_out else "")

    def __getitem__(self, name: str) -> float:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def _repr_html_(self) -> str:
        leads = list(self.differences)
        rows = [
            [name, value, *(str(self.differences[one].get(name, "")) for one in leads)]
            for name, value in self.values_by_name.items()
        ]
        return html_table(["metric", "value", *(f"lead over {one}" for one in leads)], rows, self.counted)

    def __str__(self) -> str:
        width = max(map(len, self.values_by_name), default=0)
        lines = [f"{name:<{width}}  {value:.4f}" for name, value in self.values_by_name.items()]
        for baseline, by_metric in self.differences.items():
            lines += [f"{name:<{width}}  {result} (against {baseline})" for name, result in by_metric.items()]
        return "\n".join([*lines, f"({self.counted})"])


def check_cutoffs(k: int | Sequence[int]) -> tuple[int, ...]:
    """The cut-offs as distinct ascending whole numbers."""
    cutoffs = (k,) if isinstance(k, int | np.integer) else tuple(k)
    if not cutoffs or any(isinstance(c, bool) or not isinstance(c, int | np.integer) or c < 1 for c in cutoffs):
        raise InputError(f"k must be a positive whole number or several of them, not {k!r}.")
    return tuple(sorted({int(cutoff) for cutoff in cutoffs}))


def check_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    unknown = [name for name in metrics if name not in METRICS]
    if unknown or not metrics:
        raise InputError(f"metrics must be among {', '.join(METRICS)}, not {', '.join(map(repr, unknown)) or 'none'}.")
    return metrics


@dataclass
class Tally:
    """Sums over batches of users: what an evaluation holds beside one batch.

    Parameters
    ----------
    cutoffs, metrics : as checked above
    items : how many items there are
    popularity : (items,) training users per item, for ``novelty``
    population : how many training users there are
    """

    cutoffs: tuple[int, ...]
    metrics: tuple[str, ...]
    items: int
    popularity: Array | None = None
    population: int = 0
    users: int = 0
    _sums: dict[str, float] = field(default_factory=dict)
    _listed: dict[int, Hits] = field(default_factory=dict)

    def add(self, numbers: Array, indptr: Array, indices: Array) -> Hits:
        """Count one batch: ``numbers`` (b, max k), and the held-out items of the same users as sorted CSR lists.

        Gives back which places hit.
        """
        hits = np.empty(numbers.shape, dtype=np.bool_)
        kernels.mark_hits(numbers, indptr, indices, hits)
        held_out = np.diff(indptr)
        self.users += len(numbers)
        for k in self.cutoffs:
            for name in self.metrics:
                if name in PER_USER:
                    self._count(f"{name}@{k}", PER_USER[name](hits[:, :k], held_out).sum())
            if "coverage" in self.metrics:
                listed = self._listed.setdefault(k, np.zeros(self.items, dtype=np.bool_))
                listed[numbers[:, :k][numbers[:, :k] >= 0]] = True
            if "novelty" in self.metrics:
                self._count_novelty(numbers[:, :k], k)
        return hits

    def _count(self, name: str, amount: float) -> None:
        self._sums[name] = self._sums.get(name, 0.0) + float(amount)

    def _count_novelty(self, numbers: Array, k: int) -> None:
        if self.popularity is None:
            raise InputError("novelty asks how common an item is in the training data: give train.")
        shown = numbers[numbers >= 0]
        surprise = -np.log2((self.popularity[shown] + 1) / (self.population + 1))
        self._count(f"novelty@{k}", surprise.sum())
        self._count(f"shown@{k}", len(shown))

    def add_auc(self, per_user: Floats) -> None:
        """Count the AUC of one batch; NaN marks a user all of whose candidates are held out."""
        defined = per_user[~np.isnan(per_user)]
        self._count("auc", defined.sum())
        self._count("ranked", len(defined))

    def join(self, later: "Tally") -> None:
        """Add what was counted elsewhere of users that come after these."""
        self.users += later.users
        for name, amount in later._sums.items():
            self._count(name, amount)
        for k, listed in later._listed.items():
            self._listed[k] = self._listed[k] | listed if k in self._listed else listed

    def result(self, left_out: int) -> Evaluation:
        values: dict[str, float] = {}
        for name in self.metrics:
            if name == "auc":
                values[name] = self._mean("auc", self._sums.get("ranked", 0.0))
                continue
            for k in self.cutoffs:
                key = f"{name}@{k}"
                if name == "coverage":
                    values[key] = float(self._listed[k].mean()) if k in self._listed else 0.0
                elif name == "novelty":
                    values[key] = self._mean(key, self._sums.get(f"shown@{k}", 0.0))
                else:
                    values[key] = self._mean(key, self.users)
        return Evaluation(values, self.users, left_out)

    def _mean(self, name: str, count: float) -> float:
        return self._sums[name] / count if count else float("nan")
