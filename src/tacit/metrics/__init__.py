"""Ranking, labels, ratings, ordinal, words. Names are loaded on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.metrics.evaluation import evaluate as evaluate
    from tacit.metrics.evaluation import evaluate_factors as evaluate_factors
    from tacit.metrics.evaluation import evaluate_lists as evaluate_lists
    from tacit.metrics.ranking import Evaluation as Evaluation

_HOMES = {
    "Evaluation": "ranking",
    "evaluate": "evaluation",
    "evaluate_factors": "evaluation",
    "evaluate_lists": "evaluation",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"tacit.metrics.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"tacit.metrics has no name {name!r}; it offers {', '.join(sorted(_HOMES))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
