"""Evaluate taggers on new rows: match labels by name, compute the metrics, and add baselines without features."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.data.label_sets import read_labels
from tacit.metrics import labels as measures

Array = NDArray[Any]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Labelled:
    """True labels of the tested rows, under the numbers of the labels that a model knows and, behind them, of others.

    frequency : (L,) training rows of each label; 0 for those that the model has never seen
    rows : how many training rows there were
    unknown : how many of the true labels the model has never seen; they can only be missed
    """

    truth: sp.csr_array
    names: Ids
    frequency: NDArray[np.int64]
    rows: int
    unknown: int

    @classmethod
    def of(cls, labels: Sequence[Sequence[Hashable]], classes: Any, frequency: Array, rows: int) -> Self:
        """From the labels of each tested row, and what the model knows.

        >>> Labelled.of([["a"], ["c"]], ["a", "b"], np.array([5, 3]), 8).unknown
        1
        """
        known = Ids(list(classes), "labels")
        truth, names, _ = read_labels(list(labels), rows=len(labels), known=known)
        counts = np.concatenate((frequency, np.zeros(len(names) - len(known), dtype=np.int64)))
        return cls(truth, names, counts, rows, int(np.count_nonzero(truth.indices >= len(known))))

    def lists(self, ranked: Array) -> Numbers:
        """Labels by name, best first, as numbers; empty places are -1."""
        return np.reshape(self.names.numbers(np.asarray(ranked).ravel()), np.shape(ranked)).astype(np.int64)

    def most_frequent(self, k: int) -> Numbers:
        """The k most frequent labels, for everybody."""
        return np.tile(np.argsort(-self.frequency, kind="stable")[:k], (self.truth.shape[0], 1))

    def random(self, k: int, seed: int = 0) -> Numbers:
        """k different labels at random for each row."""
        rng = np.random.default_rng(seed)
        return np.stack([rng.choice(len(self.names), k, replace=False) for _ in range(self.truth.shape[0])])


def evaluate_labels(lists: Numbers, against: Labelled, cutoffs: Sequence[int]) -> dict[str, float]:
    """Precision, recall, nDCG and propensity-scored precision at every cut-off.

    >>> truth = Labelled.of([["a"], ["b"]], ["a", "b"], np.array([5, 3]), 8)
    >>> means = evaluate_labels(np.array([[0, 1], [0, 1]]), truth, (1, 2))
    >>> means["precision@1"], means["recall@2"]
    (0.5, 1.0)
    """
    inverse = measures.inverse_propensities(against.frequency, max(3, against.rows))
    result: dict[str, float] = {}
    for name, measure in (
        ("precision", measures.precision_at_k),
        ("recall", measures.recall_at_k),
        ("ndcg", measures.ndcg_at_k),
    ):
        result |= {f"{name}@{k}": measure(against.truth, lists, k) for k in cutoffs}
    return result | {f"psp@{k}": measures.psp_at_k(against.truth, lists, k, inverse) for k in cutoffs}
