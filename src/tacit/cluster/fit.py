"""``tacit.cluster.fit``: what one process would learn, learned by many."""

import os
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from tacit import checks
from tacit.cluster import factor_fit
from tacit.cluster.workers import Tasks
from tacit.data.events import Duplicates, check_duplicates
from tacit.data.parts import Columns, part_paths
from tacit.errors import InputError
from tacit.estimators.recommend.factor_recommender import FactorRecommender

Model = TypeVar("Model")


def fit(
    client: Any,
    estimator: Model,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    row: str,
    col: str,
    weight: str | None = None,
    duplicates: Duplicates = "sum",
    missing: Literal["error", "drop"] = "error",
) -> Model:
    """Fit ``estimator`` on the workers of ``client``; it comes back fitted, as one process would fit it.

    Parameters
    ----------
    client : a ``dask.distributed.Client``; its workers must be able to read ``paths``
    estimator : a ``FactorRecommender`` of plain ids under the squared loss. Its ``progress``, ``callback`` and
        ``checkpoint`` belong to the process that calls; ``threads`` is not used, workers have their own
    paths : a path, a glob or a list of them, of Parquet or whatever ``Interactions.from_table`` reads
    row, col, weight, duplicates, missing : as ``Interactions.from_table`` has them; weights must be above zero
    """
    check_duplicates(duplicates)
    checks.choice("missing", missing, ("error", "drop"))
    if not isinstance(estimator, FactorRecommender):
        raise InputError(f"estimator: a {type(estimator).__name__} cannot be fitted on a cluster; use its own fit.")
    tasks = Tasks(client)
    return factor_fit.fit(tasks, estimator, part_paths(paths), Columns(row, col, weight, missing), duplicates)
