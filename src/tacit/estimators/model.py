"""The base class of all estimators: scikit-learn's parameter calls, saving and loading, and thread safety."""

import functools
import os
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tacit import checks, model_file
from tacit._version import __version__
from tacit.errors import InputError, ModelFileError
from tacit.estimators.checkpoint import KIND as CHECKPOINT
from tacit.estimators.concurrency import asks, discipline, shallow_copy
from tacit.estimators.derived import Derived
from tacit.estimators.homes import ESTIMATORS
from tacit.estimators.schema import Schema
from tacit.estimators.values import RUNTIME
from tacit.progress import Callback as Callback
from tacit.report.notebook import html_table

Array = NDArray[Any]

_COUNTED = ("row_ids_", "col_ids_", "user_ids_", "item_ids_", "words_", "classes_")
"""What a notebook is told the length of."""


class Model(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators.

    Names that begin with an underscore belong to the file that defines them, with two exceptions that this class
    documents: ``schema`` packs and opens members by ``_pack`` and ``_open``, ``concurrency`` copies models by ``_view``
    and ``_derived``.

    A subclass says what it has learned in ``_state`` (JSON-ready facts, and parts) and takes it back in ``_restore``;
    its table ``_schema`` says what facts, parts and parameters may be, and both ways are held to it. Parameters listed
    in ``_runtime`` belong to a run, not to the model: they are not saved, and a file that has them is refused.

    Every public method runs on a view of the model or, where it learns, replaces the model's state as a whole
    (``concurrency``), unless the class ``_learns_in_place`` under a lock of its own.
    """

    _runtime: ClassVar[frozenset[str]] = RUNTIME
    _schema: ClassVar[Schema]

    _learns_in_place: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls._learns_in_place:
            discipline(cls)

    @classmethod
    @functools.cache
    def _get_param_names(cls) -> list[str]:
        # scikit-learn inspects the constructor at every call, and every call that learns asks for the parameters.
        names: list[str] = super()._get_param_names()
        return names

    @property
    def _derived(self) -> Derived:
        """What is computed from the learned arrays once, shared by all views."""
        derived: Derived | None = self.__dict__.get("_derived_from")
        return self.__dict__.setdefault("_derived_from", Derived()) if derived is None else derived

    def _view(self) -> Self:
        """What the model is at this moment, for a question."""
        copy: Self = shallow_copy(self)
        return copy

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        raise NotImplementedError

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        raise NotImplementedError

    def _pack(self, left_out: frozenset[str] = frozenset()) -> tuple[dict[str, Any], dict[str, Array]]:
        """Facts and arrays for a file, without the personal parts that are ``left_out``."""
        return self._schema.pack(self, *self._state(), left_out)

    def _open(self, facts: Any, arrays: dict[str, Array], sizes: Mapping[str, int] | None = None) -> None:
        """Take back what a file holds, once it is proved; ``sizes`` are those of a model around this one."""
        self._restore(*self._schema.open(self, facts, arrays, sizes))

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = {}
        for name, value in self.get_params(deep=False).items():
            if name in self._runtime:
                continue
            value = self._without_runtime(value.item() if isinstance(value, np.generic) else value)
            if not _is_plain(value):
                raise InputError(
                    f"{name}={value!r} cannot be saved in a model file; give it as a number, text or None, "
                    "or set it to a plain value before saving."
                )
            parameters[name] = value
        return parameters

    def _without_runtime(self, value: Any) -> Any:
        """Parameters of models inside this one are held to the same rule; such a model is stored as ``described``."""
        if isinstance(value, Model):
            return described(value)
        if isinstance(value, dict):
            return {name: part for name, part in value.items() if name not in self._runtime}
        return [self._without_runtime(part) for part in value] if isinstance(value, list | tuple) else value

    @asks
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        notes: str = "",
        ids: bool = True,
        histories: bool = True,
        half_precision: bool = False,
    ) -> None:
        """Write the model to one file, atomically. ``tacit.load(path)`` gives it back.

        Parameters
        ----------
        notes : text for people, such as what it was trained on; ``tacit info`` shows it
        ids : with False, rows (users) are known by their numbers in the file; columns keep their ids
        histories : with False, the file does not hold which row has which column; a recommender that is loaded from it
            leaves nothing out of a known row's list, and full-rank ones rank for histories that they are given
        half_precision : store factors (of a blend, those of its members) with 3 digits, in half the bytes; a model that
            is loaded from the file computes with what is left of them

        A model that could not be loaded again, such as one with a value that is not finite, is refused and the file
        that was there stays.
        """
        self._require_fitted("save")
        left_out = self._left_out(ids, histories, half_precision)
        parameters = self._saved_parameters()
        try:
            facts, arrays = self._pack(left_out)
        except ModelFileError as error:
            raise InputError(f"this {type(self).__name__} cannot be saved: {error}; fit it anew.") from error
        model_file.write(path, type(self).__name__, {"parameters": parameters, "facts": facts}, arrays, notes)

    def _left_out(self, ids: bool, histories: bool, half_precision: bool) -> frozenset[str]:
        """What a file is to go without; refused where this kind of model never holds it."""
        asked = {
            "ids": (not checks.truth("ids", ids), "ids=False", "ids of rows that could be left out"),
            "histories": (
                not checks.truth("histories", histories), "histories=False", "histories of rows that could be left out",
            ),
            "single_precision": (
                checks.truth("half_precision", half_precision), "half_precision=True",
                "factors that could be stored in half precision",
            ),
        }  # fmt: skip
        for name, (wanted, option, what) in asked.items():
            if wanted and name not in self._omissible():
                raise InputError(f"{option}: a {type(self).__name__} holds no {what}; leave it away.")
        return frozenset(name for name, (wanted, _, _) in asked.items() if wanted)

    def _omissible(self) -> set[str]:
        """What a file can go without: of a blend, also what one of its members can."""
        return self._schema.omissible.union(*(member._omissible() for member in getattr(self, "members_", ())))

    def __sklearn_is_fitted__(self) -> bool:
        # What was learned comes after the parameters: seen from the end it is found at once.
        for name in reversed(vars(self)):
            if name.endswith("_") and not name.startswith("_"):
                break
        else:
            return False
        return True

    def _repr_html_(self) -> str:
        """Parameters that differ from their defaults, and how much was learned, as notebooks show it."""
        # Required parameters have no default to differ from.
        defaults = {name: one.default for name, one in signature(type(self)).parameters.items()}
        given = self.get_params(deep=False)
        rows = [[name, repr(value)] for name, value in given.items() if repr(value) != repr(defaults[name])]
        if self.__sklearn_is_fitted__():
            rows += [[name, f"{len(getattr(self, name)):,}"] for name in _COUNTED if hasattr(self, name)]
        state = "fitted" if self.__sklearn_is_fitted__() else "not fitted"
        return html_table([type(self).__name__, state], rows or [["parameters", "all by default"]])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _require_fitted(self, call: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit before {call}.")

    @classmethod
    def _from_file(cls, state: dict[str, Any], arrays: dict[str, Array]) -> Self:
        if set(state) != {"parameters", "facts"}:
            raise ModelFileError("it must have parameters and facts and nothing else")
        model = cls(**cls._schema.read_parameters(state["parameters"], cls._runtime))
        model._open(state["facts"], arrays)
        return model


def described(model: Model) -> dict[str, Any]:
    """Class and parameters of an unfitted model, for a file."""
    return {"class": type(model).__name__, "parameters": model._saved_parameters()}


def from_description(description: Mapping[str, Any]) -> Any:
    """The unfitted model that ``described`` was told of."""
    kind = description["class"]
    model_class = getattr(import_module(ESTIMATORS[kind]), kind)
    return model_class(**model_class._schema.read_parameters(description["parameters"], model_class._runtime))


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_plain(part) for part in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(part) for key, part in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def load(path: str | os.PathLike[str]) -> Any:
    """Any saved model, whatever its kind.

    Everything that later calls rely on is proved first: what is not sound is refused in one sentence. The whole file is
    read into memory, so nothing that happens to it later can change or break the model.
    """
    kind, state, arrays = model_file.read(path)
    if kind == CHECKPOINT:
        raise ModelFileError(
            f"{os.fspath(path)!r} is a checkpoint, not a model; give it to fit as checkpoint=, which goes on from it."
        )
    if kind not in ESTIMATORS:
        raise ModelFileError(f"{os.fspath(path)!r} holds a {kind!r}, which this version of Tacit does not know.")
    model_class = getattr(import_module(ESTIMATORS[kind]), kind)
    try:
        return model_class._from_file(state, arrays)
    except Exception as error:
        # A forged file can make any library call fail in any way: whatever it is, the answer is one sentence.
        detail = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        detail = " ".join(detail.split()).rstrip(".")
        raise ModelFileError(
            f"{os.fspath(path)!r} {_refusal(kind, detail, model_file.about(path)['version'])}"
        ) from error


def _refusal(kind: str, detail: str, version: str) -> str:
    if version == __version__:
        return f"is not a sound {kind}: {detail}; fit the model again, or use another copy of the file."
    return (
        f"was written by Tacit {version}, and Tacit {__version__} cannot read its {kind} ({detail}); "
        f"fit the model again, or use it with tacit=={version}."
    )
