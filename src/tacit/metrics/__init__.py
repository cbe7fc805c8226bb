"""Metrics for rankings, labels, ratings, ordinal classes and word vectors. Names are imported on first use."""

from typing import TYPE_CHECKING

from tacit.lazy import lazy_names

if TYPE_CHECKING:
    from tacit.metrics.details import Details as Details
    from tacit.metrics.evaluation import evaluate as evaluate
    from tacit.metrics.evaluation import evaluate_factors as evaluate_factors
    from tacit.metrics.evaluation import evaluate_lists as evaluate_lists
    from tacit.metrics.intervals import Difference as Difference
    from tacit.metrics.intervals import paired_difference as paired_difference
    from tacit.metrics.labels import inverse_propensities as inverse_propensities
    from tacit.metrics.labels import ndcg_at_k as ndcg_at_k
    from tacit.metrics.labels import precision_at_k as precision_at_k
    from tacit.metrics.labels import propensities as propensities
    from tacit.metrics.labels import psndcg_at_k as psndcg_at_k
    from tacit.metrics.labels import psp_at_k as psp_at_k
    from tacit.metrics.labels import recall_at_k as recall_at_k
    from tacit.metrics.ordinal import average_mae as average_mae
    from tacit.metrics.ordinal import concordance_index as concordance_index
    from tacit.metrics.ordinal import ordinal_auc as ordinal_auc
    from tacit.metrics.ordinal import ordinal_metrics as ordinal_metrics
    from tacit.metrics.ordinal import quadratic_kappa as quadratic_kappa
    from tacit.metrics.ordinal import zero_one_error as zero_one_error
    from tacit.metrics.ranking import Evaluation as Evaluation
    from tacit.metrics.ratings import RunningError as RunningError
    from tacit.metrics.ratings import mae as mae
    from tacit.metrics.ratings import rmse as rmse
    from tacit.metrics.stream_validation import Progress as Progress
    from tacit.metrics.stream_validation import progressive as progressive
    from tacit.metrics.words import AnalogyScores as AnalogyScores
    from tacit.metrics.words import analogies as analogies
    from tacit.metrics.words import similarities as similarities

_HOMES = {
    "Details": "details",
    "evaluate": "evaluation",
    "evaluate_factors": "evaluation",
    "evaluate_lists": "evaluation",
    "Difference": "intervals",
    "paired_difference": "intervals",
    "inverse_propensities": "labels",
    "ndcg_at_k": "labels",
    "precision_at_k": "labels",
    "propensities": "labels",
    "psndcg_at_k": "labels",
    "psp_at_k": "labels",
    "recall_at_k": "labels",
    "average_mae": "ordinal",
    "concordance_index": "ordinal",
    "ordinal_auc": "ordinal",
    "ordinal_metrics": "ordinal",
    "quadratic_kappa": "ordinal",
    "zero_one_error": "ordinal",
    "Evaluation": "ranking",
    "RunningError": "ratings",
    "mae": "ratings",
    "rmse": "ratings",
    "AnalogyScores": "words",
    "analogies": "words",
    "similarities": "words",
    "Progress": "stream_validation",
    "progressive": "stream_validation",
}

__all__ = [*_HOMES]

__getattr__, __dir__ = lazy_names(__name__, {name: f"tacit.metrics.{home}" for name, home in _HOMES.items()})
