"""Rating streams with nothing given beside river, Surprise and running means, and whether their constants hold."""

import itertools
from statistics import mean
from typing import Any

from benchmarks.tables import table

OURS = ("RatingStream()", "ExpertRatingStream()")
ONE_PASS = ("shrunk running means", "river Baseline", "river BiasedMF", "river FunkMF")
BATCH = ("Surprise SVD",)


def best(methods: dict[str, Any], names: tuple[str, ...], what: str) -> tuple[str, float] | None:
    """The peer with the least error."""
    known = {name: methods[name][what] for name in names if what in methods.get(name, {})}
    return min(known.items(), key=lambda one: one[1]) if known else None


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    parts = []
    for what, names in (("progressive", ONE_PASS), ("test", (*ONE_PASS, *BATCH))):
        rows = []
        for name, one in figures["sets"].items():
            methods, peer = one["methods"], best(one["methods"], names, what)
            before = methods.get(f"{OURS[1]} before", {}).get(what)
            cells = [f"{methods[ours][what]:.4f}" for ours in OURS]
            peers = "–" if peer is None else f"{peer[1]:.4f} ({peer[0]})"
            rows.append([name, f"{one['ratings']:,}", "–" if before is None else f"{before:.4f}", *cells, peers])
        parts.append(table([f"{what} MAE", "ratings", "ExpertRatingStream() before", *OURS, "best peer"], rows))
    speed = {name: one["methods"][OURS[0]]["per_second"] for name, one in figures["sets"].items()}
    fastest = max(speed, key=lambda name: speed[name])
    parts.append(
        f"`RatingStream()` takes in {speed[fastest]:,} ratings a second of one core on {fastest}, best of five; "
        f"{', '.join(f'{name} {rate:,}' for name, rate in speed.items() if name != fastest)}."
    )
    return "\n\n".join([*parts, *_choices(figures)])


def _choices(figures: dict[str, Any]) -> list[str]:
    """Of the grid, what all other sets would choose for the set that is left out."""
    errors = {name: one["grid_errors"] for name, one in figures["sets"].items() if "grid_errors" in one}
    if len(errors) < 2:
        return []
    settings = list(itertools.product(*figures["grid"].values()))
    own = settings.index(tuple(figures["default"]))
    ratios = {name: [error / found[own] for error in found] for name, found in errors.items()}
    rows = []
    for left in ratios:
        others = [mean(found[n] for name, found in ratios.items() if name != left) for n in range(len(settings))]
        chosen = min(range(len(settings)), key=lambda n: others[n])
        rows.append([left, *settings[chosen], f"{others[chosen] - 1:+.2%}", f"{ratios[left][chosen] - 1:+.2%}"])
    header = ["left out", *figures["grid"], "others, to the default", "left out, to the default"]
    return [
        "Constants that all other sets would choose, and what the set that was left out gets by them:",
        table(header, rows),
    ]
