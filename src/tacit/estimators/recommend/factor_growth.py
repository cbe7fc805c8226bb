"""Growing a fitted ``FactorRecommender``: new rows and columns fold in, more interactions join."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr, take_rows, transpose
from tacit.errors import InputError
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.whole_data_fit import random_factors
from tacit.objective import losses
from tacit.solvers import als
from tacit.solvers.row_placement import place_rows

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]


def new_positives(model: "FactorRecommender", given: Any, side: str) -> tuple[sp.csr_array, Ids | None]:
    """Positives of new rows (columns) in the model's numbering of the other side, one row each, and their ids."""
    rows = side == "rows"
    other = model.col_ids_ if rows else model.row_ids_
    if isinstance(given, Interactions):
        ids = given.row_ids if rows else given.col_ids
        known = (given.col_ids if rows else given.row_ids).all()
        if not (other.numbers(known) >= 0).any():
            other.require(known)
        placed = given.aligned(ids, other) if rows else given.aligned(other, ids)
        matrix = placed.matrix
    else:
        ids = None
        checks.no_table("interactions", given)
        matrix = as_csr(given, "interactions", minimum=0.0, allow_empty=True)
        other_size = matrix.shape[1] if rows else matrix.shape[0]
        if other_size != len(other):
            raise InputError(
                f"interactions must have {len(other)} {'columns' if rows else 'rows'}, as many as the model knows, "
                f"but has {other_size}; only one side can be folded in at a time."
            )
    return (matrix if rows else transpose(matrix)), ids


def require_plain(model: "FactorRecommender", call: str) -> None:
    """Refuse what only factors of plain ids can do."""
    reason = _constraint(model) or _constraint(model, "cols")
    if model.context_ids_:
        reason = "has contexts"
    elif model.row_feature_factors_ is not None or model.col_feature_factors_ is not None:
        reason = "has features"
    elif model.graphs_:
        reason = f"has a {' and a '.join(model.graphs_)}"
    if reason is not None:
        raise InputError(f"{call} is for models of plain ids, and this one {reason}; call fit on all data instead.")


def require_own_problem(model: "FactorRecommender", call: str, side: str = "rows") -> None:
    """Refuse models whose rows are not placed by their own positives."""
    reason = "has contexts" if model.context_ids_ else _constraint(model, side)
    if reason is not None:
        raise InputError(f"{call} places rows by their own positives, and this model {reason}; call fit instead.")


def _constraint(model: "FactorRecommender", side: str = "rows") -> str | None:
    """Why the factor of a row (column) is not the minimiser of its own problem, if so."""
    own_weight, features = (
        ("row_weight", model.row_feature_factors_) if side == "rows" else ("col_weight", model.col_feature_factors_)
    )
    for name in ("targets", own_weight):
        if name in model.given_:
            return f"was trained with {name} that new {side} have none of"
    if not model.ids and features is not None:
        return f"makes {side} of their features alone"
    if model.biases:
        return "has biases"
    if model.nonnegative:
        return "is kept non-negative"
    return None if model.unlabelled == "all" else f"was trained with unlabelled={model.unlabelled!r}"


def place(
    model: "FactorRecommender", interactions: Any, side: str, features: Any, add: bool, ids: Any, replace: bool
) -> Array:
    """Factors (n, g) of rows (columns) by their positives, their features or both, and kept where asked for."""
    if (ids is not None or replace) and not add:
        raise InputError("ids and replace say how something is kept; give add=True beside them.")
    if interactions is None:
        factors = from_features(model, features, side)
        if not add:
            return factors
        if ids is None:
            raise InputError("add=True needs ids for what is added; give ids=[...], one for each row of features.")
        other = model.col_ids_ if side == "rows" else model.row_ids_
        positives, given = as_csr(sp.csr_array((len(factors), len(other))), "interactions", allow_empty=True), None
    else:
        positives, given = new_positives(model, interactions, side)
        factors = None
    own = model.row_ids_ if side == "rows" else model.col_ids_
    named = given if ids is None else Ids(listed(ids, own), "ids")
    if named is not None and len(named) != positives.shape[0]:
        raise InputError(f"ids has {len(named)} ids for {positives.shape[0]} that are folded in; give one for each.")
    if add:
        grown, numbers = _grown_ids(model, positives, named, side)
        if not replace:
            positives = _with_history(model, positives, numbers, side)
    if factors is None or (add and positives.nnz):
        factors = fold_in(model, positives, side, features)
    if add:
        _keep(model, positives, grown, numbers, factors, side)
    return factors


