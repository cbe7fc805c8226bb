"""WordVectors: word embedding from every cell of the co-occurrence matrix.

    J = Σ_{PPMI > 0} c (PPMI − ⟨p_x, q_y⟩)² + Σ_{all other pairs} b_y (t − ⟨p_x, q_y⟩)² + λ (‖P‖² + ‖Q‖²)

Skip-gram draws a few of the unlabelled pairs; here all of them count, through the Gram caches of
``objective.whole_data``. A vector is p + q by default (word and context), or either alone.
"""

import os
from collections.abc import Hashable, Mapping
from dataclasses import asdict
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit import threads as pool
from tacit.data.ids import Ids
from tacit.data.word2vec_format import read_word2vec
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.concurrency import learns
from tacit.estimators.model import Callback
from tacit.estimators.training import RunSettings
from tacit.estimators.words import word_fit
from tacit.estimators.words.tables import SCHEMA
from tacit.estimators.words.vector_space import VectorSpace
from tacit.estimators.words.word_folding import Trained, counted_contexts, given_contexts, solve_new
from tacit.features import text as texts
from tacit.features.cooccurrence import Weighting, WindowSide, add_counts, count_pairs, distance_weights
from tacit.features.corpus import Corpus
from tacit.features.ppmi import PairPositives, totals
from tacit.objective.recipes import word_recipe
from tacit.objective.weights import FrequencyWeight
from tacit.progress import without_clock
from tacit.solvers import registry

Array = NDArray[Any]


