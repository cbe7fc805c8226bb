"""Recommend from positives alone: factorize the whole matrix, labelled and unlabelled cells alike."""

import dataclasses
import os
from collections.abc import Hashable, Mapping
from operator import itemgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.concurrency import asks_in_one_step, learns, view
from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Callback
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import (
    factor_queries,
    factor_why,
    few_rows,
    side_gain,
    whole_data_fit,
)
from tacit.estimators.recommend.asking import AskedRows, Filter, ScoreRows, Unknown
from tacit.estimators.recommend.col_index import ColIndex, Search
from tacit.estimators.recommend.contexts import Contexts
from tacit.estimators.recommend.factor_learning import GrowingFactors
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.given_cells import GivenCells
from tacit.estimators.recommend.joining import as_interactions
from tacit.estimators.recommend.recent_rows import RowState, alone, forgotten_in
from tacit.estimators.recommend.settings import FitSettings
from tacit.estimators.recommend.tables import FACTOR
from tacit.metrics.evaluation import hidden_ndcg
from tacit.objective.formulations import Unlabelled
from tacit.objective.losses import Loss
from tacit.objective.recipes import Recipe
from tacit.objective.weights import PositiveWeight
from tacit.progress import without_clock
from tacit.solvers.popular_row import popular_row, votes

Array = NDArray[Any]

_FOR_LISTS = itemgetter("row_ids_", "col_ids_", "_rows", "col_factors_", "col_index_", "context_ids_", "_derived_from")
"""What ``few_rows.recommend`` takes, by the names that it has here."""


