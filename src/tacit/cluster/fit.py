"""``tacit.cluster.fit``: what one process would learn, learned by many."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

from tacit import checks
from tacit.cluster import factor_fit, linear_fit, word_fit
from tacit.cluster.rows import rows_of
from tacit.cluster.workers import Tasks
from tacit.data.events import Duplicates, check_duplicates
from tacit.data.parts import Columns, part_paths
from tacit.errors import InputError
from tacit.estimators.grade.ordinal_ranker import OrdinalRanker
from tacit.estimators.recommend.factor_recommender import FactorRecommender
from tacit.estimators.recommend.linear_recommender import LinearRecommender
from tacit.estimators.words.word_vectors import WordVectors

Model = TypeVar("Model")

_REASONS = {
    "BlendRecommender": "it compares its members on held-out positives of all rows; fit the members one by one",
    "RatingStream": "a stream is learned in its order",
    "ExpertRatingStream": "a stream is learned in its order",
    "KernelTagger": "its landmarks and its exact solve are of one machine's size",
    "FactorTagger": "its conjugate gradients go over all texts at every step",
    "NeighbourTagger": "its neighbours are sought among all texts",
}


def fit(
    client: Any,
    estimator: Model,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    row: str | None = None,
    col: str | None = None,
    weight: str | None = None,
    duplicates: Duplicates = "sum",
    missing: Literal["error", "drop"] = "error",
    grade: str | None = None,
    leave: Sequence[str] = (),
) -> Model:
    """Fit ``estimator`` on the workers of ``client``; it comes back fitted, as one process would fit it.

    Parameters
    ----------
    client : a ``dask.distributed.Client``; its workers must be able to read ``paths``
    estimator : a ``FactorRecommender`` of plain ids under the squared loss, a ``LinearRecommender`` with sparse weights
        of given exponents, ``WordVectors`` by ``solver="als"``, or an ``OrdinalRanker`` by exact moments. Its
        ``progress``, ``callback`` and ``checkpoint`` belong to the process that calls; ``threads`` is not used, workers
        have their own
    paths : a path, a glob or a list of them: Parquet or whatever ``Interactions.from_table`` reads; texts for words
    row, col, weight, duplicates, missing : of recommenders, as ``Interactions.from_table`` has them; weights must be
        above zero
    grade, leave : of an ``OrdinalRanker``: the column of the grade, and columns that are no features; all other columns
        of numbers are
    """
    check_duplicates(duplicates)
    checks.choice("missing", missing, ("error", "drop"))
    kind = type(estimator).__name__
    named = {"row": row, "col": col, "weight": weight, "grade": grade, "leave": leave or None}
    if isinstance(estimator, FactorRecommender | LinearRecommender):
        _require_columns(kind, named, needed=("row", "col"), allowed=("weight",))
        columns = Columns(str(row), str(col), weight, missing)
        if isinstance(estimator, LinearRecommender):
            return linear_fit.fit(Tasks(client), estimator, part_paths(paths), columns, duplicates)
        return factor_fit.fit(Tasks(client), estimator, part_paths(paths), columns, duplicates)
    if isinstance(estimator, OrdinalRanker):
        _require_columns(kind, named, needed=("grade",), allowed=("leave",))
        return estimator.fit_elsewhere(*rows_of(Tasks(client), part_paths(paths), str(grade), leave))
    if isinstance(estimator, WordVectors):
        _require_columns(kind, named)
        return word_fit.fit(Tasks(client), estimator, paths)
    reason = _REASONS.get(kind)
    raise InputError(
        f"estimator: a {kind} cannot be fitted on a cluster{f', because {reason}' if reason else ''}; use its own fit."
    )


def _require_columns(kind: str, named: dict[str, Any], needed: Sequence[str] = (), allowed: Sequence[str] = ()) -> None:
    """Every column that the estimator needs, and none that it has no use for."""
    for name in needed:
        if named[name] is None:
            raise InputError(f"{name} is missing: say which column of the parts it is for a {kind}.")
    for name, value in named.items():
        if value is not None and name not in (*needed, *allowed):
            raise InputError(f"{name}={value!r} is not for a {kind}; leave it out.")
