"""Vectors of words that are added after training.

A new word x has one row of counts. With Q fixed, J is quadratic in p_x alone and is solved exactly; with P fixed, the
same holds for q_x and its column of counts. All other vectors stay.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.features.ppmi import PairPositives, totals
from tacit.objective.recipes import Recipe
from tacit.objective.weights import FrequencyWeight
from tacit.solvers import als
from tacit.threads import single_threaded_blas

Array = NDArray[Any]


@dataclass(frozen=True)
class NewWords:
    """Words to fold in.

    ids : the known words followed by the new ones
    frequencies : (n,) how often the new ones occur
    rows : (n, v) their counts as words, over known contexts
    cols : (n, v) their counts as contexts, over known words
    """

    ids: Ids
    frequencies: Array
    rows: sp.csr_array
    cols: sp.csr_array


class Trained(NamedTuple):
    """What training left: factors (v, g), totals (v,), weights of the contexts (v,) and the rule that gave them."""

    word_factors: Array
    context_factors: Array
    word_totals: Array
    context_totals: Array
    context_weights: Array
    rule: FrequencyWeight


def counted_contexts(ids: Ids, frequencies: Array, pairs: sp.csr_array, known: int) -> NewWords:
    """New words from the counts of a text in which they stand beside known ones."""
    rows = as_csr(pairs[known:, :known], "text", allow_empty=True)
    cols = as_csr(pairs[:known, known:].T, "text", allow_empty=True)
    return NewWords(ids, frequencies[known:], rows, cols)


def given_contexts(
    contexts: Mapping[Hashable, Mapping[Hashable, float]], words: Ids, weights: Array, side: str
) -> NewWords:
    """New words from counts that the caller states; they serve for the words and, mirrored, as contexts."""
    old = next((word for word in contexts if word in words), None)
    if old is not None:
        raise InputError(f"text: {old!r} is known already; fold_in adds new words only.")
    for counts in contexts.values():
        if not isinstance(counts, Mapping):
            raise InputError(f"text: a new word must have counts of known words, not {checks.shown(counts)}.")
    cells = [(row, *item) for row, counts in enumerate(contexts.values()) for item in counts.items()]
    if not cells:
        raise InputError("text: the new words have no contexts; give counts of known words beside them.")
    rows, names, values = zip(*cells)
    known_counts = [checks.number("text", value) for value in values]
    stated = sp.coo_array(
        (np.array(known_counts, np.float32), (rows, words.require(names))), (len(contexts), len(words))
    )
    counts = as_csr(stated, "text", minimum=0)
    # An occurrence adds the weight of one window to the counts, on one side or on both.
    window = weights.sum() * (2 if side == "both" else 1)
    return NewWords(words.extended(contexts), totals(counts)[0] / window, counts, counts)


def solve_new(
    new: NewWords, positives: PairPositives, recipe: Recipe, trained: Trained, threads: int
) -> tuple[Array, Array, Array]:
    """The new words' factors as words and as contexts, (n, g) each, and their weights as contexts, (n,)."""
    known = len(trained.context_weights)
    new_words, beside_words = totals(new.rows)
    new_contexts, beside_contexts = totals(new.cols)
    # A known word that had no neighbour in training has those that stand beside it here, or PMI would be infinite.
    known_words = np.where(trained.word_totals > 0, trained.word_totals, beside_contexts)
    known_contexts = np.where(trained.context_totals > 0, trained.context_totals, beside_words)
    word_logs, shares = positives.logs(known_words, known_contexts)
    # The new totals join those of the text, which moves the shares of known contexts by next to nothing.
    new_word_logs, all_shares = positives.logs(new_words, np.concatenate((known_contexts, new_contexts)))
    as_words, weights = positives.of(new.rows, new_word_logs, shares, threads)
    as_contexts, context_weights = positives.of(new.cols, all_shares[known:], word_logs, threads)
    sides = (
        recipe.side_of_new(as_words, trained.context_weights, "rows", weights, as_words.data),
        recipe.side_of_new(as_contexts, np.ones(known), "cols", context_weights, as_contexts.data),
    )
    factors = []
    with single_threaded_blas():
        for side, other in zip(sides, (trained.context_factors, trained.word_factors)):
            own = np.zeros((side.rows, other.shape[1]), np.float32)
            als.solve_exactly(side, own, np.array(other), threads)
            factors.append(own)
    return factors[0], factors[1], recipe.cols.weights(np.diff(as_contexts.indptr))
