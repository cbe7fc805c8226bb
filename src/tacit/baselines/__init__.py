"""What the papers compare with, as honest opponents: each has ``fit`` and ``recommend`` like the real estimators."""

from tacit.baselines.ease import Ease as Ease
from tacit.baselines.popularity import Popularity as Popularity

__all__ = ["Ease", "Popularity"]
