"""Evaluate a recommender on held-out cells without ever holding users × items.

Users go through in batches of ``BATCH``; a batch costs its (batch, k) lists, and the search for them one tile per
thread (see ``neighbours.topk``). AUC needs all scores of a user at once: it holds ``AUC_BYTES`` (32 MiB) of them per
thread, or those of 16 users where that is more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr, as_dense, take_rows
from tacit.errors import InputError
from tacit.kernels import evaluation as kernels
from tacit.metrics.details import Details, lead
from tacit.metrics.intervals import Difference
from tacit.metrics.other_jobs import call, other_job
from tacit.metrics.ranking import PER_USER, Evaluation, Tally, check_cutoffs, check_metrics
from tacit.neighbours.filters import Filters, Lists
from tacit.neighbours.selection import bar_cells
from tacit.neighbours.topk import QUERIES, fill_zero_rows, top_k
from tacit.solvers.popular_row import popular_row, votes
from tacit.threads import even_chunks, run, single_threaded_blas

Array = NDArray[Any]

BATCH = 8192
AUC_BYTES = 32 * 2**20
DEFAULT = ("precision", "recall", "ndcg", "mrr", "map", "hit_rate", "coverage", "novelty")


def evaluate(
    model: Any,
    *data: Any,
    k: int | Sequence[int] = 10,
    metrics: Sequence[str] = DEFAULT,
    threads: int = 0,
    details: Details | None = None,
    against: Mapping[str, Any] | None = None,
    **named: Any,
) -> Evaluation:
    """How good a fitted model of any job is, on data that it has not learned from.

        evaluate(recommender, train, test)           all items but the training ones, ranked for every user
        evaluate(tagger, X, Y)                       precision@k, recall@k and ndcg@k of the labels
        evaluate(ranker, X, y)                       the measures of ``ordinal_metrics``
        evaluate(stream, users, items, ratings)      mae and rmse; ``progressive`` learns in turn
        evaluate(word_vectors, questions, pairs)     accuracy of analogies, correlation of similarities

    Parameters
    ----------
    model : one of Tacit's, or another with the same calls; a recommender is anything with ``row_factors_`` and
        ``col_factors_``, or with ``recommend(rows, k=...)``, whose answer has the listed ids in ``.ids``
    data, named : as above, by position or by name. ``train`` and ``test`` are ``Interactions`` or sparse matrices of
        one shape, rows and columns as the model knows them; of ``questions`` and ``pairs`` one may be None
    k : one length of list or several
    metrics : of recommenders: names out of ``tacit.metrics.ranking.METRICS``
    details : of recommenders: takes in what each user scored and each item got; see ``tacit.metrics.Details``
    against : of recommenders: baselines by name, fitted on the same ``train``; ``differences`` of the result then says
        by how much the model leads each of them, user by user, with a bootstrap interval, at the first k (or as
        ``details`` asks)

    Returns
    -------
    a mapping from ``"ndcg@10"`` and the like to means; ``users`` and ``left_out`` say over how many
    """
    kind = type(model).__name__
    if measure := other_job(model):
        if metrics is not DEFAULT or details is not None or against:
            raise InputError(f"metrics, details and against are for recommenders; leave them out for a {kind}.")
        result: Evaluation = call(measure, (model, check_cutoffs(k)), kind, data, named)
        return result
    train, test = call(_train_and_test, (), kind, data, named)
    if against:
        return _beside(model, train, test, against, k=k, metrics=metrics, threads=threads, details=details)
    _check_ids("test", test, "train", getattr(train, "row_ids", None), getattr(train, "col_ids", None))
    return _evaluate(ranking_of(model, train, metrics, threads), train, test, k, metrics, details)


def _train_and_test(train: Any, test: Any) -> tuple[Any, Any]:
    return train, test


@dataclass(frozen=True)
class Ranking:
    """How a model ranks: lists of so many items for rows and, where it can, the AUC of their held-out items."""

    lists: Callable[[Array, int], Array]
    aucs: Callable[[Array, Lists], NDArray[np.float64]] | None = None

    def count(self, tally: Tally, rows: Array, relevant: Lists) -> tuple[Array, Array]:
        """Count one batch of rows; their lists, and which places hit."""
        numbers = np.asarray(self.lists(rows, tally.cutoffs[-1]), dtype=np.int32)
        hits = tally.add(numbers, *relevant)
        if "auc" in tally.metrics and self.aucs is not None:
            tally.add_auc(self.aucs(rows, relevant))
        return numbers, hits


def ranking_of(model: Any, train: Any, metrics: Sequence[str], threads: int = 0) -> Ranking:
    """How a model ranks all items but the training ones."""
    if getattr(model, "context_ids_", None):
        raise InputError(
            "model: evaluate knows no contexts yet, and it was trained with them; rank by recommend instead."
        )
    _check_ids("train", train, "the model", getattr(model, "row_ids_", None), getattr(model, "col_ids_", None))
    if hasattr(model, "row_factors_") and hasattr(model, "col_factors_"):
        # As recommend does for a row without positives.
        cells = as_csr(_matrix(train), "train", allow_empty=True)
        cols = as_dense(model.col_factors_, "col_factors", rows=cells.shape[1])
        rows = fill_zero_rows(model.row_factors_, lambda: popular_row(cols, votes(cells)))
        return _ranking_of_factors(rows, cols, cells, threads)
    if not hasattr(model, "recommend"):
        raise InputError(f"model: a {type(model).__name__} has neither factors nor recommend, so it ranks nothing.")
    if "auc" in check_metrics(metrics):
        raise InputError("metrics: auc needs all scores, which this model does not offer; leave it out.")

    def lists(rows: Array, width: int) -> Array:
        row_ids = rows if not hasattr(train, "row_ids") else train.row_ids.take(rows)
        ids = model.recommend(row_ids, k=width).ids
        numbers = train.col_ids.numbers(ids.ravel()) if hasattr(train, "col_ids") else ids
        return np.reshape(numbers, np.shape(ids))

    return Ranking(lists)


def _beside(
    model: Any,
    train: Any,
    test: Any,
    against: Mapping[str, Any],
    *,
    details: Details | None,
    **how: Any,
) -> Evaluation:
    """The model's evaluation with its lead over every baseline; each ranks for the same users in the same order."""
    paired = tuple(name for name in check_metrics(how["metrics"]) if name in PER_USER)
    own = details or Details(check_cutoffs(how["k"])[0], paired)
    result = evaluate(model, train, test, details=own, **how)
    differences: dict[str, dict[str, Difference]] = {}
    for name, baseline in against.items():
        theirs = Details(own.k, own.metrics)
        evaluate(baseline, train, test, details=theirs, **how | {"metrics": tuple(own.metrics)})
        differences[name] = lead(own, theirs)
    return replace(result, differences=differences)