class WordVectors(VectorSpace):
    """Vectors of words, or of whatever comes in sequences: tracks in sessions, items in baskets.

    Parameters
    ----------
    factors : dimension of the vectors
    window : neighbours up to this distance count
    weighting : a neighbour's weight by distance: "inverse" 1/d, "linear", or "flat"
    side : neighbours on "both" sides, or only to the "left" or "right"
    min_count : words that occur less often are dropped; None is 5 in text, and 1 where no token is text, such as the
        numbers of items: rare items are kept. Ids that are strings count as text, so give them 1
    max_words : at most so many are kept, the most frequent ones
    tokenizer : "split" (as is), "words" (lower-case runs of letters and digits) or a function of one line
    sentences : a sentence ends with the line ("lines") or with the file ("files")
    shift : k of shifted PPMI; 1 is plain PPMI
    context_smoothing : power of the contexts' totals in PMI; below 1 it lowers the PMI of rare contexts
    weight_ceiling, weight_exponent : a positive weighs min(1, (count / ceiling)^exponent)
    unlabelled_total : α₀, the weight of all unlabelled pairs of one word together
    unlabelled_weight : the same as a mean per pair, α₀ = unlabelled_weight · (number of words). With neither, α₀ is
        350, or less where the vocabulary is small (``tacit.objective.recipes`` says how)
    frequency_exponent : ρ; unlabelled pairs weigh by the context's frequency to this power
    unlabelled_target : t, the score that unlabelled pairs are drawn to
    regularization : λ
    solver : "als" (alternating least squares, by far the fastest), "adagrad" (the paper's fBGD), "newton",
        "newton_linesearch", "linesearch" or "gradient"
    learning_rate : of "adagrad" (0.05 by default) and "gradient"
    iterations, tolerance : sweeps at most (by default 8, or 75 of those that step along the gradient); they end when
        a sweep lowers J by less than this share of it
    output : "sum" of word and context vectors, "word" or "context"
    keep_counts : keep the counts in memory and in the file, so that ``partial_fit`` can continue with more text
    memory : gigabytes that counting may hold before it goes to disk
    random_state, threads, progress, callback : as everywhere
    checkpoint : file that keeps the sweeps done so far; a fit of the same text and parameters goes on from it

    Attributes
    ----------
    words_ : the words as ids, most frequent first
    word_counts_ : (v,) how often each occurred
    word_factors_, context_factors_ : P and Q, (v, factors)
    context_weights_ : (v,) b_y, the weight of an unlabelled pair with each context; they sum to α₀
    history_ : one record per sweep
    counts_ : the co-occurrence counts, where they are kept

    >>> lines = ["bread and cheese and soup", "iron and zinc and copper", "soup and bread", "copper and iron"] * 10
    >>> model = WordVectors(factors=4, window=4, progress=False).fit(lines)
    >>> model.vectors.shape
    (7, 4)
    >>> model.doesnt_match(["bread", "soup", "iron"])
    'iron'
    """

    word_factors_: Array
    context_factors_: Array
    word_counts_: Array
    word_totals_: Array
    context_totals_: Array
    context_weights_: Array

    _schema = SCHEMA

    def __init__(
        self,
        factors: int = 200,
        *,
        window: int = 8,
        weighting: Weighting = "inverse",
        side: WindowSide = "both",
        min_count: int | None = None,
        max_words: int | None = None,
        tokenizer: texts.Tokenizer = "split",
        sentences: texts.Sentences = "lines",
        shift: float = 1.0,
        context_smoothing: float = 1.0,
        weight_ceiling: float = 100.0,
        weight_exponent: float = 0.75,
        unlabelled_total: float | None = None,
        unlabelled_weight: float | None = None,
        frequency_exponent: float = 0.75,
        unlabelled_target: float = -0.5,
        regularization: float = 0.1,
        solver: str = "als",
        learning_rate: float | None = None,
        iterations: int | None = None,
        tolerance: float = 0.0,
        output: Literal["sum", "word", "context"] = "sum",
        keep_counts: bool = False,
        memory: float = 4.0,
        random_state: int | None = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.factors = factors
        self.window = window
        self.weighting = weighting
        self.side = side
        self.min_count = min_count
        self.max_words = max_words
        self.tokenizer = tokenizer
        self.sentences = sentences
        self.shift = shift
        self.context_smoothing = context_smoothing
        self.weight_ceiling = weight_ceiling
        self.weight_exponent = weight_exponent
        self.unlabelled_total = unlabelled_total
        self.unlabelled_weight = unlabelled_weight
        self.frequency_exponent = frequency_exponent
        self.unlabelled_target = unlabelled_target
        self.regularization = regularization
        self.solver = solver
        self.learning_rate = learning_rate
        self.iterations = iterations
        self.tolerance = tolerance
        self.output = output
        self.keep_counts = keep_counts
        self.memory = memory
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback
        self.checkpoint = checkpoint

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(self, text: texts.Source, y: None = None) -> Self:
        """Learn from a text.

        text : a path, pattern or folder; an iterable of paths; of strings, each a sentence; or of token sequences
        """
        settings = self.settings()
        raw = texts.read(text, tokenizer=self.tokenizer, sentences=self.sentences)
        needs.require_used(self, came_as=raw.came_as)
        least = raw.least_count(self.min_count)
        corpus = raw.most_frequent(least, self.max_words)
        del raw
        word_fit.require_two(corpus.ids, least)
        ids, frequencies, pairs = corpus.ids, corpus.counts, self._count(corpus)
        # The text is not needed any more, and training takes what it held.
        del corpus
        self._learn(settings, ids, frequencies, pairs, None)
        return self

    def partial_fit(self, text: texts.Source, y: None = None) -> Self:
        """Continue with more text: its counts join the old ones, new words join the vocabulary, sweeps start warm.

        A new word joins when it occurs ``min_count`` times in this text. Needs ``keep_counts=True``.
        """
        if not self.keep_counts:
            raise InputError("keep_counts must be True to continue with more text; set it before the first fit.")
        if not self.__sklearn_is_fitted__():
            return self.fit(text)
        if not hasattr(self, "counts_"):
            raise InputError("this model was fitted without keep_counts=True and cannot continue; fit it anew.")
        settings = self.settings()
        raw = texts.read(text, tokenizer=self.tokenizer, sentences=self.sentences)
        corpus = raw.known_to(self.words_, raw.least_count(self.min_count))
        pairs = add_counts(self.counts_, self._count(corpus), memory=self.memory, threads=self.threads)
        frequencies = corpus.counts
        frequencies[: len(self.word_counts_)] += self.word_counts_
        ids = corpus.ids
        del raw, corpus
        self._learn(settings, ids, frequencies, pairs, (self.word_factors_, self.context_factors_))
        return self

    @learns
    def fold_in(self, text: texts.Source | Mapping[Hashable, Mapping[Hashable, float]], min_count: int = 1) -> Array:
        """Give new words vectors from their contexts; nothing that was learned changes.

        text : text in which the new words occur, as for ``fit``; or {new word: {known word: count}}, counts weighted
            by distance as in training
        min_count : new words of the text that occur less often are ignored

        Returns the vectors (n, g) of the words that were added, which are the last n of ``words``. Each new factor is
        the minimiser of J with the other side fixed: what a word of the training text had when the sweeps had
        converged. To learn from the text as well, so that known words move, use ``partial_fit``.
        """
        self._require_fitted("fold_in")
        self.settings()
        checks.integer("min_count", min_count, 1)
        if not hasattr(self, "context_factors_"):
            raise InputError("these vectors come from a file without contexts; fit a model to fold words in.")
        if isinstance(text, Mapping):
            new = given_contexts(text, self.words_, distance_weights(self.window, self.weighting), self.side)
        else:
            raw = texts.read(text, tokenizer=self.tokenizer, sentences=self.sentences)
            corpus = raw.known_to(self.words_, min_count)
            new = counted_contexts(corpus.ids, corpus.counts, self._count(corpus), len(self.words_))
        if len(new.frequencies):
            trained = Trained(
                self.word_factors_,
                self.context_factors_,
                self.word_totals_,
                self.context_totals_,
                self.context_weights_,
                self.weight_rule_,
            )
            recipe = word_recipe(self.weight_rule_, self.unlabelled_target, self.regularization)
            words, contexts, weights = solve_new(new, self._positives(), recipe, trained, self.threads)
            self.word_counts_ = np.concatenate((self.word_counts_, np.rint(new.frequencies).astype(np.int64)))
            self.word_totals_ = np.concatenate((self.word_totals_, totals(new.rows)[0]))
            self.context_totals_ = np.concatenate((self.context_totals_, totals(new.cols)[0]))
            self.context_weights_ = np.concatenate((self.context_weights_, weights.astype(np.float32)))
            self.word_factors_ = np.concatenate((self.word_factors_, words))
            self.context_factors_ = np.concatenate((self.context_factors_, contexts))
            self.words_ = new.ids
        return self.vectors[len(self.words_) - len(new.frequencies) :]

    def settings(self) -> word_fit.WordSettings:
        """The parameters of training, or one sentence on the first that cannot be used."""
        if self.min_count is not None:
            checks.integer("min_count", self.min_count, 1)
        if self.max_words is not None:
            checks.integer("max_words", self.max_words, 2)
        if self.learning_rate is not None:
            checks.number("learning_rate", self.learning_rate, above=0.0)
        registry.require_used(self.solver, registry.Options(learning_rate=self.learning_rate))
        checks.truth("keep_counts", self.keep_counts)
        checks.choice("output", self.output, ("sum", "word", "context"))
        pool.resolve(self.threads)
        distance_weights(self.window, self.weighting)
        weights = word_fit.WordWeights(
            self.unlabelled_total,
            self.unlabelled_weight,
            self.unlabelled_target,
            self.frequency_exponent,
            self.regularization,
        )
        weights.check()
        tolerance = checks.number("tolerance", self.tolerance, 0.0)
        sweeps = word_fit.sweeps(self.solver, self.iterations)
        return word_fit.WordSettings(
            checks.integer("factors", self.factors, 1, checks.MOST_FACTORS),
            self._positives(),
            weights,
            checks.choice("solver", self.solver, registry.NAMES),
            self.learning_rate,
            checks.seed(self.random_state),
            RunSettings(sweeps, tolerance, self.threads, self.progress, self.callback, self.checkpoint),
        )

    def _positives(self) -> PairPositives:
        return PairPositives(self.shift, self.context_smoothing, self.weight_ceiling, self.weight_exponent)

    def _count(self, corpus: Corpus) -> sp.csr_array:
        return count_pairs(
            corpus.tokens,
            len(corpus.ids),
            window=self.window,
            weighting=self.weighting,
            side=self.side,
            memory=self.memory,
            threads=self.threads,
            progress=self.progress,
        )

    def _learn(
        self,
        settings: word_fit.WordSettings,
        ids: Ids,
        frequencies: Array,
        pairs: sp.csr_array,
        warm: tuple[Array, Array] | None,
    ) -> None:
        given = word_fit.positives(settings, pairs, consume=not self.keep_counts)
        kept = pairs if self.keep_counts else None
        trained, history = word_fit.fit(settings, given, warm)
        self.adopt(ids, frequencies, trained, history)
        if kept is not None:
            self.counts_ = kept

    @learns
    def adopt(self, ids: Ids, frequencies: Array, trained: Trained, history: list[dict[str, Any]]) -> Self:
        """Become the model of a fit that ran elsewhere, such as on a cluster."""
        self.history_ = history
        self.words_, self.word_counts_ = ids, frequencies
        self.word_totals_, self.context_totals_ = trained.word_totals, trained.context_totals
        self.word_factors_, self.context_factors_ = trained.word_factors, trained.context_factors
        self.context_weights_, self.weight_rule_ = trained.context_weights, trained.rule
        self.__dict__.pop("counts_", None)
        return self

    # -- vectors and files -------------------------------------------------------------------------------------

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(v, factors): P + Q, P or Q, as ``output`` says."""
        self._require_fitted("vectors")
        if self.output != "sum":
            chosen: NDArray[np.float32] = self.word_factors_ if self.output == "word" else self.context_factors_
            return chosen
        words, contexts = self.word_factors_, self.context_factors_
        return self._derived.of("sum", (words, contexts), lambda: words + contexts)

    @classmethod
    def from_word2vec(cls, path: str | os.PathLike[str], binary: bool | None = None) -> Self:
        """Vectors of a word2vec or GloVe file, from whatever program; ``binary=None`` finds out the format.

        Such a model answers questions, but has no counts or contexts to learn or fold in with.
        """
        words, vectors = read_word2vec(path, binary)
        model = cls(factors=vectors.shape[1], output="word")
        model.words_ = Ids(words, "words")
        model.word_factors_ = vectors
        model.history_ = []
        return model

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        parts = {part.name: getattr(self, f"{part.name}_", None) for part in self._schema.parts}
        rule = asdict(self.weight_rule_) if hasattr(self, "weight_rule_") else None
        return {"history": without_clock(self.history_), "weight_rule": rule}, parts

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self.history_ = facts["history"]
        for name, part in parts.items():
            if part is not None:
                setattr(self, f"{name}_", part)
        if facts["weight_rule"] is not None:
            self.weight_rule_ = FrequencyWeight(**facts["weight_rule"])
