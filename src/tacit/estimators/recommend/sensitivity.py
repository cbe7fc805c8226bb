"""How much each parameter matters, judged from the trials of a search.

A trial counts for a parameter if all its other parameters are near those of the best trial: the same choice, or a
number within a quarter of the range. A parameter for which no trial counts is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NEAR = 0.25
"""Of a parameter's range."""


@dataclass(frozen=True)
class Sensitivity:
    """The trials near the best that differ from it in one parameter, the best itself among them.

    trials : how many; values : of the parameter, from the lowest to the highest score; scores : lowest and highest
    """

    trials: int
    values: tuple[Any, ...]
    scores: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.scores
        values = ", ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in self._ends())
        return (
            f"{self.trials} trials at {values}: {low:.4f} to {high:.4f} ({low / high - 1:+.1%})" if high else "no score"
        )

    def _ends(self) -> tuple[Any, ...]:
        numbers = [value for value in self.values if isinstance(value, float)]
        return (min(numbers), max(numbers)) if numbers else tuple(dict.fromkeys(self.values))


def sensitivity(
    table: Sequence[Mapping[str, Any]], best: Mapping[str, Any], position: Callable[[str, Any], float | None]
) -> dict[str, Sensitivity]:
    """Parameter → what the trials near ``best`` say about it.

    table : one record per trial, with its parameters and ``score``
    best : the parameters of the best trial
    position : (name, value) → place of a number in its range, 0 to 1; None for a choice

    >>> trials = [{"ridge": 0.1, "score": 0.3}, {"ridge": 0.2, "score": 0.4}]
    >>> sensitivity(trials, {"ridge": 0.2}, lambda name, value: value)["ridge"].scores
    (0.3, 0.4)
    """

    def near(name: str, value: Any) -> bool:
        here, there = position(name, best[name]), position(name, value)
        return value == best[name] if here is None or there is None else abs(here - there) <= NEAR

    result = {}
    for name in best:
        others = [other for other in best if other != name]
        spoke = [trial for trial in table if all(near(other, trial[other]) for other in others)]
        if len({trial[name] for trial in spoke}) > 1:
            # Of equal scores the best trial's own is the last.
            spoke.sort(key=lambda trial: (trial["score"], all(trial[one] == best[one] for one in best)))
            values = tuple(trial[name] for trial in spoke)
            result[name] = Sensitivity(len(spoke), values, (spoke[0]["score"], spoke[-1]["score"]))
    return result
