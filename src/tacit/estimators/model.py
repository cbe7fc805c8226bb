"""What every estimator shares: scikit-learn's parameters, one safe file, and one way back from it."""

import os
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tacit import model_file
from tacit.errors import InputError, ModelFileError
from tacit.estimators.checkpoint import KIND as CHECKPOINT
from tacit.progress import Callback as Callback

Array = NDArray[Any]

_HOMES = {
    "OrdinalRanker": "tacit.estimators.grade.ordinal_ranker",
    "FactorRecommender": "tacit.estimators.recommend.factor_recommender",
    "WordVectors": "tacit.estimators.words.word_vectors",
    "BlendTagger": "tacit.estimators.tag.blend_tagger",
    "FactorTagger": "tacit.estimators.tag.factor_tagger",
    "NeighbourTagger": "tacit.estimators.tag.neighbour_tagger",
    "TextTagger": "tacit.estimators.tag.text_tagger",
    "RatingStream": "tacit.estimators.stream.rating_stream",
    "ExpertRatingStream": "tacit.estimators.stream.expert_rating_stream",
}
"""Class name → module of everything that ``load`` may open. A file can name nothing else."""


class Model(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators.

    A subclass says what it has learned in ``_state`` (JSON-ready facts and arrays) and takes it back in
    ``_restore``. Parameters listed in ``_runtime`` belong to a run, not to the model, and are not saved.
    """

    _runtime: ClassVar[frozenset[str]] = frozenset({"threads", "progress", "callback", "checkpoint"})

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        raise NotImplementedError

    def _restore(self, facts: dict[str, Any], arrays: dict[str, Array]) -> None:
        raise NotImplementedError

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = {}
        for name, value in self.get_params(deep=False).items():
            if name in self._runtime:
                continue
            value = value.item() if isinstance(value, np.generic) else value
            if not _is_plain(value):
                raise InputError(
                    f"{name}={value!r} cannot be saved in a model file; give it as a number, text or None, "
                    "or set it to a plain value before saving."
                )
            parameters[name] = value
        return parameters

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, atomically. ``tacit.load(path)`` gives it back."""
        self._require_fitted("save")
        facts, arrays = self._state()
        state = {"parameters": self._saved_parameters(), "facts": facts}
        model_file.write(path, type(self).__name__, state, arrays)

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _require_fitted(self, call: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit before {call}.")

    @classmethod
    def _from_file(cls, state: dict[str, Any], arrays: dict[str, Array]) -> Self:
        model = cls(**state["parameters"])
        model._restore(state["facts"], arrays)
        return model


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_plain(part) for part in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(part) for key, part in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def load(path: str | os.PathLike[str]) -> Any:
    """Any saved model, whatever its kind; its arrays stay on disk until they are used."""
    kind, state, arrays = model_file.read(path)
    if kind == CHECKPOINT:
        raise ModelFileError(
            f"{os.fspath(path)!r} is a checkpoint, not a model; give it to fit as checkpoint=, which goes on from it."
        )
    if kind not in _HOMES:
        raise ModelFileError(f"{os.fspath(path)!r} holds a {kind!r}, which this version of Tacit does not know.")
    model_class = getattr(import_module(_HOMES[kind]), kind)
    try:
        return model_class._from_file(state, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(
            f"{os.fspath(path)!r} announces a {kind} but lacks parts of it ({type(error).__name__}: {error}); "
            "save the model again."
        ) from error
