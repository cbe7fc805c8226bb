"""Recommend by item-item weights of full rank, in closed form."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr, as_csr
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.concurrency import learns, learns_if
from tacit.estimators.evidence import Evidence
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import linear_choice, linear_features
from tacit.estimators.recommend.asking import UNKNOWN, AskedRows, ScoreRows, Unknown, numbered, one_of
from tacit.estimators.recommend.held_out_choice import Budget
from tacit.estimators.recommend.joining import as_interactions, joined
from tacit.estimators.recommend.linear_choice import Choice
from tacit.estimators.recommend.linear_setting import (
    Products,
    Setting,
    Weights,
    doubtful_rows,
    row_scores,
)
from tacit.estimators.recommend.scored_recommender import ScoredRecommender
from tacit.estimators.recommend.tables import LINEAR
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k_of
from tacit.objective.weights import PositiveWeight, of_positives
from tacit.solvers import popular_row, sharpening
from tacit.solvers.sharpening import Sharpened

Array = NDArray[Any]

METHODS = ("auto", "dense", "sparse", "local")
KEPT, KEPT_OF_MANY, NEIGHBOURS = 300, 240, 50
"""Weights of a column: sparse ones, those above 30,000 columns, and local ones."""
MOST_DENSE_COLUMNS = 30_000
"""A matrix of 3.6 GB."""
AUTO_DENSE_COLUMNS = 5_000
"""Above it an inverse takes longer than the rest of a fit; catalogues that large are thin, and sparse weights lead."""


class LinearRecommender(ScoredRecommender):
    """Scores s_x = x W: what a row has speaks for what it may want, through weights W between columns.

    Dense weights (EASE) minimise the squared error over *all* cells with a zero diagonal, in closed form; sparse ones
    are normalised co-occurrence, one sparse product; local ones the regression of the dense weights, of each column on
    the few that co-occur with it most (``tacit.solvers.linear_weights`` has the formulas). There are no
    factors: nothing limits the rank, nobody new has to be solved for, and a score is a sum over what the row has.

    Parameters
    ----------
    method : ``"dense"`` holds m × m weights, for up to 30,000 columns; ``"sparse"`` the ``keep`` strongest of each;
        ``"local"`` those of ``keep`` neighbours, for any number of columns of which each has many positives; ``"auto"``
        sparse above 5,000 columns, and below what held-out positives prefer
    regularization : mean ridge of dense or local weights, in units of the mean weight of a column's positives; this
        and the exponents are chosen on held-out positives where they are None
    dense_exponents : (row, ridge): rows weigh (their positives)^−row, and a column's ridge grows with (its
        positives)^ridge; (0, 0) is EASE as published, (0.5, 0.5) what local weights have where it is None
    sparse_exponents : (in, row, out): a co-occurrence counts less the more positives the column that speaks, the row,
        and the column that is scored have
    sharpening : δ, the part of their leading directions that sparse weights lose (``tacit.solvers.sharpening``); None
        chooses it with the exponents, where it leads by a standard error, and is 0 where these are given
    keep : K, weights that a column keeps under ``"sparse"`` (where it is None 300, or 240 above 30,000 columns) or has
        under ``"local"`` (50)
    positive_weight : x from the stored values: ``"log"`` (1 + log(value / smallest)), ``"value"`` or ``"one"``
    random_state : seed of the splits that choose what is None
    threads : 0 for all cores; the bits are the same at any number

    Attributes
    ----------
    col_weights_ : W (m, m), row i holds the weights from column i to all others; a NumPy array, a sparse one, or a
        sparse one and the narrow matrices whose product is taken from it (``tacit.solvers.sharpening.Sharpened``)
    method_, regularization_, exponents_, sharpening_ : what was used
    validation_ : what was tried on held-out positives: the setting, its NDCG@10 and the error of it, best first
    row_ids_, col_ids_ : the caller's ids

    >>> import tacit
    >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "tea"]}
    >>> data = tacit.Interactions.from_table(pairs, row="who", col="what")
    >>> model = LinearRecommender(method="sparse", sparse_exponents=(1, 1, 0)).fit(data)
    >>> model.recommend(["cyd"], k=1).ids.tolist()
    [['jam']]
    >>> print(model.why("cyd", "jam"))
    0.3333 is the sum of
      tea  +0.3333
    """

    _schema = LINEAR
    col_weights_: Any
    popular_: Array

    def __init__(
        self,
        method: str = "auto",
        *,
        regularization: float | None = None,
        dense_exponents: tuple[float, float] | None = None,
        sparse_exponents: tuple[float, float, float] | None = None,
        sharpening: float | None = None,
        keep: int | None = None,
        positive_weight: PositiveWeight = "log",
        random_state: Any = 0,
        threads: int = 0,
    ) -> None:
        self.method = method
        self.regularization = regularization
        self.dense_exponents = dense_exponents
        self.sparse_exponents = sparse_exponents
        self.sharpening = sharpening
        self.keep = keep
        self.positive_weight = positive_weight
        self.random_state = random_state
        self.threads = threads

    def fit(self, interactions: Any, y: Any = None, *, col_features: Any = None) -> Self:
        """Learn from ``Interactions``, or from any sparse matrix whose stored cells are the positives.

        ``col_features`` (m, ·) are those of ``interactions`` when None. Columns that nobody has get weights through
        the columns whose features are most like theirs.
        """
        data = as_interactions(interactions).with_sides(col_features=col_features)
        return self.fit_chosen(data, self.choose_setting(data, Budget()))

    def choose_setting(self, data: Interactions, budget: Budget) -> Choice:
        """The method, exponents and ridge for these positives: those given, the others by held-out pairs."""
        given = self._checked(data.shape[1])
        smallest = float(data.matrix.data.min())
        values = _weighted(data.matrix, self.positive_weight, smallest)
        return linear_choice.choose(
            values, smallest, self._candidates(data.shape[1]), given, self.kept(data.shape[1]),
            checks.seed(self.random_state), self.threads, budget,
        )  # fmt: skip

    def sparse_setting(self, columns: int) -> Setting | None:
        """The setting of sparse weights for so many columns where the parameters leave nothing to choose."""
        given = self._checked(columns)
        return linear_choice.fixed("sparse", given) if self._candidates(columns) == ("sparse",) else None

    @learns
    def fit_chosen(
        self, data: Interactions, choice: Choice, *, products: Products | None = None, weights: Weights | None = None
    ) -> Self:
        """``fit`` with a setting that ``choose_setting`` gave before, on these positives or on others.

        products : those of these very positives that the choice left
        weights : those of the setting where they were made elsewhere
        """
        chosen, self.validation_, self._smallest = choice.setting, choice.tried, choice.smallest
        x = self.values_of(data.matrix)
        weights = chosen.weights(x, self.kept(x.shape[1]), self.threads, products) if weights is None else weights
        if data.col_features is not None:
            weights = linear_features.lend(weights, data.col_features, np.bincount(x.indices, minlength=x.shape[1]))
        self._keep(weights, chosen, popular_row.votes(x))
        self._hold(data.row_ids, data.col_ids, data.matrix)
        return self

    @learns_if("add")
    def fold_in(self, interactions: Any, *, add: bool = False) -> Array:
        """Scores x W (n, m) of new rows by their positives: there is nothing to solve.

        Parameters
        ----------
        interactions : ``Interactions`` whose column ids the model knows (other cells are left out), or a sparse matrix
            in the model's numbering
        add : keep them: unknown rows join the model, known ones gain what is new
        """
        self._require_fitted("fold_in")
        rows = AskedRows.new(self.row_ids_, self.col_ids_, interactions)
        if add:
            data = joined(self.row_ids_, self.col_ids_, self.seen_, as_interactions(interactions))
            if data.shape[1] != len(self.col_ids_):
                raise InputError("fold_in adds rows only; call fit for columns that the model does not know.")
            self._hold(data.row_ids, self.col_ids_, data.matrix, self.forgotten_rows_)
        return self.scorer(rows)(0, len(rows.queries))

    def similar_cols(self, cols: Any, k: int = 10, *, unknown: Unknown = "error") -> Ranked:
        """The k columns with the largest weights W_iy from each of these columns, without itself."""
        self._require_fitted("similar_cols")
        checks.places("k", k, len(self.col_ids_))
        checks.choice("unknown", unknown, UNKNOWN)
        if unknown == "average":
            raise InputError('unknown must be "error" or "skip" here: nothing is similar to an id that is unknown.')
        queries, numbers = numbered(cols, self.col_ids_, unknown)
        itself = np.arange(len(numbers) + 1, dtype=np.int64), numbers.astype(np.int32)
        m = len(self.col_ids_)
        ones = sp.csr_array((np.ones(len(numbers), np.float32), itself[1], itself[0]), shape=(len(numbers), m))
        single = as_csr(ones, "cols", allow_empty=True)
        result, scores = top_k_of(
            lambda start, stop: sharpening.scores(single, self.col_weights_, start, stop),
            len(numbers), m, k, Filters(excluded=itself), threads=self.threads,
        )  # fmt: skip
        # A weight of zero is none: the two were never together. A column that speaks against another is not similar.
        filled = (result >= 0) & (scores > 0)
        return Ranked(
            queries, self.col_ids_.take(np.where(filled, result, -1)), np.where(filled, scores, np.nan), filled
        )

    def why(self, row: Any, col: Any) -> Evidence:
        """What each of the row's columns adds to the score of a column; they sum to it.

        For a row without positives, or with none that another row has, it is the column's popularity, a remainder.
        """
        self._require_fitted("why")
        x, y = one_of(row, self.row_ids_, "row"), one_of(col, self.col_ids_, "col")
        _, indices, data = self._rows.take_positives(np.array([x]))
        asked = self._asked(self.row_ids_.take([x]), np.array([x]))
        if not len(indices):
            popular = float(self.popular_[y])
            return Evidence.of(np.empty(0, dtype=object), np.empty(0), popular, popular_row.NAME)
        weights = np.array([self.col_weights_[i, y] for i in indices.tolist()], dtype=np.float64)
        parts = of_positives(data, self.positive_weight, self._smallest) * weights
        score = float(self.scorer(asked)(0, 1)[0, y])
        # A row of which the weights say nothing is given what is popular.
        popular = score - float(parts.sum()) if not np.abs(parts).max() and score else 0.0
        return Evidence.of(self.col_ids_.take(indices), parts, popular, popular_row.NAME)

    def _add_cells(self, rows: list[Any], cols: list[Any], values: NDArray[np.float32]) -> None:
        super()._add_cells(rows, cols, values)
        new = len(self.col_ids_) - len(self.popular_)
        if new:
            self.popular_ = np.pad(self.popular_, (0, new))
            self.col_weights_ = _padded(self.col_weights_, new)

    def scorer(self, rows: AskedRows) -> ScoreRows:
        """A function that gives the scores x W of these rows block by block."""
        x, cols = self.values_of(rows.positives), len(self.col_ids_)
        holders = self._derived.of(
            "rows of columns", (self._rows.positives,), lambda: np.bincount(self._rows.positives.indices)
        )
        holders = np.pad(holders, (0, max(0, cols - len(holders))))
        # A column that nobody had in the fit has joined later, and W has no weights for it; nor has W weights from a
        # column that is no neighbour of any other.
        speaking = self.popular_ > 0
        if self.method_ == "local":
            speaking &= np.diff(self.col_weights_.indptr) > 0
        doubtful = doubtful_rows(x, np.where(speaking, holders, 0))
        return lambda start, stop: row_scores(x, self.col_weights_, self.popular_, doubtful, start, stop)

    def values_of(self, positives: Csr) -> Csr:
        """Positives with the values that W is learned from, by ``positive_weight``."""
        return _weighted(positives, self.positive_weight, self._smallest)

    def kept(self, columns: int) -> int:
        """Weights of a column that are stored, of so many columns and where they are not dense."""
        if self.keep is not None:
            return self.keep
        return NEIGHBOURS if self.method == "local" else KEPT if columns <= MOST_DENSE_COLUMNS else KEPT_OF_MANY

    def _checked(self, columns: int) -> dict[str, Any]:
        checks.choice("method", self.method, METHODS)
        checks.choice("positive_weight", self.positive_weight, ("log", "value", "one"))
        if self.keep is not None:
            checks.integer("keep", self.keep, 1)
        threads.resolve(self.threads)
        if self.method == "dense" and columns > MOST_DENSE_COLUMNS:
            raise InputError(
                f"method='dense' would hold {columns} × {columns} weights; above {MOST_DENSE_COLUMNS} columns use "
                "method='sparse' or 'local'."
            )
        needs.require_used(self, candidates=self._candidates(columns))
        ridge = self.regularization
        return {
            "ridge": None if ridge is None else checks.number("regularization", ridge, above=0.0),
            "dense_exponents": _numbers("dense_exponents", self.dense_exponents, 2),
            "sparse_exponents": _numbers("sparse_exponents", self.sparse_exponents, 3),
            "sharpening": None if self.sharpening is None else checks.number("sharpening", self.sharpening, 0.0),
        }

    def _candidates(self, columns: int) -> tuple[str, ...]:
        if self.method != "auto":
            return (self.method,)
        return ("sparse", "dense") if columns <= AUTO_DENSE_COLUMNS else ("sparse",)

    # -- to and from a model file ------------------------------------------------------------------------------

    def _keep(self, weights: Weights, chosen: Setting, popular: Array) -> None:
        self.col_weights_ = weights
        self.popular_ = popular
        self.method_, self.exponents_, self.regularization_ = chosen.method, chosen.exponents, chosen.ridge
        self.sharpening_ = chosen.sharpening

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts = {
            "method": self.method_,
            "exponents": self.exponents_,
            "regularization": self.regularization_,
            "sharpening": self.sharpening_,
            "smallest": self._smallest,
            "validation": self.validation_,
            "forgotten_rows": self.forgotten_rows_,
        }
        weights = self.col_weights_
        narrow = isinstance(weights, Sharpened)
        return facts, self._seen_parts() | {
            "average": self.popular_,
            "weights": weights if self.method_ == "dense" else None,
            "sparse_weights": None if self.method_ == "dense" else weights.sparse if narrow else weights,
            "left": weights.left if narrow else None,
            "right": weights.right if narrow else None,
        }

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_seen(facts, parts)
        chosen = Setting(facts["method"], facts["exponents"], facts["regularization"], facts["sharpening"])
        weights = parts["weights" if chosen.method == "dense" else "sparse_weights"]
        if chosen.sharpening:
            weights = Sharpened(weights, parts["left"], parts["right"])
        self._keep(weights, chosen, parts["average"])
        self.validation_, self._smallest = facts["validation"], facts["smallest"]


def _weighted(positives: Csr, weight: PositiveWeight, smallest: float) -> Csr:
    """The same cells with their weights as values."""
    values = of_positives(positives.data, weight, smallest).astype(np.float32)
    cells = sp.csr_array((values, positives.indices, positives.indptr), shape=positives.shape)
    return as_csr(cells, "positives", allow_empty=True)


def _padded(weights: Weights, new: int) -> Weights:
    """W with so many more columns, whose weights are zero."""
    if isinstance(weights, np.ndarray):
        return np.pad(weights, (0, new))
    if isinstance(weights, Sharpened):
        left, right = (np.pad(side, ((0, new), (0, 0))) for side in (weights.left, weights.right))
        return Sharpened(_padded_sparse(weights.sparse, new), left, right)
    return _padded_sparse(weights, new)


def _padded_sparse(weights: Csr, new: int) -> Csr:
    grown = weights.native()
    grown.resize((weights.shape[0] + new, weights.shape[1] + new))
    return as_csr(grown, "weights", allow_empty=True)


def _numbers(name: str, given: Any, count: int) -> tuple[float, ...] | None:
    if given is None:
        return None
    try:
        values = tuple(given)
    except TypeError:
        values = ()
    if len(values) != count:
        raise InputError(f"{name} must be {count} numbers, not {given!r}.")
    return tuple(checks.number(name, value) for value in values)
