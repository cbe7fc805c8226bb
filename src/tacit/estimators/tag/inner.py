"""Taggers inside a tagger: given as estimators, run as the outer one runs, kept in a file by class and parameters."""

from importlib import import_module
from typing import Any

from sklearn.base import clone

from tacit.errors import InputError
from tacit.estimators.homes import ESTIMATORS
from tacit.estimators.tag.tagger import Tagger
from tacit.estimators.values import RUNTIME, Named, Plain

KINDS = ("FactorTagger", "KernelTagger", "NeighbourTagger")


def copied(tagger: Any, name: str, threads: int, progress: bool | None, callback: Any) -> Tagger:
    """An unfitted copy; threads, progress and callback that it does not set itself are the outer tagger's."""
    if not isinstance(tagger, Tagger):
        raise InputError(f"{name} must be a tagger, such as NeighbourTagger(), not {tagger!r}.")
    copy: Tagger = clone(tagger)
    outer = {"threads": threads, "progress": progress, "callback": callback}
    copy.set_params(**{key: value for key, value in outer.items() if not getattr(copy, key)})
    return copy


def described(tagger: Tagger) -> dict[str, Any]:
    """Class and parameters of a tagger, for a file."""
    return {"class": type(tagger).__name__, "parameters": tagger._saved_parameters()}


class InnerTagger:
    """In a model's table: a tagger by its class and parameters, which that class's own table proves."""

    def read(self, name: str, given: Any) -> Tagger:
        if isinstance(given, Tagger):
            given = described(given)
        settings = Named(Plain()).read(name, given)
        kind, parameters = settings.get("class"), settings.get("parameters")
        if kind not in KINDS or set(settings) != {"class", "parameters"}:
            raise InputError(f"{name} must name the class, one of {', '.join(KINDS)}, and the parameters of a tagger.")
        made = getattr(import_module(ESTIMATORS[kind]), kind)
        tagger: Tagger = made(**made._schema.read_parameters(parameters, RUNTIME))
        return tagger


class NamedTagger:
    """In a model's table: a name and a tagger."""

    def read(self, name: str, given: Any) -> tuple[str, Tagger]:
        if not isinstance(given, list | tuple) or len(given) != 2 or not isinstance(given[0], str):
            raise InputError(f"{name} must be a name and a tagger.")
        return given[0], InnerTagger().read(f"{name}.{given[0]}", given[1])