def evaluate_factors(
    row_factors: Array,
    col_factors: Array,
    train: Any,
    test: Any,
    *,
    k: int | Sequence[int] = 10,
    metrics: Sequence[str] = DEFAULT,
    threads: int = 0,
    details: Details | None = None,
) -> Evaluation:
    """The same for scores ⟨p, q⟩ given as factors (n, g) and (m, g).

    >>> train = np.array([[1, 0, 0], [0, 1, 0]])
    >>> test = np.array([[0, 1, 0], [0, 0, 0]])
    >>> factors = np.ones((2, 1)), np.array([[3.0], [2.0], [1.0]])
    >>> means = evaluate_factors(*factors, train, test, k=1, metrics=("recall", "auc"))
    >>> dict(means), means.users, means.left_out
    ({'recall@1': 1.0, 'auc': 1.0}, 1, 1)
    """
    ranking = _ranking_of_factors(row_factors, col_factors, train, threads)
    return _evaluate(ranking, train, test, k, metrics, details)


def _ranking_of_factors(row_factors: Array, col_factors: Array, train: Any, threads: int) -> Ranking:
    cells = as_csr(_matrix(train), "train", allow_empty=True)
    row_factors = as_dense(row_factors, "row_factors", rows=cells.shape[0])
    col_factors = as_dense(col_factors, "col_factors", rows=cells.shape[1], cols=row_factors.shape[1])

    def lists(rows: Array, width: int) -> Array:
        return top_k(row_factors[rows], col_factors, width, Filters(seen=_rows(cells, rows)), threads=threads)[0]

    def aucs(rows: Array, held_out: Lists) -> NDArray[np.float64]:
        return _aucs(row_factors[rows], col_factors, _rows(cells, rows), held_out, threads)

    return Ranking(lists, aucs)