def from_features(model: "FactorRecommender", features: Any, side: str) -> Array:
    """Factors (n, g) of rows (columns) of which only the features are known."""
    weights = model.row_feature_factors_ if side == "rows" else model.col_feature_factors_
    if weights is None:
        raise InputError(
            f"features: this model was trained without {'row' if side == 'rows' else 'col'}_features; give them to fit."
        )
    if features is None:
        raise InputError("give interactions, or features of what is to be placed.")
    known = as_csr(features, "features", cols=len(weights), allow_empty=True).native()
    factors = np.asarray(known @ weights, dtype=np.float32)
    if model.biases:
        # The fixed one of Eq. 13 belongs to every row; w₀ is in all factors alike and does not change a ranking.
        factors[:, -1 if side == "rows" else -2] = 1.0
    return factors


def fold_in(model: "FactorRecommender", positives: sp.csr_array, side: str, features: Any = None) -> Array:
    """Factors (n, g) that minimise the objective over these rows, the other side's factors fixed."""
    require_own_problem(model, "fold_in", side)
    rows = side == "rows"
    other_weight = model.col_weight_ if rows else model.row_weight_
    other = model.col_factors_ if rows else model.row_factors_
    if not other.flags.c_contiguous:
        other = np.ascontiguousarray(other)
    problem = model.recipe_.side_of_new(positives, other_weight, side)
    known = model._derived.of(f"caches for {side}", (other, other_weight), lambda: problem.caches(other, model.threads))
    problem = replace(problem, known_caches=known)
    loss = losses.resolve(model.recipe_.loss)
    with threads.single_threaded_blas():
        if features is not None:
            base = from_features(model, features, side)
            if len(base) != positives.shape[0]:
                raise InputError(f"features must have {positives.shape[0]} rows, one for each, but has {len(base)}.")
            return place_rows(problem, loss, other, base, model.threads)
        factors = np.zeros((positives.shape[0], other.shape[1]), dtype=np.float32)
        als.solve_exactly(problem, factors, other, model.threads, loss=loss)
    return factors


def _grown_ids(
    model: "FactorRecommender", positives: sp.csr_array, ids: Ids | None, side: str
) -> tuple[Ids, NDArray[np.int64]]:
    """The model's ids with the unknown ones of ``ids`` appended, and the numbers of ``ids`` among them."""
    rows = side == "rows"
    own = model.row_ids_ if rows else model.col_ids_
    if not own.is_range and (ids is None or ids.is_range):
        raise InputError(
            "add=True needs ids for what is added, because the model has ids of its own; "
            "give Interactions with ids instead of a bare matrix."
        )
    if ids is None:
        numbers = np.arange(len(own), len(own) + positives.shape[0])
        return Ids.range(len(own) + positives.shape[0], own.name), numbers
    return extended(own, ids)


def _with_history(
    model: "FactorRecommender", positives: sp.csr_array, numbers: NDArray[np.int64], side: str
) -> sp.csr_array:
    """These positives and those that the model has for the same rows (columns)."""
    seen = model.seen_ if side == "rows" else transpose(model.seen_)
    known = np.flatnonzero(numbers < seen.shape[0])
    indptr, indices, data = take_rows(seen, numbers[known])
    of_row = np.repeat(known, np.diff(indptr))
    history = sp.csr_array((data, (of_row, indices)), shape=positives.shape)
    return as_csr(positives.native() + history, "interactions", allow_empty=True)