class FactorRecommender(GrowingFactors):
    """Low-rank factorization of a positive-only matrix.

    Scores are s_xy = ⟨p_x, q_y⟩. Training minimises a loss on the positives, each with weight c, plus the squared error
    on *every* unlabelled cell, with weight a_x b_y and target t, plus a ridge that grows with a row's evidence:

        Σ_{Ω⁺} c_xy ℓ(1, s_xy) + Σ_{not Ω⁺} a_x b_y (t − s_xy)² + Σ_x λ_x ‖p_x‖² + Σ_y μ_y ‖q_y‖²

    No cell is sampled: the sum over the unlabelled ones costs only Gram matrices.

    Parameters
    ----------
    factors : g, the length of p_x and q_y
    loss : ℓ on the positives: ``"square"``, ``"logistic"``, ``"squared_hinge"``, or a ``Loss`` of one's own
    solver : ``"als"`` (alternating solves), ``"newton"`` (trust region), ``"newton_linesearch"``, ``"linesearch"``
        (gradient), ``"adagrad"`` (improved fBGD), ``"gradient"`` (plain), or ``"auto"``; ``solver_`` is the one used
    unlabelled_weight : mean of b_y, the weight of one unlabelled cell relative to a positive of weight 1. None chooses
        it from the density of the data
    unlabelled_target : t
    frequency_exponent : ρ ≥ 0 lets b_y grow with (frequency of y)^ρ, because a missing positive of a popular column
        is stronger evidence (fBGD Eq. 22). A pair (rows, columns) gives a_x an exponent too: active rows have seen
        more. None is 0.5 for rows and 0.15 for columns, or less for few columns (``tacit.objective.default_exponents``)
    positive_weight : c from the stored values: ``"log"`` (1 + log(value / smallest)), ``"value"`` or ``"one"``
    unlabelled : ``"all"`` counts every unlabelled cell; ``"sampled"`` as many as there are positives, drawn once;
        ``"same_loss"`` counts all of them under ℓ (small data only). The last two are for comparison
    biases : SVDFeature's biases of rows and columns (fBGD Eq. 11–13)
    context_model : how a row and its context combine: ``"additive"`` (SVDFeature), ``"pairwise"`` (PITF), or
        ``"product"`` (CP), fBGD Appendix A
    graph_weight : strength of a graph's pull on neighbours, in units of the mean ridge
    nonnegative : keep all parameters at zero or above (``"adagrad"`` and ``"gradient"``)
    learning_rate : γ of ``"adagrad"`` (None: 0.05) and ``"gradient"`` (None: 1e-4)
    trust_steps, trust_radius : of ``"newton"``: steps on a side in a sweep (None: 1), and the first radius (None: the
        length of the gradient), which is kept from sweep to sweep
    exact_rows : solve every row once more at the end, so that folding in a training row gives back its factor: where
        rows are separate, without contexts, graphs of rows, biases or constraints; False leaves all rows where the
        solver's steps ended, as in the papers
    ids : False makes the rows (columns) that have features of those alone, without a factor of their own
    regularization, ridge_exponent : the mean ridge in units of the mean weight of a row's positives, or a pair (rows,
        columns), and how it is spread: λ_x ∝ (total weight of the cells of x)^ν. None chooses the ridge from the
        number of positives per row and column and from that of the factors (``tacit.objective.default_ridge``), and ν:
        1, or less for few columns whose rows have few positives (``tacit.objective.default_exponents``)
    iterations : sweeps over rows and columns at most; None: 10 of solves, 100 or 200 of gradient steps
    tolerance : stop when a sweep lowers the objective by less than this share of it
    held_out, patience : hold out this share of the positives, stop after ``patience`` sweeps without a better
        NDCG@10 on them, and keep the best sweep; 0 trains on everything
    random_state : seed of the start; the same seed gives the same bits at any number of threads
    threads : 0 for all cores
    progress : True, False, or None for "when a terminal is attached"
    callback : called with a record after every sweep; returning True stops
    checkpoint : path of a file from which an interrupted fit resumes, to the same bits

    Attributes
    ----------
    row_factors_ (n, g), col_factors_ (m, g) : P and Q, float32
    row_ids_, col_ids_ : the caller's ids
    seen_ : the positives (n, m), with what was added since the fit
    solver_ : the solver that was used
    row_feature_factors_, col_feature_factors_ : (f, g) factors of features, or None
    context_factors_ : name → factors of that context's ids
    history_ : one record per sweep: objective, gradient norm, seconds
    given_ : which of ``row_weight``, ``col_weight`` and ``targets`` were given to ``fit``
    gain_ : what ``fit(..., report_gain=True)`` found
    joined_cols_ : how many of the columns, the last ones, have joined since the fit
    col_index_ : what ``index_cols`` built, with its measured recall, or None
    row_caches_ : PᵀAP and t Pᵀa of the rows as fitted, with which ``add`` solves columns that join

    >>> import tacit
    >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "tea"]}
    >>> model = FactorRecommender(factors=2).fit(tacit.Interactions.from_table(pairs, row="who", col="what"))
    >>> model.recommend(["cyd"], k=1).ids.tolist()
    [['jam']]
    """

    _schema = FACTOR
    col_index_: ColIndex | None
    context_ids_: dict[str, Ids]

    def __init__(
        self,
        factors: int = 64,
        *,
        loss: str | Loss = "square",
        solver: str = "auto",
        unlabelled_weight: float | None = None,
        unlabelled_target: float = 0.0,
        frequency_exponent: float | tuple[float, float] | None = None,
        positive_weight: PositiveWeight = "log",
        unlabelled: Unlabelled = "all",
        biases: bool = False,
        context_model: str = "additive",
        graph_weight: float = 0.25,
        nonnegative: bool = False,
        learning_rate: float | None = None,
        trust_steps: int | None = None,
        trust_radius: float | None = None,
        exact_rows: bool = True,
        ids: bool = True,
        regularization: float | tuple[float, float] | None = None,
        ridge_exponent: float | None = None,
        iterations: int | None = None,
        tolerance: float = 0.0,
        held_out: float = 0.0,
        patience: int = 3,
        random_state: Any = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.factors = factors
        self.loss = loss
        self.solver = solver
        self.unlabelled_weight = unlabelled_weight
        self.unlabelled_target = unlabelled_target
        self.frequency_exponent = frequency_exponent
        self.positive_weight = positive_weight
        self.unlabelled = unlabelled
        self.biases = biases
        self.context_model = context_model
        self.graph_weight = graph_weight
        self.nonnegative = nonnegative
        self.learning_rate = learning_rate
        self.trust_steps = trust_steps
        self.trust_radius = trust_radius
        self.exact_rows = exact_rows
        self.ids = ids
        self.regularization = regularization
        self.ridge_exponent = ridge_exponent
        self.iterations = iterations
        self.tolerance = tolerance
        self.held_out = held_out
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback
        self.checkpoint = checkpoint

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(
        self,
        interactions: Any,
        y: Any = None,
        *,
        row_features: Any = None,
        col_features: Any = None,
        row_graph: Any = None,
        col_graph: Any = None,
        row_weight: Any = None,
        col_weight: Any = None,
        targets: Any = None,
        report_gain: bool = False,
    ) -> Self:
        """Learn from ``Interactions``, or from any sparse matrix whose stored cells are the positives.

        Parameters
        ----------
        row_features, col_features : (n, ·) and (m, ·) matrices that stand beside the ids; those of ``interactions``
            when None
        row_graph, col_graph : (n, n) and (m, m) similarities; neighbours are drawn together
        row_weight, col_weight : a (n,) and b (m,), the weights of unlabelled cells, where they are not to follow
            frequency (one-class MF's p and q); rows or columns that come later then cannot be folded in
        targets : r of each positive, a matrix with the same stored cells (fBGD's r⁺), for ``loss="square"``; c of each
            positive is its stored value with ``positive_weight="value"``
        report_gain : also fit with and without features and graphs on nine tenths of the data, ten times, and say
            in ``gain_`` whether they help on the rest, hurt, or whether the data cannot tell

        Where the interactions have contexts, a row of the objective is a (row, contexts) pair.
        """
        data = as_interactions(interactions).with_sides(
            row_features=row_features, col_features=col_features, row_graph=row_graph, col_graph=col_graph
        )
        settings = self._settings()
        needs.require_used(
            self,
            contexts=bool(data.context_ids),
            graphs=data.row_graph is not None or data.col_graph is not None,
            both_weights=row_weight is not None and col_weight is not None,
        )
        if report_gain:
            plain = dataclasses.replace(settings, checkpoint=None, callback=None)
            self.gain_ = side_gain.measure(lambda part: clone(self).adopt(part, whole_data_fit.fit(plain, part)), data)
        given = GivenCells.read(data, row_weight, col_weight, targets)
        return self.adopt(data, whole_data_fit.fit(settings, data, given=given))

    # -- asking ------------------------------------------------------------------------------------------------

    @asks_in_one_step
    def recommend(
        self,
        rows: Any = None,
        k: int = 10,
        exclude_seen: bool = True,
        include: Filter = None,
        exclude: Filter = None,
        *,
        context: Mapping[str, Any] | None = None,
        features: Any = None,
        unknown: Unknown = "error",
        search: Search = "auto",
    ) -> Ranked:
        """The k best columns for each row, best first.

        A row without positives gets what is popular, unless the model has contexts: the list whose scores come nearest
        to the votes of all rows, one each (``tacit.solvers.popular_row``).

        Parameters
        ----------
        rows : ids; one id; or ``Interactions`` or a sparse matrix of rows the model has not seen, folded in first
        exclude_seen : leave out what the row has already
        include, exclude : the only columns that may come back, and those that may not: ids for all rows, or a
            mapping from row id to ids; ids in ``exclude`` that the model does not know change nothing
        context : name → id, or one id per row, for a model trained with contexts
        features : of rows the model has not seen; without ``rows`` the features alone decide
        unknown : what to do with row ids that the model does not know: an "error", "skip" them, or give them the
            "average" list, of what is popular
        search : "auto" takes the index of ``index_cols`` where there is one and it pays; "exact"; or "approximate"
        """
        plain = include is None and exclude is None and context is None and features is None
        # Whatever else was given in their places is refused below: an array would not even compare.
        if plain and type(unknown) is str and unknown == "error" and type(search) is str and search == "auto":
            try:
                known = _FOR_LISTS(vars(self))
            except KeyError:  # not fitted, or loaded and never asked before
                self._require_fitted("recommend")
                known = _FOR_LISTS(vars(self) | {"_derived_from": self._derived})
            ranked = few_rows.recommend(*known, rows, k, exclude_seen)
            if ranked is not None:
                return ranked
        self._require_fitted("recommend")
        return factor_queries.recommend(
            view(self)._fitted(), rows, k, exclude_seen, include, exclude,
            context=context, features=features, unknown=unknown, search=search,
        )  # fmt: skip

    @learns
    def index_cols(self, *, recall: float = 0.95, seed: Any = 0) -> Self:
        """Build an index of the columns, for catalogues of millions: lists are then found without looking at all.

        ``recall`` is the share of the true best that answers must hold; what is really reached is measured on other
        rows, stored in ``col_index_`` and printed with it. Scores stay exact, filters still give exactly k. The index
        is saved with the model. New columns or a new fit put it out of use until it is built again.
        """
        self._require_fitted("index_cols")
        if self.context_ids_:
            raise InputError("index_cols does not know contexts, which change a row's factor with every question.")
        self.col_index_ = ColIndex.build(
            self.row_factors_, self.col_factors_, recall=recall, seed=seed, threads=self.threads
        )
        return self

    def positives_of(self, row: Hashable) -> tuple[list[Any], list[float]]:
        """The columns that a row has and their weights, as far as the model has heard."""
        self._require_fitted("positives_of")
        known = self._rows.row(int(self.row_ids_.require([row])[0]))
        return self.col_ids_.take(known.cols).tolist(), known.values.tolist()

    def similar_rows(self, rows: Any, k: int = 10, *, unknown: Unknown = "error") -> Ranked:
        """The k rows with the most similar factors (cosine), without the row itself; ``unknown`` "error" or "skip"."""
        self._require_fitted("similar_rows")
        return factor_queries.similar(self._fitted(), "rows", rows, k, unknown, "auto")

    def similar_cols(self, cols: Any, k: int = 10, *, unknown: Unknown = "error", search: Search = "auto") -> Ranked:
        """The k columns with the most similar factors (cosine), without the column itself.

        ``unknown`` as for rows, ``search`` as in ``recommend``.
        """
        self._require_fitted("similar_cols")
        return factor_queries.similar(self._fitted(), "cols", cols, k, unknown, search)

    def score(self, rows: Any, cols: Any = None, *, context: Mapping[str, Any] | None = None) -> Any:
        """Two ids, or two lists of them: ``score_pairs``. A matrix of positives alone: how well the model ranks.

        The second is what scikit-learn's model selection asks for. Of each row of the matrix (known to the model or
        not) a fifth of the positives is hidden, the row is folded in from the rest, and NDCG@10 over the hidden ones
        is averaged (``metrics.hidden_ndcg``): higher is better, so ``GridSearchCV`` over a recommender works.
        """
        self._require_fitted("score")
        if cols is None:
            return hidden_ndcg(self, as_interactions(rows).matrix)
        return self.score_pairs(rows, cols, context=context)

    def score_pairs(self, rows: Any, cols: Any, *, context: Mapping[str, Any] | None = None) -> Array:
        """⟨p_x, q_y⟩ for pairs of ids, the scores that ``recommend`` ranks by; either may be a single id.

        A row without positives has the scores of what is popular, unless the model has contexts. ``context`` as in
        ``recommend``.
        """
        self._require_fitted("score_pairs")
        return factor_queries.score_pairs(self._fitted(), rows, cols, context)

    def why(self, row: Any, col: Any) -> Evidence:
        """What each of the row's positives adds to the score of a column; with the remainder they sum to it.

        Exact for ``loss="square"`` and rows that are placed by their own positives. An unlabelled target other than
        zero, features and graphs of the rows leave a remainder.
        """
        self._require_fitted("why")
        return factor_why.why(self._fitted(), row, col)

    def scorer(self, rows: AskedRows) -> ScoreRows:
        """A function that gives the scores of these rows block by block (``asking.RowScorer``)."""
        return factor_queries.scorer(self._fitted(), rows.positives, rows.numbers)

    # -- state -------------------------------------------------------------------------------------------------

    @property
    def _ids_alone(self) -> bool:
        features = self.row_feature_factors_ is not None or self.col_feature_factors_ is not None
        return not (features or self.graphs_ or self.context_ids_ or self.biases)

    def _fitted(self) -> FactorState:
        """What the modules beside this one read."""
        return FactorState(
            row_ids=self.row_ids_,
            col_ids=self.col_ids_,
            rows=self._rows,
            col_factors=self.col_factors_,
            col_weight=self.col_weight_,
            row_feature_factors=self.row_feature_factors_,
            col_feature_factors=self.col_feature_factors_,
            contexts=Contexts(self.context_ids_, self.context_factors_, self.context_model),
            recipe=self.recipe_,
            row_caches=self.row_caches_,
            popular_row=self._popular_row,
            joined_cols=self.joined_cols_,
            col_index=self.col_index_,
            graphs=self.graphs_,
            given=self.given_,
            has_ids=self.ids,
            biases=self.biases,
            nonnegative=self.nonnegative,
            unlabelled=self.unlabelled,
            threads=self.threads,
            ids_alone=self._ids_alone,
            derived=self._derived,
        )

    def _settings(self) -> FitSettings:
        return FitSettings.read(self.get_params(deep=False))

    @learns
    def adopt(self, data: Interactions, fitted: whole_data_fit.Fitted) -> Self:
        """Become the model of a fit that ran elsewhere, such as in ``tune`` or on a cluster."""
        learned = fitted.learned
        self.joined_cols_ = 0
        self.col_index_ = None
        self.row_caches_ = fitted.row_caches
        self._set_rows(RowState(learned.row_factors, fitted.row_weight, data.matrix, alone=alone(data.matrix)))
        self.col_factors_ = learned.col_factors
        # Of the fit, whatever events come: newcomers get the same list from this model and from its file.
        self._popular_row = None if data.context_ids else popular_row(learned.col_factors, votes(data.matrix))
        self.row_feature_factors_ = learned.row_feature_factors
        self.col_feature_factors_ = learned.col_feature_factors
        self.context_factors_ = learned.context_factors
        self.context_ids_ = dict(data.context_ids)
        self.graphs_ = [name for name in ("row_graph", "col_graph") if getattr(data, name) is not None]
        self.row_ids_ = data.row_ids
        self.col_ids_ = data.col_ids
        self.history_ = fitted.history
        self.solver_ = fitted.solver
        self.recipe_ = fitted.recipe
        self.given_ = fitted.given
        self.col_weight_ = fitted.col_weight
        return self

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        index = self.col_index_
        if index is not None and index.factors is not self.col_factors_:
            index = None
        facts = {
            "history": without_clock(self.history_),
            "solver": self.solver_,
            "recipe": self.recipe_.metadata(),
            "contexts": list(self.context_ids_),
            "graphs": self.graphs_,
            "given": self.given_,
            "joined_cols": self.joined_cols_,
            "has_col_index": index is not None,
            "forgotten_rows": self.forgotten_rows_,
        }
        groups = [{"ids": ids, "factors": self.context_factors_[name]} for name, ids in self.context_ids_.items()]
        gram, total = self.row_caches_
        rows = self._gathered()
        return facts, {
            "row_ids": self.row_ids_,
            "col_ids": self.col_ids_,
            "row_factors": rows.factors,
            "col_factors": self.col_factors_,
            "row_weight": rows.weight,
            "col_weight": self.col_weight_,
            "row_gram": gram,
            "row_total": total,
            "seen": rows.positives,
            "context": groups,
            "col_index": [] if index is None else index.parts(),
            "row_feature_factors": self.row_feature_factors_,
            "col_feature_factors": self.col_feature_factors_,
            "popular_row": self._popular_row,
            "rows_alone": sorted(rows.alone) or None,
        }

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        groups = dict(zip(facts["contexts"], parts["context"]))
        self.context_factors_ = {name: group["factors"] for name, group in groups.items()}
        self.context_ids_ = {name: group["ids"] for name, group in groups.items()}
        self.row_caches_ = parts["row_gram"], parts["row_total"]
        self.col_index_ = ColIndex.from_parts(parts["col_factors"], parts["col_index"])
        self.row_ids_, self.col_ids_ = parts["row_ids"], parts["col_ids"]
        lonely: frozenset[int] = frozenset(() if parts["rows_alone"] is None else parts["rows_alone"].tolist())
        self._popular_row = parts["popular_row"]
        if self._popular_row is None and not groups:
            # A file of 0.1.0, which has neither; without histories it does not say what is popular.
            lonely, seen = alone(parts["seen"]), parts["seen"]
            mean = parts["row_factors"].mean(axis=0, dtype=np.float64)
            self._popular_row = popular_row(parts["col_factors"], votes(seen)) if seen.nnz else mean
        forgotten = forgotten_in(parts["seen"], facts["forgotten_rows"])
        self._set_rows(
            RowState(parts["row_factors"], parts["row_weight"], parts["seen"], alone=lonely, forgotten=forgotten)
        )
        self.col_factors_, self.col_weight_ = parts["col_factors"], parts["col_weight"]
        self.row_feature_factors_ = parts["row_feature_factors"]
        self.col_feature_factors_ = parts["col_feature_factors"]
        self.history_, self.solver_, self.graphs_ = facts["history"], facts["solver"], list(facts["graphs"])
        self.joined_cols_, self.given_ = facts["joined_cols"], list(facts["given"])
        self.recipe_ = Recipe.from_metadata(facts["recipe"])