def hidden_ndcg(model: Any, positives: Any, *, share: float = 0.2, k: int = 10, seed: int = 0) -> float:
    """Mean NDCG@k when a share of the positives of given rows is hidden and the rest is folded in.

    ``model`` answers ``recommend`` for a sparse matrix of rows and has ``col_ids_``; ``positives`` (n, columns) need
    not be rows that it has seen. What is hidden depends on the positives and the seed alone, so that models can be
    compared.
    """
    shown, hidden = Interactions.from_matrix(as_csr(positives, "positives")).split(test=share, seed=seed)
    asked = np.flatnonzero(np.diff(hidden.matrix.indptr))
    if not len(asked):
        raise InputError("positives: too few to hide some and rank by the rest; give more rows.")
    ids = model.recommend(shown.matrix[asked], k=k).ids
    numbers = np.reshape(model.col_ids_.numbers(ids.ravel()), ids.shape)
    result = evaluate_lists(numbers, hidden.matrix[asked], k=k, metrics=("ndcg",), train=shown.matrix[asked])
    return result[f"ndcg@{k}"]


def evaluate_lists(
    numbers: Array,
    test: Any,
    *,
    k: int | Sequence[int] = 10,
    metrics: Sequence[str] = DEFAULT,
    train: Any = None,
    details: Details | None = None,
) -> Evaluation:
    """The same for lists made elsewhere: ``numbers`` (n, at least max k), best first, -1 for empty places.

    >>> dict(evaluate_lists(np.array([[2, 0]]), np.array([[0, 0, 1]]), k=2, metrics=("precision", "mrr")))
    {'precision@2': 0.5, 'mrr@2': 1.0}
    """
    held_out = as_csr(_matrix(test), "test", allow_empty=True)
    train = sp.csr_array(held_out.shape) if train is None else train
    numbers = np.asarray(numbers)
    if numbers.ndim != 2 or numbers.dtype.kind not in "iu" or len(numbers) != held_out.shape[0]:
        raise InputError(f"numbers must be whole numbers of shape ({held_out.shape[0]}, k), one row per row of test.")
    if numbers.shape[1] < max(check_cutoffs(k)):
        raise InputError(f"k={max(check_cutoffs(k))} asks for more places than the {numbers.shape[1]} in numbers.")
    if numbers.size and (numbers.min() < -1 or numbers.max() >= held_out.shape[1]):
        raise InputError(f"numbers must be between -1 and {held_out.shape[1] - 1}.")
    if "auc" in check_metrics(metrics):
        raise InputError("metrics: auc needs all scores and cannot be had from lists; leave it out.")
    return _evaluate(Ranking(lambda rows, width: numbers[rows, :width]), train, held_out, k, metrics, details)


