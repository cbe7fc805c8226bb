"""Which recommender a verb fits: the same for the same options, so that what is measured is what is made."""

from typing import Any

import click

from tacit.cli.options import was_given
from tacit.errors import InputError

METHODS = ("factors", "linear", "blend")

method_option = click.option(
    "--method",
    type=click.Choice(METHODS),
    help="Low rank, full rank, or both; by default both, or factors where an option is theirs.",
)


def options_of_factors(parameters: dict[str, Any], data: Any) -> list[str]:
    """What was typed that factors alone understand."""
    typed = [
        f"--{name.replace('_', '-')}"
        for name in parameters
        if name not in ("random_state", "threads") and was_given(name)
    ]
    return typed + ["--context"] * bool(data.context_ids)


def chosen_method(method: str | None, only: list[str]) -> str:
    """The method that was named, or the one for these options of factors; both at once must agree."""
    if only and method not in (None, "factors"):
        raise InputError(f"{only[0]} is for --method factors; leave it out, or choose that method.")
    return method or ("factors" if only else "blend")


def new_recommender(
    method: str,
    parameters: dict[str, Any],
    *,
    seconds: float = 300.0,
    exponents: tuple[float, float, float] | None = None,
) -> Any:
    """A recommender to be fitted; ``parameters`` are those of factors, the rest those of the others."""
    from tacit import BlendRecommender, FactorRecommender, LinearRecommender

    if method == "factors":
        return FactorRecommender(**parameters)
    run = {name: parameters[name] for name in ("random_state", "threads")}
    if method == "linear":
        return LinearRecommender("auto" if exponents is None else "sparse", sparse_exponents=exponents, **run)
    return BlendRecommender(seconds=seconds, progress=False, **run)


def choice_of(model: Any) -> dict[str, Any]:
    """What a blend, or linear weights, found on held-out pairs."""
    if hasattr(model, "members_"):
        names = [type(member).__name__ for member in model.members_]
        return {"weights": dict(zip(names, model.weights_.tolist())), **model.validation_}
    tried = model.validation_[0] if model.validation_ else {}
    reached = f", NDCG@10 {tried['ndcg@10']:.4f} on held-out positives" if tried else ""
    exponents = ", ".join(f"{one:g}" for one in model.exponents_)
    sentence = f"{model.method_} weights, exponents ({exponents}){reached}."
    return {"tried": model.validation_, "sentence": sentence}
