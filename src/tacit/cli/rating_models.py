"""Options of the rating streams that ``fit rate`` and ``stream`` share, and the model that they describe."""

from typing import Any

from tacit.cli.defaults import parameters_of, typed
from tacit.cli.options import Function, packed
from tacit.errors import InputError

_ONE, _ONE_OPTIONS = parameters_of("RatingStream", only_given=True)
_EXPERTS, _EXPERT_OPTIONS = parameters_of("ExpertRatingStream", only_given=True)
PARAMETERS = list(dict.fromkeys((*_ONE, *_EXPERTS)))


def rating_options(function: Function) -> Function:
    """The verb gets ``make_model``, which builds what the options describe: one model with --factors, else experts."""
    more = [option for name, option in zip(_EXPERTS, _EXPERT_OPTIONS) if name not in _ONE]
    return packed(function, [*_ONE_OPTIONS, *more], lambda given: {"make_model": lambda: _make(given)}, PARAMETERS)


def _make(options: dict[str, Any]) -> Any:
    from tacit import ExpertRatingStream, RatingStream

    given = typed(options)
    one = "factors" in given
    for name in given:
        option = "--" + name.replace("_", "-")
        if one and name not in _ONE:
            raise InputError(f"{option} sets the experts, but --factors asks for one model; leave out one of the two.")
        if not one and name not in _EXPERTS:
            raise InputError(
                f"{option} sets one model, but experts tune themselves; give --factors too, or leave it out."
            )
    return RatingStream(**given) if one else ExpertRatingStream(**given)
