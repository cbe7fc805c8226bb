"""Options of the rating streams that ``fit rate`` and ``stream`` share, and the model that they describe."""

from typing import Any

import click

from tacit.cli.defaults import parameter_of
from tacit.cli.options import Function, packed, was_given
from tacit.errors import InputError

_parameter = parameter_of("RatingStream")

_OPTIONS = (
    click.option("--factors", type=int, help="One model of so many factors; without it, experts with nothing to tune."),
    _parameter("--aggressiveness", type=float, help="C of that one model."),
    _parameter("--adaptation", type=click.Choice(["diagonal", "full", "none"]), help="Adaptation of that one model."),
    click.option("--biases", is_flag=True, help="Biases in that one model."),
    click.option("--clip", nargs=2, type=float, metavar="LOW HIGH", help="Range of the ratings, kept by predictions."),
    click.option("--seed", default=0, show_default=True, help="Same seed, same bits."),
)  # fmt: skip

PARAMETERS = ["factors", "aggressiveness", "adaptation", "biases", "clip", "seed"]


def rating_options(function: Function) -> Function:
    """The verb gets ``make_model``, which builds what the options describe."""
    return packed(function, _OPTIONS, lambda given: {"make_model": lambda: _make(**given)}, PARAMETERS)


def _make(
    factors: int | None, aggressiveness: float, adaptation: str, biases: bool, clip: tuple[float, float], seed: int
) -> Any:
    from tacit import ExpertRatingStream, RatingStream

    if factors is None:
        for name in ("aggressiveness", "adaptation", "biases"):
            if was_given(name):
                raise InputError(
                    f"--{name} sets one model, but experts tune themselves; give --factors too, or leave it out."
                )
        return ExpertRatingStream(clip=clip or None, random_state=seed)
    return RatingStream(
        factors,
        aggressiveness=aggressiveness,
        adaptation=None if adaptation == "none" else adaptation,  # type: ignore[arg-type]
        biases=biases,
        clip=clip or None,
        random_state=seed,
    )
