"""Every estimator joins the contract suite by one line here.

A case says how to make the estimator small, how to make tiny data for it, how to fit it and how to ask it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Case:
    """One estimator under contract.

    make : builds the estimator (keyword arguments override its parameters)
    data : seeded tiny training data, as the positional arguments of ``fit``
    ask : the model's answer to a fixed question, as an array that must be reproducible to the bit
    empty : arguments of ``fit`` that hold nothing and must be refused
    long : parameters under which its loops take so many iterations; loops : how many loops a fit runs
    learn : a call that changes a fitted model, given more data
    """

    name: str
    make: Callable[..., Any]
    data: Callable[[np.random.Generator], tuple[Any, ...]]
    ask: Callable[[Any, tuple[Any, ...]], np.ndarray]
    empty: Callable[[], tuple[Any, ...]]
    long: Callable[[int], dict[str, Any]] = lambda iterations: {"iterations": iterations}
    loops: int = 1
    learn: Callable[[Any, tuple[Any, ...]], Any] = lambda model, data: getattr(model, "partial_fit", model.fit)(*data)


def _recommender(**parameters):
    from tacit import FactorRecommender

    return FactorRecommender(**{"factors": 4, "iterations": 3} | parameters)


def _positives(rng):
    return (sp.random_array((40, 30), density=0.2, rng=rng, format="csr", dtype=np.float32),)


def _recommendations(model, arguments):
    return model.recommend(np.arange(40), k=5).scores


def _no_positives():
    return (sp.csr_array((5, 4), dtype=np.float32),)


CASES: list[Case] = []
CASES.append(Case("FactorRecommender", _recommender, _positives, _recommendations, _no_positives))


def _linear(**parameters):
    from tacit import LinearRecommender

    return LinearRecommender(**parameters)


def _blend(**parameters):
    from tacit import BlendRecommender, FactorRecommender, LinearRecommender

    members = [("factors", FactorRecommender(4, iterations=3)), ("linear", LinearRecommender())]
    return BlendRecommender(**{"members": members} | parameters)


CASES.append(Case("LinearRecommender", _linear, _positives, _recommendations, _no_positives))
CASES.append(Case("BlendRecommender", _blend, _positives, _recommendations, _no_positives))


def _engine(**parameters):
    from tacit import FactorRecommender

    return FactorRecommender(**{"factors": 4, "iterations": 3, "loss": "logistic", "solver": "adagrad"} | parameters)


CASES.append(Case("FactorRecommender by adagrad", _engine, _positives, _recommendations, _no_positives))


def _word_vectors(**parameters: Any) -> Any:
    from tacit import WordVectors

    return WordVectors(**{"factors": 5, "window": 3, "min_count": 2, "iterations": 3, "progress": False, **parameters})


def _tiny_text(rng: np.random.Generator) -> tuple[Any, ...]:
    return ([[f"w{word}" for word in rng.zipf(1.5, 12) % 20] for _ in range(60)],)


CASES.append(
    Case(
        "WordVectors",
        _word_vectors,
        _tiny_text,
        lambda model, data: model.vectors,
        lambda: ([],),
        learn=lambda model, data: model.fit(*data),
    )
)


def _tagged_rows(rng: np.random.Generator) -> tuple[Any, ...]:
    """Rows whose labels follow from their features, with some labels left out."""
    X = rng.random((40, 12)) * (rng.random((40, 12)) < 0.5)
    Y = (X[:, :6] > 0.3) & (rng.random((40, 6)) < 0.8)
    return X, sp.csr_array(Y.astype(np.float64))


def _neighbour_tagger(**parameters: Any) -> Any:
    from tacit import NeighbourTagger

    return NeighbourTagger(**({"factors": 5, "neighbours": 7, "partitions": 2, "learners": 2} | parameters))


def _factor_tagger(**parameters: Any) -> Any:
    from tacit import FactorTagger

    return FactorTagger(**({"factors": 4, "landmarks": 5, "tolerance": 0.0} | parameters))


CASES.append(
    Case(
        "FactorTagger",
        _factor_tagger,
        _tagged_rows,
        lambda model, data: model.decision_function(data[0]),
        lambda: (np.empty((0, 12)), sp.csr_array((0, 6))),
    )
)
CASES.append(
    Case(
        "NeighbourTagger",
        _neighbour_tagger,
        _tagged_rows,
        lambda model, data: model.decision_function(data[0]),
        lambda: (np.empty((0, 12)), sp.csr_array((0, 6))),
        # A fit is a loop over learners; its default method takes no steps of its own.
        long=lambda learners: {"learners": learners},
    )
)


def _kernel_tagger(**parameters: Any) -> Any:
    from tacit import KernelTagger

    return KernelTagger(**({"iterations": 4} | parameters))


CASES.append(
    Case(
        "KernelTagger",
        _kernel_tagger,
        _tagged_rows,
        lambda model, data: model.decision_function(data[0]),
        lambda: (np.empty((0, 12)), sp.csr_array((0, 6))),
    )
)


def _blend_tagger(**parameters: Any) -> Any:
    from tacit import BlendTagger, FactorTagger, KernelTagger

    members = [("kernel", KernelTagger(iterations=3)), ("factor", FactorTagger(factors=3, iterations=2))]
    return BlendTagger(**({"members": members} | parameters))


def _text_tagger(**parameters: Any) -> Any:
    from tacit import KernelTagger, TextTagger

    return TextTagger(**({"tagger": KernelTagger(iterations=3)} | parameters))


def _tagged_texts(rng: np.random.Generator) -> tuple[Any, ...]:
    X, Y = _tagged_rows(rng)
    return ["anything " + " ".join(f"word{j}" for j in np.flatnonzero(row)) for row in X], Y


CASES.append(
    Case(
        "BlendTagger",
        _blend_tagger,
        _tagged_rows,
        lambda model, data: model.decision_function(data[0]),
        lambda: (np.empty((0, 12)), sp.csr_array((0, 6))),
        lambda iterations: {"kernel__iterations": iterations, "factor__iterations": iterations},
        loops=2,
    )
)
CASES.append(
    Case(
        "TextTagger",
        _text_tagger,
        _tagged_texts,
        lambda model, data: model.decision_function(data[0]),
        lambda: ([], sp.csr_array((0, 6))),
        lambda iterations: {"tagger__iterations": iterations},
    )
)


def _tiny_ratings(rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.integers(0, 20, 300), rng.integers(0, 15, 300), rng.integers(1, 6, 300)


def _rating_answer(model: Any, data: tuple[Any, ...]) -> np.ndarray:
    return model.predict(np.repeat(np.arange(22), 16), np.tile(np.arange(16), 22))


def _rating_stream(**parameters: Any) -> Any:
    from tacit import RatingStream

    return RatingStream(**{"factors": 4, "clip": (1, 5), **parameters})


def _expert_rating_stream(**parameters: Any) -> Any:
    from tacit import ExpertRatingStream

    return ExpertRatingStream(**parameters)


CASES.append(Case("RatingStream", _rating_stream, _tiny_ratings, _rating_answer, lambda: ([], [], [])))
CASES.append(Case("ExpertRatingStream", _expert_rating_stream, _tiny_ratings, _rating_answer, lambda: ([], [], [])))


def _ordinal(**parameters: Any) -> Any:
    from tacit import OrdinalRanker

    return OrdinalRanker(**{"n_components": 16, "progress": False, **parameters})


def _stochastic_ordinal(**parameters: Any) -> Any:
    return _ordinal(**{"solver": "stochastic", "iterations": 5, "batch_size": 8, **parameters})


def _grades(rng: np.random.Generator) -> tuple[Any, ...]:
    X = rng.standard_normal((60, 3))
    return X, np.where(np.arange(60) < 40, np.digitize(X[:, 0], [-0.5, 0.5]), -1)


def _rank_scores(model: Any, arguments: tuple[Any, ...]) -> np.ndarray:
    return model.rank_score(arguments[0])


def _no_grades() -> tuple[Any, ...]:
    return np.zeros((4, 2)), np.full(4, -1)


# The exact solver takes no steps: its loop is that over kernels.
CASES.append(Case("OrdinalRanker", _ordinal, _grades, _rank_scores, _no_grades, long=lambda iterations: {}))
CASES.append(Case("OrdinalRanker, stochastic", _stochastic_ordinal, _grades, _rank_scores, _no_grades))