def _evaluate(
    ranking: Ranking,
    train: Any,
    test: Any,
    k: int | Sequence[int],
    metrics: Sequence[str],
    details: Details | None = None,
) -> Evaluation:
    cells = as_csr(_matrix(train), "train", allow_empty=True)
    held_out = as_csr(_matrix(test), "test", rows=cells.shape[0], cols=cells.shape[1], allow_empty=True)
    held_out = without(held_out, cells)
    cutoffs, metrics = check_cutoffs(k), check_metrics(metrics)
    if details is not None and details.k > cutoffs[-1]:
        raise InputError(f"details asks for k={details.k}, but lists end at {cutoffs[-1]}; give a larger k.")
    tally = tally_of(cells, cutoffs, metrics)
    users = np.flatnonzero(np.diff(held_out.indptr))
    for start, stop in even_chunks(len(users), BATCH):
        rows = users[start:stop]
        relevant = _rows(held_out, rows)
        numbers, hits = ranking.count(tally, rows, relevant)
        if details is not None:
            details.add(rows, numbers, hits, np.diff(relevant[0]), cells.shape[1])
    return tally.result(left_out=held_out.shape[0] - len(users))


def tally_of(train: sp.csr_array, cutoffs: tuple[int, ...], metrics: tuple[str, ...]) -> Tally:
    """Nothing counted yet, of a model that was trained on these cells."""
    popularity = np.bincount(train.indices, minlength=train.shape[1])
    return Tally(cutoffs, metrics, train.shape[1], popularity, train.shape[0])


def _matrix(data: Any) -> Any:
    return getattr(data, "matrix", data)


def _check_ids(name: str, data: Any, of: str, row_ids: Any, col_ids: Any) -> None:
    """Rows and columns meet by number: Interactions under other ids would be measured against the wrong ones."""
    for own, wanted in ((getattr(data, "row_ids", None), row_ids), (getattr(data, "col_ids", None), col_ids)):
        if not isinstance(own, Ids) or not isinstance(wanted, Ids) or own.is_range or wanted.is_range:
            continue
        if own != wanted:
            raise InputError(
                f"{name} has other ids than {of}, or has them in another order; "
                f"give {name}.aligned(row_ids, col_ids) with those of {of}."
            )


def _rows(csr: sp.csr_array, rows: Array) -> Lists:
    indptr, indices, _ = take_rows(csr, rows)
    return indptr, indices


def without(held_out: sp.csr_array, cells: sp.csr_array) -> sp.csr_array:
    """The held-out cells that are not training cells as well."""
    both = (held_out != 0).multiply(cells != 0)
    if both.nnz == 0:
        return held_out
    return as_csr((held_out != 0).astype(np.float32) - both.astype(np.float32), "test", allow_empty=True)


def _aucs(queries: Array, items: Array, seen: Lists, held_out: Lists, threads: int) -> NDArray[np.float64]:
    """AUC of every query: of all pairs (held-out, other candidate), the share in the right order; ties count ½.

    With R held-out items among C candidates, Σ over held-out items of (candidates below + ½ level) counts each pair of
    held-out items as 1 and each item with itself as ½, together R²/2, which is taken off.
    """
    height = next((size for size in reversed(QUERIES) if size * len(items) * 4 <= AUC_BYTES), QUERIES[0])

    def block(start: int, stop: int) -> NDArray[np.float64]:
        padded = np.zeros((height, queries.shape[1]), dtype=np.float32)
        padded[: stop - start] = queries[start:stop]
        scores = padded @ items.T
        rows = stop - start
        bar_cells(scores, rows, start, seen)
        masked = np.diff(seen[0][start : stop + 1])
        indptr, indices = held_out[0][start : stop + 1], held_out[1]
        sums = np.empty(rows)
        kernels.rank_sums(scores, rows, masked, indptr, indices, sums)
        relevant = np.diff(indptr)
        others = len(items) - masked - relevant
        pairs = (relevant * others).astype(np.float64)
        aucs = np.full(rows, np.nan)
        np.divide(sums - relevant**2 / 2, pairs, out=aucs, where=pairs > 0)
        return aucs

    with single_threaded_blas():
        return np.concatenate(run(block, even_chunks(len(queries), height), threads))
