"""What the papers compare with, as honest opponents: each has ``fit`` and ``recommend`` like the real estimators."""

from tacit.baselines.ease import Ease as Ease
from tacit.baselines.popularity import Popularity as Popularity
from tacit.baselines.sampled import BprFm as BprFm
from tacit.baselines.sampled import LambdaFm as LambdaFm
from tacit.baselines.sampled import SvdFeature as SvdFeature
from tacit.baselines.sampled import VseEns as VseEns
from tacit.baselines.sampled import Warp as Warp

__all__ = ["BprFm", "Ease", "LambdaFm", "Popularity", "SvdFeature", "VseEns", "Warp"]
