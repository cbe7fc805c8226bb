"""How fast the stochastic solution approaches the exact one."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    picked = [place for place in range(len(figures["steps"])) if place % 5 == 0]
    rows = []
    for rule in ("constant", "decay"):
        found = figures[rule]
        errors = (f"{found['error'][place]:.2e}" for place in picked)
        rows.append([rule, *errors, f"{found['slope_of_the_last_part']:.2f}"])
    steps = [f"{figures['steps'][place]:,} steps" for place in picked]
    parts = [table(["squared error, relative", *steps, "slope"], rows)]
    if "as printed" in figures:
        found = figures["as printed"]
        kept = ["numbers kept", *(f"{count:,}" for count in found["numbers_kept"]), ""]
        errors = ["QS³ORAO, Algorithm 1", *(f"{error:.2e}" for error in found["error"]), f"{found['slope']:.2f}"]
        header = [
            "against the minimiser in the kernel's space",
            *(f"{count:,} steps" for count in found["steps"]),
            "slope",
        ]
        parts.append(table(header, [errors, kept]))
    return "\n\n".join(parts)
