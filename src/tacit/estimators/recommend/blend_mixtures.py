"""Mixtures of recommenders: the weights that are tried, the scores of a mixture, and the summary of the choice."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr
from tacit.estimators.recommend.asking import AskedRows, RowScorer, ScoreRows
from tacit.estimators.recommend.held_out_choice import AT, Part
from tacit.estimators.recommend.row_shares import ALIKE, RowShares

Array = NDArray[Any]

STEPS = 4
"""Weights are multiples of a quarter that sum to one."""
MOST_BEHIND = 0.005
"""A more even mixture may lag behind the best by so much of its mean, and by one standard error."""
LOCAL = (0.0, 0.25, 0.5)
"""Shares of local weights that are tried beside a mixture, which gets the rest."""
POPULARITY = (0.0, 0.25, 0.5, 1.0, 2.0)
"""Weights of the columns' popularity that are tried beside a mixture, whose own sum to one."""


@dataclass(frozen=True)
class Mixture:
    """The shares w_m of members, and how they change from row to row."""

    shares: tuple[float, ...]
    low_rank: tuple[bool, ...]
    by_row: RowShares = ALIKE

    def scorers(
        self, members: Sequence[RowScorer], rows: AskedRows, leave: int | None = None
    ) -> list[tuple[ScoreRows, Array]]:
        """The scores of the members that have a share, all or without one of them, and what they count in each row."""
        weights = self.of(rows.positives)
        return [
            (member.scorer(rows), weights[:, index])
            for index, (member, share) in enumerate(zip(members, self.shares))
            if share and index != leave
        ]

    def of(self, positives: Csr) -> NDArray[np.float32]:
        """What the members count in each of these rows (n, members)."""
        return self.by_row.of(self.shares, self.low_rank, positives)


def with_another(mixture: Mixture, share: float) -> Mixture:
    """The mixture with one more member, of full rank, that takes this share of the whole.

    >>> with_another(Mixture((0.5, 0.5), (True, False)), 0.5).shares
    (0.25, 0.25, 0.5)
    """
    shares = (*((1.0 - share) * own for own in mixture.shares), share)
    return replace(mixture, shares=shares, low_rank=(*mixture.low_rank, False))


def asked(part: Part) -> AskedRows:
    """The rows of a split."""
    return AskedRows(part.rows, part.seen, part.rows)


def standardised(scores: NDArray[np.float32], weight: float | Array) -> NDArray[np.float32]:
    """w (s − mean) / sd, mean and standard deviation over all columns of a row; overwrites ``scores``.

    ``weight`` is one for all rows, or one each.
    """
    scores -= scores.mean(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
    spread = np.sqrt(np.square(scores).mean(axis=1, keepdims=True))
    wanted = np.asarray(weight, np.float32).reshape(-1, 1)
    scores *= np.divide(wanted, spread, out=np.zeros_like(spread), where=spread > 0)
    return scores


def popularity(positives: Csr | sp.csr_array, weight: float) -> NDArray[np.float32]:
    """w (n − mean) / sd of the number n of positives of every column.

    >>> popularity(sp.csr_array([[1.0, 1.0], [0.0, 1.0]]), 0.5)
    array([-0.5,  0.5], dtype=float32)
    """
    counts = np.bincount(positives.indices, minlength=positives.shape[1])
    return standardised(counts.astype(np.float32)[None], weight).ravel()


def mixture_of(scorers: list[tuple[ScoreRows, Array]], added: NDArray[np.float32] | None = None) -> ScoreRows:
    """Σ_m w_m (s − mean) / sd of the members m, and what is added to every row."""

    def score_rows(start: int, stop: int) -> NDArray[np.float32]:
        parts = (standardised(scorer(start, stop), weight[start:stop]) for scorer, weight in scorers)
        mixed = np.asarray(sum(parts), np.float32)
        return mixed if added is None else mixed + added

    return score_rows


def ndcg_of_mixtures(
    members: Sequence[RowScorer], tried: Sequence[Mixture], part: Part, threads: int
) -> list[NDArray[np.float64]]:
    """NDCG@10 of every row of a split, for each of the mixtures; every member scores a row once."""
    rows = asked(part)
    scorers = [member.scorer(rows) for member in members]
    weights = [mixture.of(rows.positives) for mixture in tried]

    def score_rows(start: int, stop: int) -> Iterator[NDArray[np.float32]]:
        blocks = [standardised(scorer(start, stop), 1.0) for scorer in scorers]
        for mixture, weight in zip(tried, weights):
            parts = [weight[start:stop, [index]] * blocks[index] for index, share in enumerate(mixture.shares) if share]
            yield np.asarray(sum(parts), np.float32)

    return part.ndcg_of_each(score_rows, threads)


def ndcg_with_popularity(
    members: Sequence[RowScorer], mixture: Mixture, part: Part, threads: int
) -> list[NDArray[np.float64]]:
    """NDCG@10 of every row of a split, for each of the weights in ``POPULARITY`` beside one mixture."""
    mixed, popular = mixture_of(mixture.scorers(members, asked(part))), popularity(part.train, 1.0)

    def score_rows(start: int, stop: int) -> Iterator[NDArray[np.float32]]:
        block = mixed(start, stop)
        for share in POPULARITY:
            yield block + np.float32(share) * popular

    return part.ndcg_of_each(score_rows, threads)


def mixtures(members: int) -> list[tuple[float, ...]]:
    """Weights in steps of a quarter that sum to one, the most even first.

    >>> mixtures(2)
    [(0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.0, 1.0), (1.0, 0.0)]
    """
    shares = itertools.product(range(STEPS + 1), repeat=members)
    mixtures = [tuple(share / STEPS for share in one) for one in shares if sum(one) == STEPS]
    return sorted(mixtures, key=lambda mixture: (max(mixture), mixture))


def account_of(
    rows: dict[tuple[float, ...], Array], chosen: tuple[float, ...], names: list[str], splits: int
) -> dict[str, Any]:
    """What every mixture reached in the rows of so many splits, and one sentence: what was chosen and why."""
    tried = [
        {"weights": list(mixture), "ndcg@10": float(result.mean()), "error": float(result.std() / np.sqrt(len(result)))}
        for mixture, result in rows.items()
    ]
    alone = {names[mixture.index(1.0)]: rows[mixture].mean() for mixture in rows if 1.0 in mixture}
    members = ", ".join(f"{name} {value:.4f}" for name, value in alone.items())
    best = max(rows, key=lambda mixture: float(rows[mixture].mean()))
    used = " + ".join(f"{weight:g} {name}" for name, weight in zip(names, chosen) if weight)
    near = f"one standard error and {MOST_BEHIND:.1%} of the best"
    reason = "the best" if chosen == best else f"the most even within {near}"
    sentence = (
        f"NDCG@{AT} on held-out positives: {members}; chosen: {used} with {rows[chosen].mean():.4f}, {reason} "
        f"({rows[best].mean():.4f}, {len(rows[best]):,} held-out rows in {splits} split{'s' * (splits > 1)})."
    )
    return {"tried": tried, "sentence": sentence}
