"""How fast the stochastic solution approaches the exact one."""

from typing import Any

from tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    picked = [place for place in range(len(figures["steps"])) if place % 5 == 0]
    rows = []
    for rule in ("constant", "decay"):
        found = figures[rule]
        errors = (f"{found['error'][place]:.2e}" for place in picked)
        rows.append([rule, *errors, f"{found['slope_of_the_last_part']:.2f}"])
    steps = [f"{figures['steps'][place]:,} steps" for place in picked]
    return table(["squared error, relative", *steps, "slope"], rows)
