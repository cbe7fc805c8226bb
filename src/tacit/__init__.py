"""Tacit learns from what was never labelled.

Five jobs, one idea: never sample negatives where algebra can sum every unlabelled cell exactly.
Names are loaded on first use, so that ``import tacit`` costs almost nothing.
"""

from typing import TYPE_CHECKING

from tacit._version import __version__
from tacit.estimators.homes import ESTIMATORS
from tacit.lazy import lazy_names

if TYPE_CHECKING:
    from tacit.data.interactions import Interactions as Interactions
    from tacit.estimators.grade.ordinal_ranker import OrdinalRanker as OrdinalRanker
    from tacit.estimators.model import load as load
    from tacit.estimators.recommend.blend_recommender import BlendRecommender as BlendRecommender
    from tacit.estimators.recommend.factor_recommender import FactorRecommender as FactorRecommender
    from tacit.estimators.recommend.linear_recommender import LinearRecommender as LinearRecommender
    from tacit.estimators.recommend.tune import tune as tune
    from tacit.estimators.stream.expert_rating_stream import ExpertRatingStream as ExpertRatingStream
    from tacit.estimators.stream.rating_stream import RatingStream as RatingStream
    from tacit.estimators.tag.blend_tagger import BlendTagger as BlendTagger
    from tacit.estimators.tag.factor_tagger import FactorTagger as FactorTagger
    from tacit.estimators.tag.kernel_tagger import KernelTagger as KernelTagger
    from tacit.estimators.tag.neighbour_tagger import NeighbourTagger as NeighbourTagger
    from tacit.estimators.tag.text_tagger import TextTagger as TextTagger
    from tacit.estimators.words.word_vectors import WordVectors as WordVectors
    from tacit.objective.losses import custom_loss as custom_loss

_HOMES = {
    "Interactions": "tacit.data.interactions",
    **ESTIMATORS,
    "custom_loss": "tacit.objective.losses",
    "load": "tacit.estimators.model",
    "tune": "tacit.estimators.recommend.tune",
}

__all__ = ["__version__", *_HOMES]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, ("data", "metrics", "baselines"))
