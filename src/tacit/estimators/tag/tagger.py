"""The base class of taggers: reading labels, top-k, thresholds, metrics and the audit.

A tagger scores a block of rows (``block_scores``), and every public call is built on that. Blocks bound the memory:
only ``decision_function`` holds rows × labels, because that is what it returns.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.label_sets import Form, read_labels, write_labels
from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Array, Model
from tacit.estimators.ranked import Ranked
from tacit.neighbours.best import best_columns
from tacit.neighbours.clusters import unit_rows
from tacit.progress import without_clock

if TYPE_CHECKING:
    from tacit.estimators.tag.audit_report import MissingLabels

_BLOCK_CELLS = 1 << 22
_LEAST_IDF = 0.1
_NO_SCALES = np.empty(0, np.float32)


class Tagger(Model):
    """Base of the taggers; a subclass has the parameters ``top_k``, ``threshold`` and ``propensity_weighted``."""

    # GridSearchCV and cross_val_score ask before they split.
    _estimator_type: ClassVar[str] = "classifier"

    _learned: ClassVar[str]
    """The attribute that marks a fitted model: a fit that fails half-way does not set it."""

    top_k: int | None
    threshold: float | None
    propensity_weighted: bool
    random_state: int | None
    idf_power: float
    normalize: bool
    label_ids_: Ids
    n_features_in_: int
    label_frequency_: NDArray[np.int64]
    labels_per_row_: float
    rows_seen_: int
    history_: list[dict[str, Any]]
    _form: Form
    _scales: NDArray[np.float32] = _NO_SCALES

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._learned)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.single_output, tags.target_tags.multi_output = False, True
        tags.target_tags.required, tags.target_tags.positive_only = True, True
        return tags

    # What blends and audits ask of a tagger: the protocol ``scorer.Scorer`` says what each means.

    def block_scores(self, X: sp.csr_array) -> sp.csr_array | Array:
        """Scores of a few rows: dense, or sparse where labels without a stored score cannot be suggested."""
        raise NotImplementedError

    def chances(self, scores: Array) -> Array:
        """Scores that grow with the chance of a label and are near zero for labels that do not apply."""
        return scores

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        """Features (ascending) and weights (f, g) of the linear map by which this row is compared with others."""
        raise NotImplementedError

    @property
    def classes_(self) -> Array:
        """The labels, in the order of the columns of ``decision_function``."""
        return self.label_ids_.all()

    # -- reading -----------------------------------------------------------------------------------------------

    def _read_training(
        self, X: Any, Y: Any, labels: Iterable[Hashable] | None
    ) -> tuple[sp.csr_array, sp.csr_array, Ids, Form]:
        X = as_csr(X, "X")
        matrix, names, form = read_labels(Y, rows=X.shape[0], names=labels)
        self._check_conventions()
        return X, matrix, names, form

    def _read_query(self, X: Any, call: str) -> sp.csr_array:
        self._require_fitted(call)
        return as_csr(X, "X", cols=self.n_features_in_, allow_empty=True)

    def _check_conventions(self) -> None:
        if self.top_k is not None:
            checks.integer("top_k", self.top_k, 1)
        if self.threshold is not None:
            checks.number("threshold", self.threshold)
        checks.truth("propensity_weighted", self.propensity_weighted)
        if hasattr(self, "idf_power"):
            checks.exponent("idf_power", self.idf_power, 0.0)
        if hasattr(self, "normalize"):
            checks.truth("normalize", self.normalize)

    def _learn_scales(self, X: sp.csr_array) -> None:
        """Weigh features by rarity: log(n / (1 + df))^``idf_power``; features that come later are weighed by theirs."""
        known = len(self._scales)
        df = np.bincount(X.indices, minlength=X.shape[1])[known:]
        new = np.maximum(np.log(max(X.shape[0], 2) / (1 + df)), _LEAST_IDF) ** self.idf_power
        self._scales = np.concatenate((self._scales, new)).astype(np.float32)

    def _prepared(self, X: sp.csr_array) -> sp.csr_array:
        """Features as the model sees them: weighed, and scaled to length one."""
        if self.idf_power:
            X = sp.csr_array((X.data * self._scales[X.indices], X.indices, X.indptr), shape=X.shape)
        return as_csr(unit_rows(X), "X", allow_empty=True) if self.normalize else as_csr(X, "X", allow_empty=True)

    def _remember_labels(self, Y: sp.csr_array, names: Ids, form: Form) -> None:
        self.label_ids_, self._form = names, form
        self.label_frequency_ = np.bincount(Y.indices, minlength=Y.shape[1])
        carrying = int(np.count_nonzero(np.diff(Y.indptr)))
        self.labels_per_row_ = Y.nnz / max(carrying, 1)
        self.rows_seen_ = Y.shape[0]

    def _label_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and parts of what ``_remember_labels`` knows, for a model file."""
        facts = {
            "form": self._form,
            "features": self.n_features_in_,
            "rows": self.rows_seen_,
            "labels_per_row": self.labels_per_row_,
            "history": without_clock(self.history_),
        }
        return facts, {"labels": self.label_ids_, "label_frequency": self.label_frequency_, "scales": self._scales}

    def _restore_labels(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self.label_ids_, self.label_frequency_ = parts["labels"], parts["label_frequency"]
        self._scales = parts.get("scales", _NO_SCALES)
        self._form, self.n_features_in_ = facts["form"], facts["features"]
        self.rows_seen_, self.labels_per_row_ = facts["rows"], facts["labels_per_row"]
        self.history_ = facts["history"]

    # -- asking ------------------------------------------------------------------------------------------------

    def _blocks(self, X: sp.csr_array) -> Iterator[tuple[int, sp.csr_array | Array]]:
        height = self._block_height()
        for start in range(0, X.shape[0], height):
            scores = self.block_scores(X[start : start + height])
            yield start, self.weighted_by_propensity(scores) if self.propensity_weighted else scores

    def _block_height(self) -> int:
        """Rows that are scored at once."""
        return max(1, _BLOCK_CELLS // max(len(self.label_ids_), 1))

    def weighted_by_propensity(self, scores: sp.csr_array | Array) -> sp.csr_array | Array:
        """Scores that favour rare labels, which are missing more often."""
        from tacit.metrics.labels import inverse_propensities

        weight = inverse_propensities(self.label_frequency_, self.rows_seen_).astype(np.float32)
        if isinstance(scores, np.ndarray):
            return scores * weight
        data = scores.data * weight[scores.indices]
        return sp.csr_array((data, scores.indices, scores.indptr), shape=scores.shape)

    def decision_function(self, X: Any) -> NDArray[np.float32]:
        """Scores of all labels as one (n, L) array; for many labels ask ``predict_topk``, which never holds it."""
        X = self._read_query(X, "decision_function")
        scores = np.empty((X.shape[0], len(self.label_ids_)), dtype=np.float32)
        for start, block in self._blocks(X):
            scores[start : start + block.shape[0]] = block if isinstance(block, np.ndarray) else block.toarray()
        return scores

    @overload
    def predict_topk(self, X: Any, k: int = 5, *, return_scores: Literal[False] = False) -> Array: ...

    @overload
    def predict_topk(self, X: Any, k: int = 5, *, return_scores: Literal[True]) -> Ranked: ...

    def predict_topk(self, X: Any, k: int = 5, *, return_scores: bool = False) -> Array | Ranked:
        """The k best labels of each row as an (n, k) array of label ids, best first.

        Places that could not be filled hold -1 (whole-number labels) or None (others). With ``return_scores`` the
        answer is a ``Ranked`` with ``.ids``, ``.scores`` and tables.
        """
        checks.truth("return_scores", return_scores)
        X = self._read_query(X, "predict_topk")
        k = checks.places("k", k, len(self.label_ids_))
        columns, scores = self._top(X, k)
        ids = self.label_ids_.take(columns)
        if not return_scores:
            return ids
        return Ranked(np.arange(X.shape[0]), ids, scores, columns >= 0)

    def _top(self, X: sp.csr_array, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        result = [best_columns(block, k) for _, block in self._blocks(X)]
        if not result:
            return np.empty((0, k), dtype=np.int64), np.empty((0, k), dtype=np.float32)
        return np.concatenate([columns for columns, _ in result]), np.concatenate([scores for _, scores in result])

    def predict(self, X: Any) -> Any:
        """Labels of each row, in the form in which ``fit`` got them: an indicator matrix, or lists of labels.

        With ``threshold`` every label whose score reaches it; else the ``top_k`` best, by default as many as a
        training row carries on average.
        """
        X = self._read_query(X, "predict")
        rows: list[Array] = []
        columns: list[Array] = []
        for start, block in self._blocks(X):
            row, column = self._chosen(block)
            rows.append(row + start)
            columns.append(column)
        row, column = (np.concatenate(parts) if parts else np.empty(0, dtype=np.int64) for parts in (rows, columns))
        shape = (X.shape[0], len(self.label_ids_))
        matrix = sp.csr_array((np.ones(len(row), dtype=np.int8), (row, column)), shape=shape)
        return write_labels(matrix, self.label_ids_, self._form)

    def _chosen(self, block: sp.csr_array | Array) -> tuple[Array, Array]:
        if self.threshold is not None:
            if isinstance(block, np.ndarray):
                row, column = np.nonzero(block >= self.threshold)
                return row, column
            cells = block.tocoo()
            reached = cells.data >= self.threshold
            return cells.coords[0][reached], cells.coords[1][reached]
        wanted = self.top_k or max(1, round(self.labels_per_row_))
        columns, _ = best_columns(block, min(wanted, len(self.label_ids_)))
        filled = columns >= 0
        return np.nonzero(filled)[0], columns[filled]

    def why(self, x: Any, label: Hashable) -> Evidence:
        """What speaks for a label of one row, exactly: the contributions sum to its score in ``decision_function``.

        Parameters
        ----------
        x : (1, d) features of the row
        label : one of the labels that the model knows

        The ids are numbers of features (factors, and kernels that are linear), numbers of training rows (neighbours,
        kernels) or the members' names (blends). Weights by propensity are left out.
        """
        row = self._read_query(x, "why")
        if row.shape[0] != 1:
            raise InputError(f"x must be one row, not {row.shape[0]}; ask for each row in turn.")
        return self._contributions(row, int(self.label_ids_.require([label])[0]))

    @property
    def weighs_features(self) -> bool:
        """Whether ``why`` speaks of features, rather than of training rows or members."""
        return False

    def features_for(self, x: sp.csr_array, column: int) -> Evidence | None:
        """What the features of a row add to the score of a label; None where they cannot be told apart."""
        return self._contributions(x, column) if self.weighs_features else None

    def _contributions(self, x: sp.csr_array, column: int) -> Evidence:
        """What adds up to the score of this label for this row."""
        raise NotImplementedError

    def missing_labels(
        self,
        X: Any,
        Y: Any,
        n: int = 100,
        *,
        folds: int = 5,
        per_row: int = 5,
        companions: bool = True,
        labels: Iterable[Hashable] | None = None,
        row_ids: Iterable[Hashable] | None = None,
        feature_names: Iterable[Hashable] | None = None,
        texts: Sequence[str] | None = None,
        evidence: int = 3,
        rejected: Iterable[tuple[Hashable, Hashable]] = (),
    ) -> "MissingLabels":
        """The n unlabelled cells of the training data most likely positive, with evidence, best first.

        Every row is scored by a copy of this tagger that learned from other rows; the tagger itself need not be
        fitted and is not changed. The result goes to a table, or to a page to review with ``.write("audit.html")``.

        Parameters
        ----------
        folds : parts into which rows are dealt
        per_row : suggestions for one row at most
        companions : let the labels that a row has speak for those that mostly go with them, beside its features
        labels : names of Y's columns, where Y is a matrix
        row_ids, feature_names, texts : what a reader should see instead of numbers
        evidence : nearest rows, strongest features and strongest labels to show for each
        rejected : (row id, label) that were reviewed and rejected; they are not suggested again
        """
        from tacit.estimators.tag.audit_evidence import DisplayNames
        from tacit.estimators.tag.missing_labels import find_missing_labels

        X, matrix, names, _ = self._read_training(X, Y, labels)
        checks.truth("companions", companions)
        shown = DisplayNames.of(X, row_ids, feature_names, texts, checks.integer("evidence", evidence, 0))
        rng = np.random.default_rng(checks.seed(self.random_state))
        wrong = _pairs(rejected)
        cells = shown.row_ids.require([row for row, _ in wrong]), names.numbers([label for _, label in wrong])
        known = cells[1] >= 0
        ruled_out = sp.csr_array((np.ones(known.sum(), np.int8), (cells[0][known], cells[1][known])), matrix.shape)

        def fresh(some: sp.csr_array, known: sp.csr_array) -> Tagger:
            learned: Tagger = needs.settled(clone(self), graphs=False)
            return learned.set_params(progress=False, callback=None).fit(some, known)  # type: ignore[no-any-return]

        return find_missing_labels(
            fresh, X, matrix, names, n, folds=folds, per_row=per_row, companions=companions, shown=shown, rng=rng,
            rejected=ruled_out if wrong else None,
        )  # fmt: skip

    def score(self, X: Any, Y: Any) -> float:
        """Mean nDCG@5 on rows that carry labels; what ``GridSearchCV`` maximises unless told otherwise."""
        from tacit.metrics.labels import ndcg_at_k

        X = self._read_query(X, "score")
        truth, names, _ = read_labels(Y, rows=X.shape[0], known=self.label_ids_)
        # Labels that the model has never seen stay in the truth: it cannot find them, and that counts.
        carrying = np.flatnonzero(np.diff(truth.indptr))
        columns, _ = self._top(X[carrying], min(5, len(names)))
        return float(ndcg_at_k(truth[carrying], columns, columns.shape[1]))


def _pairs(rejected: Iterable[tuple[Hashable, Hashable]]) -> list[tuple[Hashable, Hashable]]:
    """Row ids and labels of cells that were rejected."""
    pairs = checks.listed("rejected", rejected)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"rejected must list pairs of a row id and a label, not {checks.shown(pair)}.")
    return [(row, label) for row, label in pairs]
