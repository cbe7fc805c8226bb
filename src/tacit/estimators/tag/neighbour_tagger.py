"""NeighbourTagger: labels of the nearest instances in a space learned from the labels."""

from collections.abc import Hashable, Iterable
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp

from tacit import checks
from tacit import threads as pool
from tacit.data.ids import Ids
from tacit.data.label_sets import read_labels
from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.neighbour_evidence import Voters
from tacit.estimators.tag.partition_fit import learned
from tacit.estimators.tag.partition_growth import grown, stepped, with_labels, with_rows
from tacit.estimators.tag.tables import NEIGHBOUR
from tacit.estimators.tag.tagger import Tagger
from tacit.neighbours.partitioned import Learner, vote
from tacit.neighbours.topk import normalise
from tacit.progress import Run
from tacit.solvers.label_maps import METHODS, REGRESSIONS, MapSettings, require_used

_SPARSE_BLOCK = 8192
_RATES = {"skipgram": 0.2, "end_to_end": 0.02}
_FACTORS, _OTHER_FACTORS = {"sppmi": 200}, 100
"""On validation rows of eleven sets, 200 was up to 1.7 points of nDCG@5 ahead of 100 (bibtex, cooking) and at most .15
behind; 300 gained little more. Methods other than "sppmi" were not compared."""
_DEFAULTS: dict[str, Any] = {
    "graph_weights": (1.0, 1.0, 1.0), "contexts": 15, "negatives": 15, "iterations": 20, "context_neighbours": None,
    "tables": 2, "cosine_scale": 10.0, "start": "sppmi",
}  # fmt: skip
"""What is meant where a setting that only some methods use is not given."""

_REGRESSED = {"factors": 100, "neighbours": 15, "vote_power": 0.0, "regression": "admm_l2"}
PAPER: dict[str, dict[str, Any]] = {
    "exmlds1": {"method": "sppmi"} | _REGRESSED,
    "exmlds2": {"method": "skipgram", "contexts": 15, "context_neighbours": 15, "negatives": 15, "iterations": 35,
                "tables": 1} | _REGRESSED,
    "exmlds3": {"method": "joint"} | _REGRESSED,
    "exmlds4": {"method": "end_to_end", "factors": 50, "neighbours": 10, "vote_power": 0.0, "context_neighbours": 10,
                "negatives": 20, "iterations": 100, "learners": 15, "cosine_scale": 1.0, "start": "random"},
}  # fmt: skip
"""Settings of the ExMLDS paper for small data. Where it refers to SLEEC's, they are those of ``SleecTagger``."""


