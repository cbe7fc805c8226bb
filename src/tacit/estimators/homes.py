"""Where each estimator is defined. ``tacit`` exports these names, and ``load`` opens no others."""

ESTIMATORS = {
    "OrdinalRanker": "tacit.estimators.grade.ordinal_ranker",
    "FactorRecommender": "tacit.estimators.recommend.factor_recommender",
    "LinearRecommender": "tacit.estimators.recommend.linear_recommender",
    "BlendRecommender": "tacit.estimators.recommend.blend_recommender",
    "WordVectors": "tacit.estimators.words.word_vectors",
    "BlendTagger": "tacit.estimators.tag.blend_tagger",
    "FactorTagger": "tacit.estimators.tag.factor_tagger",
    "KernelTagger": "tacit.estimators.tag.kernel_tagger",
    "NeighbourTagger": "tacit.estimators.tag.neighbour_tagger",
    "TextTagger": "tacit.estimators.tag.text_tagger",
    "RatingStream": "tacit.estimators.stream.rating_stream",
    "ExpertRatingStream": "tacit.estimators.stream.expert_rating_stream",
}
"""Class name → module. A file can name nothing else."""
