"""Options of the rating streams that ``fit rate`` and ``stream`` share, and the model that they describe."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tacit.cli.defaults import parameters_of, typed
from tacit.cli.options import Function, packed
from tacit.errors import InputError

_ONE, _ONE_OPTIONS = parameters_of("RatingStream", only_given=True)
_EXPERTS, _EXPERT_OPTIONS = parameters_of("ExpertRatingStream", only_given=True)
_NO_CLIP = click.option("--no-clip", is_flag=True, help="Leave predictions as they are, as the papers do.")
PARAMETERS = [*dict.fromkeys((*_ONE, *_EXPERTS)), "no_clip"]


def rating_options(function: Function) -> Function:
    """The verb gets ``make_model``, which builds what the options describe: one model with --factors, else experts."""
    more = [option for name, option in zip(_EXPERTS, _EXPERT_OPTIONS) if name not in _ONE]
    options: list[Callable[[Function], Function]] = [*_ONE_OPTIONS, _NO_CLIP, *more]
    return packed(function, options, lambda given: {"make_model": RatingModel(given)}, PARAMETERS)


class RatingModel:
    """The model that the options describe."""

    def __init__(self, options: dict[str, Any]) -> None:
        free = options.pop("no_clip")
        self._given = typed(options)
        if free and "clip" in self._given:
            raise InputError("--clip and --no-clip exclude each other; leave out one of the two.")
        if free:
            self._given["clip"] = None

    def __call__(self) -> Any:
        from tacit import ExpertRatingStream, RatingStream

        one = "factors" in self._given
        for name in self._given:
            if one and name not in _ONE:
                raise InputError(
                    f"{_option(name)} sets the experts, but --factors asks for one model; leave out one of the two."
                )
            if not one and name not in _EXPERTS:
                raise InputError(
                    f"{_option(name)} sets one model, but experts tune themselves; give --factors too, or leave it out."
                )
        return RatingStream(**self._given) if one else ExpertRatingStream(**self._given)

    def require_same(self, model: Any, path: Path) -> None:
        """Refuse options that a model which goes on learning does not have: they would do nothing."""
        own = model.get_params(deep=False)
        for name, value in self._given.items():
            if name not in own or not _same(own[name], value):
                has = f"has {own[name]!r}" if name in own else f"is a {type(model).__name__} without it"
                raise InputError(
                    f"{_option(name)} does not change a model that goes on learning, and {str(path)!r} {has}; leave it "
                    "out, or write to another file."
                )


def _option(name: str) -> str:
    return "--seed" if name == "random_state" else "--" + name.replace("_", "-")


def _same(own: Any, value: Any) -> bool:
    return bool(tuple(own) == tuple(value) if isinstance(own, list | tuple) and value is not None else own == value)
