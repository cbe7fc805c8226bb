"""GloVe: the baseline that fits only the pairs that occur (Pennington, Socher and Manning, 2014).

    J = Σ_{x_ij > 0} f(x_ij) (⟨w_i, w̃_j⟩ + b_i + b̃_j − log x_ij)²

Stochastic gradient with Adagrad over shuffled cells. Words and contexts are dealt into ``BLOCKS`` groups each; cells of
group (i, i + s) for all i share no vector, so that they run side by side, for s = 0, 1, … in turn. The order of steps
therefore does not depend on the number of threads.
"""

from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.errors import DivergedError, InputError
from tacit.estimators.model import Callback
from tacit.estimators.words.vector_space import VectorSpace
from tacit.features import text as texts
from tacit.features.cooccurrence import count_pairs
from tacit.features.ppmi import glove_weights
from tacit.kernels.glove import glove_pass
from tacit.progress import Run

Array = NDArray[Any]
BLOCKS = 8


@dataclass(eq=False, repr=False)
class GloVe(VectorSpace):
    """Word vectors by GloVe; a vector is w + w̃.

    Parameters
    ----------
    factors, window, min_count, max_words, tokenizer, sentences : as in ``WordVectors``
    weight_ceiling, weight_exponent : of f
    learning_rate : of Adagrad
    iterations : passes over the pairs
    random_state, threads, progress, callback : as everywhere

    >>> lines = ["bread and cheese and soup", "iron and zinc and copper", "soup and bread", "copper and iron"] * 10
    >>> GloVe(factors=4, window=4, progress=False).fit(lines).vectors.shape
    (7, 4)
    """

    factors: int = 200
    _: KW_ONLY
    window: int = 8
    min_count: int = 5
    max_words: int | None = None
    tokenizer: texts.Tokenizer = "split"
    sentences: texts.Sentences = "lines"
    weight_ceiling: float = 100.0
    weight_exponent: float = 0.75
    learning_rate: float = 0.05
    iterations: int = 15
    random_state: int | None = 0
    threads: int = 0
    progress: bool | None = None
    callback: Callback | None = None

    def fit(self, text: texts.Source, y: None = None) -> Self:
        """Learn from a text, as ``WordVectors.fit`` takes it."""
        raw = texts.read(text, tokenizer=self.tokenizer, sentences=self.sentences)
        corpus = raw.most_frequent(self.min_count, self.max_words)
        counts = count_pairs(corpus.tokens, len(corpus.ids), window=self.window, threads=self.threads)
        if counts.nnz == 0:
            raise InputError("text: no two words stand together; give more text or a lower min_count.")
        rng = np.random.default_rng(self.random_state)
        cells, borders = self._dealt(counts, rng)
        shape = (len(corpus.ids), self.factors + 1)
        # As in the authors' program: start within ±½ / d, squared gradients at one.
        factors = [(rng.random(shape, dtype=np.float32) - np.float32(0.5)) / np.float32(shape[1]) for _ in range(2)]
        squares = [np.ones(shape, np.float32) for _ in range(2)]
        with Run("GloVe", self.iterations, progress=self.progress, callback=self.callback) as run:
            for iteration in run.iterations():
                value = self._sweep(cells, borders, factors, squares)
                if not np.isfinite(value):
                    raise DivergedError(f"iteration {iteration + 1}: the loss is not finite; lower learning_rate.")
                run.report(objective=value)
        self.words_ = corpus.ids
        self.word_factors_, self.context_factors_ = (np.ascontiguousarray(part[:, :-1]) for part in factors)
        self.vectors_ = self.word_factors_ + self.context_factors_
        self.history_ = run.history
        return self

    @property
    def vectors(self) -> NDArray[np.float32]:
        self._require_fitted("vectors")
        return self.vectors_

    def _dealt(self, counts: sp.csr_array, rng: np.random.Generator) -> tuple[tuple[Array, ...], Array]:
        """Rows, columns, logs and weights of the cells, shuffled within groups; borders of group (i, i + s)."""
        rows = np.repeat(np.arange(counts.shape[0], dtype=np.int32), np.diff(counts.indptr))
        cols = counts.indices
        # Words come most frequent first: dealing them out in turn makes groups of about equal work.
        row_group = rows % BLOCKS
        group = ((cols - row_group) % BLOCKS * BLOCKS + row_group).astype(np.int8)
        shuffled = rng.permutation(counts.nnz)
        order = shuffled[np.argsort(group[shuffled], kind="stable")]
        borders = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=BLOCKS * BLOCKS))))
        weights = glove_weights(counts.data, self.weight_ceiling, self.weight_exponent)
        return (rows[order], cols[order], np.log(counts.data)[order], weights[order]), borders

    def _sweep(self, cells: Any, borders: Array, factors: list[Array], squares: list[Array]) -> float:
        given = (*cells, *factors, *squares, np.float32(self.learning_rate))
        total = 0.0
        for shift in range(BLOCKS):
            index = borders[BLOCKS * shift : BLOCKS * (shift + 1) + 1].tolist()
            parts = pool.run(lambda start, stop: glove_pass(start, stop, *given), list(pairwise(index)), self.threads)
            total += sum(parts)
        return total