def _keep(
    model: "FactorRecommender",
    positives: sp.csr_array,
    grown: Ids,
    numbers: NDArray[np.int64],
    factors: Array,
    side: str,
) -> None:
    rows = side == "rows"
    seen = model.seen_ if rows else transpose(model.seen_)
    seen = _with_rows(seen, positives, numbers, len(grown))
    weights = model.recipe_.rows if rows else model.recipe_.cols
    weight = weights.weights(np.diff(positives.indptr)).astype(np.float32)
    model.seen_ = seen if rows else transpose(seen)
    if rows:
        model.row_ids_ = grown
        model.row_factors_ = _placed(model.row_factors_, factors, numbers, len(grown))
        model.row_weight_ = _placed(model.row_weight_, weight, numbers, len(grown))
    else:
        model.joined_cols_ += len(grown) - len(model.col_ids_)
        model.col_ids_ = grown
        model.col_factors_ = _placed(model.col_factors_, factors, numbers, len(grown))
        model.col_weight_ = _placed(model.col_weight_, weight, numbers, len(grown))


def joined(model: "FactorRecommender", more: Interactions) -> Interactions:
    """The model's positives and more of them, under ids that are extended where needed."""
    row_ids, rows = extended(model.row_ids_, more.row_ids)
    col_ids, cols = extended(model.col_ids_, more.col_ids)
    coo = more.matrix.tocoo()
    shape = (len(row_ids), len(col_ids))
    new = sp.csr_array((coo.data, (rows[coo.coords[0]], cols[coo.coords[1]])), shape=shape)
    old = model.seen_.copy()
    old.resize(shape)
    return Interactions(as_csr(old + new, "interactions"), row_ids, col_ids)


def grown_factors(model: "FactorRecommender", shape: tuple[int, int]) -> tuple[Array, Array]:
    """Factors to go on from: known ones as they are, new rows at zero, new columns random and small."""
    g = model.row_factors_.shape[1]
    rows = np.zeros((shape[0], g), np.float32)
    rows[: len(model.row_factors_)] = model.row_factors_
    known = len(model.col_factors_)
    fresh = random_factors(shape[1] - known, g, checks.seed(model.random_state) + known)
    return rows, np.concatenate((model.col_factors_, fresh))


def extended(ids: Ids, more: Ids) -> tuple[Ids, NDArray[np.int64]]:
    """These ids with the unknown ones of ``more`` appended, and the numbers of ``more`` among them."""
    if more.is_range and (ids.is_range or len(more) == len(ids)):
        # A bare matrix speaks in the model's own numbering.
        return (ids if len(more) <= len(ids) else Ids.range(len(more), ids.name)), np.arange(len(more))
    if more.is_range or ids.is_numeric != more.is_numeric:
        known, new = (one.all()[:1].tolist()[0] for one in (ids, more))
        raise InputError(
            f"{ids.name}: the model's ids are like {known!r}, new ones like {new!r}; give Interactions with ids of the "
            "same type, or a matrix of the model's own shape."
        )
    numbers = ids.numbers(more.all())
    fresh = more.all()[numbers < 0]
    numbers[numbers < 0] = len(ids) + np.arange(len(fresh))
    return (ids.extended(fresh) if len(fresh) else ids), numbers


def _placed(array: Array, values: Array, numbers: NDArray[np.int64], length: int) -> Array:
    grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    grown[numbers] = values
    return grown


def _with_rows(seen: sp.csr_array, rows: sp.csr_array, numbers: NDArray[np.int64], length: int) -> sp.csr_array:
    """``seen`` with the given rows put in their places."""
    kept = np.ones(seen.shape[0], dtype=bool)
    kept[numbers[numbers < seen.shape[0]]] = False
    old, new = seen.tocoo(), rows.tocoo()
    stays = kept[old.coords[0]]
    coords = (
        np.concatenate((old.coords[0][stays], numbers[new.coords[0]])),
        np.concatenate((old.coords[1][stays], new.coords[1])),
    )
    data = np.concatenate((old.data[stays], new.data))
    return as_csr(sp.csr_array((data, coords), shape=(length, seen.shape[1])), "the model's positives")
