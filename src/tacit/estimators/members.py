"""Models that are parameters of another model: the members of a blend, the tagger of a text tagger.

They run with the outer model's threads, progress and callback where their own are not set. A model file stores them by
class and parameters.
"""

from typing import Any, Self

from sklearn.base import clone

from tacit import checks
from tacit.errors import InputError
from tacit.estimators.model import Model, described, from_description
from tacit.estimators.values import Named, Plain


class NamedMembers(Model):
    """Base of blends: ``members`` are pairs of a name and a model, as for scikit-learn's ``VotingClassifier``, so that
    ``set_params(name__parameter=…)`` and ``GridSearchCV`` reach inside; None stands for ``default_members``."""

    members: Any
    weights: Any

    def default_members(self) -> list[tuple[str, Any]]:
        """Name and model of each member where none are given."""
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with ``deep`` the members by name, and theirs as ``name__parameter``."""
        parameters: dict[str, Any] = super().get_params(deep=False)
        for name, member in self._pairs() if deep else ():
            parameters[name] = member
            parameters |= {f"{name}__{key}": value for key, value in member.get_params().items()}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, whole members by name, or theirs as ``name__parameter``."""
        if "members" in parameters:
            self.members = parameters.pop("members")
        replaced = {name: parameters.pop(name) for name, _ in self._pairs() if name in parameters}
        if replaced:
            self.members = [(name, replaced.get(name, member)) for name, member in self._pairs()]
        super().set_params(**parameters)
        return self

    def _pairs(self) -> list[tuple[str, Any]]:
        """Those members that have a name and parameters: what else was given is refused by ``fit``."""
        given = self.members if isinstance(self.members, list | tuple) else ()
        pairs = [pair for pair in given if isinstance(pair, tuple | list) and len(pair) == 2]
        return [(name, member) for name, member in pairs if isinstance(name, str) and hasattr(member, "get_params")]

    def _named(self) -> list[tuple[str, Any]]:
        """Name and model of each member, or one sentence on what cannot be used."""
        members = self.default_members() if self.members is None else checks.listed("members", self.members)
        if not members or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in members):
            raise InputError(f"members must be pairs of a name and a model, at least one, not {self.members!r}.")
        names = [name for name, _ in members]
        wrong = [name for name in names if not isinstance(name, str) or "__" in name or name in vars(self)]
        if wrong or len(set(names)) != len(names):
            raise InputError(f"members: {(wrong or names)[0]!r} cannot be a name; use distinct words without '__'.")
        return [(name, member) for name, member in members]

    def _given_weights(self) -> list[float] | None:
        """One weight for each member, or None where they are to be chosen."""
        if self.weights is None:
            return None
        given, count = checks.listed("weights", self.weights), len(self._named())
        if len(given) != count:
            raise InputError(f"weights has {len(given)} entries for {count} members; give one for each.")
        weights = [checks.number(f"weights[{index}]", weight, 0.0) for index, weight in enumerate(given)]
        if not any(weights):
            raise InputError("weights are all zero, so that no member counts; give at least one that is positive.")
        return weights


def copied(
    member: Any, name: str, kind: type | tuple[type, ...], example: str, *, threads: int, progress: bool | None,
    callback: Any = None,
) -> Any:  # fmt: skip
    """An unfitted copy; threads, progress and callback that it does not set itself are the outer model's.

    kind, example : what it must be, and one such as users would write it
    """
    if not isinstance(member, kind):
        raise InputError(f"{name} must be an estimator such as {example}, not {member!r}.")
    copy = clone(member)
    outer = {"threads": threads, "progress": progress, "callback": callback}
    copy.set_params(**{key: value for key, value in outer.items() if not getattr(copy, key, True)})
    return copy


class Inner:
    """In a model's table: a model of one of these classes, by class and parameters, which its own table proves."""

    def __init__(self, *classes: str) -> None:
        self.classes = classes

    def read(self, name: str, given: Any) -> Any:
        description = described(given) if isinstance(given, Model) else Named(Plain()).read(name, given)
        if description.get("class") not in self.classes or set(description) != {"class", "parameters"}:
            raise InputError(f"{name} must name a class, one of {', '.join(self.classes)}, and its parameters.")
        return from_description(description)


class NamedInner(Inner):
    """In a model's table: a name and such a model."""

    def read(self, name: str, given: Any) -> tuple[str, Any]:
        if not isinstance(given, list | tuple) or len(given) != 2 or not isinstance(given[0], str):
            raise InputError(f"{name} must be a name and a model.")
        return given[0], super().read(f"{name}.{given[0]}", given[1])
