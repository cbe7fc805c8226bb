"""Taggers that are parameters of another tagger.

They run with the outer tagger's threads and progress. A model file stores them by class and parameters.
"""

from typing import Any

from sklearn.base import clone

from tacit.errors import InputError
from tacit.estimators.model import described, from_description
from tacit.estimators.tag.tagger import Tagger
from tacit.estimators.values import Named, Plain

KINDS = ("FactorTagger", "KernelTagger", "NeighbourTagger")


def copied(tagger: Any, name: str, threads: int, progress: bool | None, callback: Any) -> Tagger:
    """An unfitted copy; threads, progress and callback that it does not set itself are the outer tagger's."""
    if not isinstance(tagger, Tagger):
        raise InputError(f"{name} must be a tagger, such as NeighbourTagger(), not {tagger!r}.")
    copy: Tagger = clone(tagger)
    outer = {"threads": threads, "progress": progress, "callback": callback}
    copy.set_params(**{key: value for key, value in outer.items() if not getattr(copy, key)})
    return copy


class InnerTagger:
    """In a model's table: a tagger by its class and parameters, which that class's own table proves."""

    def read(self, name: str, given: Any) -> Tagger:
        description = described(given) if isinstance(given, Tagger) else Named(Plain()).read(name, given)
        if description.get("class") not in KINDS or set(description) != {"class", "parameters"}:
            raise InputError(f"{name} must name the class, one of {', '.join(KINDS)}, and the parameters of a tagger.")
        tagger: Tagger = from_description(description)
        return tagger


class NamedTagger:
    """In a model's table: a name and a tagger."""

    def read(self, name: str, given: Any) -> tuple[str, Tagger]:
        if not isinstance(given, list | tuple) or len(given) != 2 or not isinstance(given[0], str):
            raise InputError(f"{name} must be a name and a tagger.")
        return given[0], InnerTagger().read(f"{name}.{given[0]}", given[1])
