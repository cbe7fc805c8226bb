"""The baselines of the papers, each with ``fit`` and the calls of the estimator that it is compared with."""

from tacit.baselines.glove import GloVe as GloVe
from tacit.baselines.means_so_far import means_so_far as means_so_far
from tacit.baselines.naive_gradient import naive_gradient as naive_gradient
from tacit.baselines.online_gradient import OnlineGradient as OnlineGradient
from tacit.baselines.ordinal_splits import MPNUAUC as MPNUAUC
from tacit.baselines.ordinal_splits import MSAMULT as MSAMULT
from tacit.baselines.popularity import Popularity as Popularity
from tacit.baselines.random_order import RandomOrder as RandomOrder
from tacit.baselines.sampled import BprFm as BprFm
from tacit.baselines.sampled import LambdaFm as LambdaFm
from tacit.baselines.sampled import SvdFeature as SvdFeature
from tacit.baselines.sampled import VseEns as VseEns
from tacit.baselines.sampled import Warp as Warp
from tacit.baselines.svorex import SVOREX as SVOREX
from tacit.baselines.taggers import LemlImcTagger as LemlImcTagger
from tacit.baselines.taggers import OneVsRestTagger as OneVsRestTagger
from tacit.baselines.taggers import PopularTagger as PopularTagger
from tacit.baselines.taggers import SleecTagger as SleecTagger
from tacit.baselines.taggers import leml as leml

__all__ = [
    "BprFm",
    "GloVe",
    "LambdaFm",
    "LemlImcTagger",
    "MPNUAUC",
    "MSAMULT",
    "OneVsRestTagger",
    "OnlineGradient",
    "PopularTagger",
    "Popularity",
    "RandomOrder",
    "SVOREX",
    "SleecTagger",
    "SvdFeature",
    "VseEns",
    "Warp",
    "leml",
    "means_so_far",
    "naive_gradient",
]
