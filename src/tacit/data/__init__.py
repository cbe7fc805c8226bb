"""Tables in, sparse matrices out: ids, readers, splits, the bundled data set, loaders.

Names are loaded on first use: ``import tacit.data`` imports neither polars nor scikit-learn.
"""

from typing import TYPE_CHECKING

from tacit.lazy import lazy_names

if TYPE_CHECKING:
    from tacit.data.debian import load_debian as load_debian
    from tacit.data.features import FeatureEncoder as FeatureEncoder
    from tacit.data.graph import adjacency as adjacency
    from tacit.data.ids import Ids as Ids
    from tacit.data.interactions import Interactions as Interactions
    from tacit.data.loaders.jester import load_jester as load_jester
    from tacit.data.loaders.lastfm import load_lastfm as load_lastfm
    from tacit.data.loaders.lastfm import load_lastfm_next as load_lastfm_next
    from tacit.data.loaders.movielens import load_hetrec_movielens as load_hetrec_movielens
    from tacit.data.loaders.movielens import load_movielens_1m as load_movielens_1m
    from tacit.data.loaders.movielens import load_movielens_100k as load_movielens_100k
    from tacit.data.loaders.ordinal import load_ordinal as load_ordinal
    from tacit.data.loaders.ordinal import load_ordinal_holdout as load_ordinal_holdout
    from tacit.data.loaders.positives import load_coco as load_coco
    from tacit.data.loaders.positives import load_gowalla as load_gowalla
    from tacit.data.loaders.sequences import load_sequences as load_sequences
    from tacit.data.loaders.tags import load_bibtex_arff as load_bibtex_arff
    from tacit.data.loaders.tags import load_multilabel as load_multilabel
    from tacit.data.loaders.text import load_analogies as load_analogies
    from tacit.data.loaders.text import load_text as load_text
    from tacit.data.loaders.text import load_word_similarities as load_word_similarities
    from tacit.data.loaders.trust import load_ciaodvd as load_ciaodvd
    from tacit.data.loaders.trust import load_filmtrust as load_filmtrust
    from tacit.data.loaders.trust import load_flixster as load_flixster
    from tacit.data.loaders.trust import load_yahoo_music as load_yahoo_music
    from tacit.data.multilabel import read_svmlight as read_svmlight
    from tacit.data.multilabel import read_xmc as read_xmc

_HOMES = {
    "FeatureEncoder": "features",
    "Ids": "ids",
    "Interactions": "interactions",
    "adjacency": "graph",
    "load_analogies": "loaders.text",
    "load_bibtex_arff": "loaders.tags",
    "load_ciaodvd": "loaders.trust",
    "load_coco": "loaders.positives",
    "load_debian": "debian",
    "load_filmtrust": "loaders.trust",
    "load_flixster": "loaders.trust",
    "load_gowalla": "loaders.positives",
    "load_hetrec_movielens": "loaders.movielens",
    "load_jester": "loaders.jester",
    "load_lastfm": "loaders.lastfm",
    "load_lastfm_next": "loaders.lastfm",
    "load_movielens_100k": "loaders.movielens",
    "load_movielens_1m": "loaders.movielens",
    "load_multilabel": "loaders.tags",
    "load_ordinal": "loaders.ordinal",
    "load_ordinal_holdout": "loaders.ordinal",
    "load_sequences": "loaders.sequences",
    "load_text": "loaders.text",
    "load_word_similarities": "loaders.text",
    "load_yahoo_music": "loaders.trust",
    "read_svmlight": "multilabel",
    "read_xmc": "multilabel",
}

__all__ = [*_HOMES]

__getattr__, __dir__ = lazy_names(__name__, {name: f"tacit.data.{home}" for name, home in _HOMES.items()})