class NeighbourTagger(Tagger):
    """Multi-label tagging by label embedding and nearest neighbours.

    Instances are embedded so that those with similar labels lie together, a linear map V from features to that space
    is learned, and a new instance is given the labels of its nearest neighbours there. Untagged cells are unknown:
    rows without labels teach nothing and vote for nothing.

    Parameters
    ----------
    method : ``"sppmi"`` factorises label-space associations, ``"weighted"`` does so with weights, ``"skipgram"`` learns
        from label-space neighbours by sampling, ``"joint"`` embeds labels and instances together with the label graph
        (best when most labels are missing), ``"end_to_end"`` learns the map itself through cosines
    factors : dimension of the space; None for 200 (``"sppmi"``) or 100 (the other methods)
    neighbours : how many instances vote
    vote_power : votes weigh cosine^power; 0 counts heads
    regularization : ridge of the map from features to the space
    regression : how the map is found: ``"ridge"``, or by alternating directions ``"admm_l2"`` or ``"admm_l1"`` (sparse)
    shift : only associations stronger than log(shift) are kept; 1 keeps all positive ones
    partitions : instances are clustered into so many parts, each with its own map; None for one per 6,000 rows,
        and none above 12,000
    learners : so many models, each from its own clustering and sample of rows, vote together
    max_partners : each label set is compared with so many partners at most; None for all of them
    n_imputed : before the last fit, each row is given so many labels by a first model and learned from as if it had
        them; 2 or so helps much when most labels are missing
    graph_weights : weights of the label graph, of instances, and of labels carried, for ``"joint"``; None for 1 each
    contexts, negatives : pairs drawn for an instance in an iteration of ``"skipgram"``, and other instances drawn for
        each, both None for 15; ``"end_to_end"`` weighs negatives so
    iterations : of the methods that take steps; None for 20
    learning_rate : of their steps; None for 0.2 (skipgram) and 0.02 of the size of V (end_to_end)
    context_neighbours : for ``"skipgram"`` and ``"end_to_end"``: pairs are drawn from so many nearest instances by
        their labels; None draws any instance that shares a label
    tables : of ``"skipgram"``: 2 with vectors of contexts apart, 1 with the same for both; None for 2
    cosine_scale, start : of ``"end_to_end"``: what cosines are multiplied by (None for 10), and where V begins:
        ``"sppmi"`` (None) or ``"random"``
    online_steps : of ``"end_to_end"``: ``partial_fit`` takes so many gradient steps on the rows that came, and maps all
        rows anew, for which the model keeps their features; None leaves V as ``fit`` found it
    idf_power : features weigh log(n / (1 + df)) to this power; 0.5 or so helps with words that are merely present
    normalize : scale the rows of X to length one
    top_k, threshold : what ``predict`` returns: the best so many, or all with at least this score
    propensity_weighted : favour rare labels by the inverse of the chance that they were tagged at all
    random_state : seed; the same seed gives the same bits at any number of ``threads`` (0 is all cores)
    progress, callback : as everywhere

    Attributes
    ----------
    label_ids_, classes_ : the labels, as ids and as scikit-learn's array
    learners_ : the learned maps and the rows that vote
    history_ : one record per learner

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> tagger = NeighbourTagger(factors=2, neighbours=2).fit(X, [["red"], ["red", "round"], ["blue"], ["blue"]])
    >>> tagger.predict_topk(np.array([[0.0, 2.0]]), k=1).tolist()
    [['blue']]
    """

    _learned = "learners_"
    _schema = NEIGHBOUR

    def __init__(
        self,
        method: Literal["sppmi", "weighted", "skipgram", "joint", "end_to_end"] = "sppmi",
        *,
        factors: int | None = None,
        neighbours: int = 100,
        vote_power: float = 8.0,
        regularization: float = 1.0,
        regression: Literal["ridge", "admm_l2", "admm_l1"] = "ridge",
        shift: float = 1.0,
        partitions: int | None = None,
        learners: int = 1,
        max_partners: int | None = None,
        n_imputed: int = 0,
        graph_weights: tuple[float, float, float] | None = None,
        contexts: int | None = None,
        negatives: int | None = None,
        iterations: int | None = None,
        learning_rate: float | None = None,
        context_neighbours: int | None = None,
        tables: int | None = None,
        cosine_scale: float | None = None,
        start: Literal["sppmi", "random"] | None = None,
        online_steps: int | None = None,
        idf_power: float = 0.0,
        normalize: bool = True,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int | None = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.method = method
        self.factors = factors
        self.neighbours = neighbours
        self.vote_power = vote_power
        self.regularization = regularization
        self.regression = regression
        self.shift = shift
        self.partitions = partitions
        self.learners = learners
        self.max_partners = max_partners
        self.n_imputed = n_imputed
        self.graph_weights = graph_weights
        self.contexts = contexts
        self.negatives = negatives
        self.iterations = iterations
        self.learning_rate = learning_rate
        self.context_neighbours = context_neighbours
        self.tables = tables
        self.cosine_scale = cosine_scale
        self.start = start
        self.online_steps = online_steps
        self.idf_power = idf_power
        self.normalize = normalize
        self.top_k = top_k
        self.threshold = threshold
        self.propensity_weighted = propensity_weighted
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    @classmethod
    def paper(cls, name: str, **own: Any) -> Self:
        """A method of the paper with its settings for small data, other parameters as given.

        ``"exmlds1"`` to ``"exmlds4"``: heads are counted, maps are found by ADMM, contexts are nearest instances, and
        skip-gram has one table of vectors.

        >>> NeighbourTagger.paper("exmlds2", factors=50).tables
        1
        """
        return cls(**PAPER[checks.choice("name", name, tuple(PAPER))] | own)

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(self, X: Any, Y: Any, label_graph: Any = None, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Learn from features and known labels.

        Parameters
        ----------
        X : (n, d) features, sparse or dense
        Y : (n, L) indicator matrix whose stored cells are known positives, or one collection of labels per row
        label_graph : (L, L) how often labels go together, for ``method="joint"``; None takes it from Y
        labels : names of Y's columns, where Y is a matrix
        """
        X, Y, names, form = self._read_training(X, Y, labels)
        self._check_settings()
        needs.require_used(self)
        graph = self._read_graph(label_graph, Y.shape[1])
        self._scales = self._scales[:0]
        self._learn_scales(X)
        unit = self._prepared(X)
        self.n_features_in_ = X.shape[1]
        self._remember_labels(Y, names, form)
        rounds = 1 if self.n_imputed == 0 else 2
        with (
            pool.single_threaded_blas(),
            Run("fit NeighbourTagger", rounds * self.learners, progress=self.progress, callback=self.callback) as run,
        ):
            self._learn_all(unit, Y, graph, run)
            self._X = None if self.online_steps is None else unit
            if self.n_imputed and not run.interrupted and not run.stopped:
                # What the first model guesses must not also decide which labels go together.
                graph = sp.csr_array(Y.T @ Y) if graph is None and self.method == "joint" else graph
                self._learn_all(unit, with_labels(Y, self._guessed(X), np.arange(Y.shape[0])), graph, run)
        self.history_ = run.history
        return self

    def _learn_all(self, X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, run: Run) -> None:
        carrying = np.flatnonzero(np.diff(Y.indptr))
        settings, seed = self._map_settings(), checks.seed(self.random_state)
        learners: list[Learner] = []
        for number in range(self.learners):
            if learners and (run.interrupted or run.stopped):
                break
            learners.append(learned(X, Y, graph, carrying, self.method, settings, self.partitions, seed, number))
            run.report(partitions=len(learners[-1].partitions))
        self.learners_, self._Y = tuple(learners), Y

    def _guessed(self, X: sp.csr_array) -> sp.csr_array:
        columns, _ = self._top(X, min(self.n_imputed, len(self.label_ids_)))
        filled = columns >= 0
        cells = np.ones(filled.sum(), np.float32), (np.nonzero(filled)[0], columns[filled])
        return sp.csr_array(cells, shape=(X.shape[0], len(self.label_ids_)))

    def _check_settings(self) -> None:
        checks.choice("method", self.method, tuple(METHODS))
        checks.choice("regression", self.regression, tuple(REGRESSIONS))
        require_used(self.method, {name: getattr(self, name) for name in (*_DEFAULTS, "learning_rate", "online_steps")})
        if self.factors is not None:
            checks.integer("factors", self.factors, 1, checks.MOST_FACTORS)
        for name in ("neighbours", "learners"):
            checks.integer(name, getattr(self, name), 1)
        checks.integer("n_imputed", self.n_imputed, 0)
        for name in (
            "partitions", "max_partners", "contexts", "negatives", "iterations", "context_neighbours", "online_steps",
        ):  # fmt: skip
            if getattr(self, name) is not None:
                checks.integer(name, getattr(self, name), 1)
        checks.exponent("vote_power", self.vote_power, 0.0)
        checks.number("shift", self.shift, above=0.0)
        checks.number("regularization", self.regularization, above=0.0)
        for name in ("learning_rate", "cosine_scale"):
            if getattr(self, name) is not None:
                checks.number(name, getattr(self, name), above=0.0)
        if self.tables is not None:
            checks.integer("tables", self.tables, 1, 2)
        if self.start is not None:
            checks.choice("start", self.start, ("sppmi", "random"))

    def _setting(self, name: str) -> Any:
        """A setting of some methods, or what is meant where it is not given."""
        given = getattr(self, name)
        return _DEFAULTS[name] if given is None else given

    def _map_settings(self) -> MapSettings:
        return MapSettings(
            _FACTORS.get(self.method, _OTHER_FACTORS) if self.factors is None else self.factors,
            self.regularization,
            self.regression,
            self.shift,
            self.max_partners,
            learning_rate=self.learning_rate or _RATES.get(self.method, 0.0),
            threads=self.threads,
            **{name: self._setting(name) for name in _DEFAULTS},
        )

    def _read_graph(self, label_graph: Any, size: int) -> sp.csr_array | None:
        if label_graph is None:
            return None
        if self.method != "joint":
            raise InputError(f"label_graph is used by method='joint' only, not by {self.method!r}; leave it out.")
        graph = as_csr(label_graph, "label_graph", rows=size, cols=size, minimum=0.0)
        return sp.csr_array((graph + graph.T) / 2)

    def partial_fit(
        self, X: Any, Y: Any, *, rows: Iterable[int] | None = None, labels: Iterable[Hashable] | None = None
    ) -> Self:
        """Add what has become known since ``fit``, without learning the old anew.

        New rows are mapped and vote from now on. New labels (more columns, or names not seen before) are votes of
        the rows that carry them. New features (more columns behind the old) get weights that explain what the old
        ones leave open. With ``rows``, the numbers of rows seen before, Y is *added* to their labels: so cells that a
        reviewer accepted come back. With ``online_steps`` the map then takes gradient steps on the rows that came with
        labels, and every row is mapped anew.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, Y, labels=labels)
        X = as_csr(X, "X")
        if X.shape[1] < self.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} columns, but the model knows {self.n_features_in_} features; "
                "keep the columns of training and append new ones behind them."
            )
        if (self._X is None) != (self.online_steps is None):
            raise InputError(
                f"online_steps={self.online_steps!r} was set after fit, which decides whether the model keeps its "
                "rows' features; fit again."
            )
        new, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.label_ids_, allow_empty=True)
        numbers = self._numbers_of(rows, X.shape[0])
        union, before = with_labels(self._Y, new, numbers), self._scales
        self._learn_scales(X)
        X = self._prepared(X)
        carrying = np.flatnonzero(np.diff(new.indptr))
        kept = None if self._X is None else with_rows(self._X, X, numbers)
        try:
            with pool.single_threaded_blas():
                learners = tuple(grown(learner, X[carrying], union, numbers[carrying]) for learner in self.learners_)
                if kept is not None:
                    learners = self._after_steps(learners, kept, union, numbers[carrying])
        except BaseException:
            self._scales = before
            raise
        self.learners_, self._Y, self._X = learners, union, kept
        self.n_features_in_ = X.shape[1]
        self._remember_labels(self._Y, names, self._form)
        return self

    def _after_steps(
        self, learners: tuple[Learner, ...], X: sp.csr_array, Y: sp.csr_array, numbers: Array
    ) -> tuple[Learner, ...]:
        assert self.online_steps is not None
        settings, seed = self._map_settings(), checks.seed(self.random_state)
        return tuple(
            stepped(learner, X, Y, numbers, settings, self.online_steps, [seed, place, self.rows_seen_])
            for place, learner in enumerate(learners)
        )

    def _numbers_of(self, rows: Iterable[int] | None, length: int) -> Array:
        if rows is None:
            return np.arange(self.rows_seen_, self.rows_seen_ + length)
        numbers = Ids.range(self.rows_seen_, "rows").require(checks.listed("rows", rows))
        if len(numbers) != length:
            raise InputError(f"rows names {len(numbers)} rows, but X has {length}; give one number per row of X.")
        return numbers

    # -- asking ------------------------------------------------------------------------------------------------

    def block_scores(self, X: sp.csr_array) -> sp.csr_array | Array:
        X = self._prepared(X)
        voters = min(self.neighbours, self.rows_seen_)
        votes = [
            vote(*learner.neighbours(X, voters, self.threads), self._Y, self.vote_power) for learner in self.learners_
        ]
        mean = sp.csr_array(sum(votes[1:], start=votes[0]) / np.float32(len(votes)))
        if self.method != "joint":
            return mean
        # Algorithm 4: neighbours' votes and similarity to the labels' own vectors, each scaled to length one.
        similarities = [normalise(learner.label_scores(X)) for learner in self.learners_]
        return normalise(mean.toarray()) + normalise(np.sum(similarities, axis=0))

    def _block_height(self) -> int:
        # Votes are sparse: many rows at once let each partition answer all its queries in one product.
        return super()._block_height() if self.method == "joint" else _SPARSE_BLOCK

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        learner = self.learners_[0]
        partition = learner.partitions[int(learner.assign(self._prepared(x))[0])]
        return partition.features, partition.weights

    def kneighbors(self, X: Any, k: int = 5) -> tuple[Array, Array]:
        """Numbers of the k nearest training rows and their cosines, as the first learner sees them."""
        X = self._read_query(X, "kneighbors")
        k = checks.places("k", k, self._Y.shape[0])
        return self.learners_[0].neighbours(self._prepared(X), k, self.threads)

    def _contributions(self, x: sp.csr_array, column: int) -> Evidence:
        return self._voters().votes_by_row(self._prepared(x), column)

    def features_for(self, x: sp.csr_array, column: int) -> Evidence:
        """Each vote goes to the features of the row, by their parts in its likeness to the voter."""
        return self._voters().votes_by_feature(self._prepared(x), column)

    def _voters(self) -> Voters:
        joint = self.method == "joint"
        return Voters(self.learners_, self._Y, self.neighbours, self.vote_power, joint, self.threads)

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        learners = [learner.to_arrays() for learner in self.learners_]
        return facts | {"learners": len(learners)}, parts | {"learner": learners, "Y": self._Y, "X": self._X}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self.learners_ = tuple(Learner.from_arrays(arrays) for arrays in parts["learner"])
        self._Y, self._X = parts["Y"], parts["X"]
