"""Ordinal grades: quality, real sets, size, the rate of Theorem 1, and what nothing given does."""

from statistics import mean, stdev
from typing import Any

from benchmarks.tables import Block, table

PAIRS = {
    "loss and γ chosen": ("OrdinalRanker", "labelled rows only"),
    "squared loss": ("squared loss, exact", "squared loss, labelled rows only"),
}


def gains(figures: dict[str, Any]) -> str:
    """Mean gain in AUC over the draws, its standard error, how many draws gained, and a word on it."""
    rows = [
        [name, kind, *_verdict(found["auc"], better, plain)]
        for name, found in figures.items()
        for kind, (better, plain) in PAIRS.items()
    ]
    return table(["set", "method", "gain in AUC ± standard error", "draws", "unlabelled rows"], rows)


def _verdict(areas: dict[str, list[float]], better: str, plain: str) -> list[str]:
    found = [a - b for a, b in zip(areas.get(better, []), areas.get(plain, []))]
    if len(found) < 2:
        return ["not run", "–", "–"]
    error = stdev(found) / len(found) ** 0.5
    word = "no difference seen"
    if not any(found):
        word = "never chosen"
    elif abs(mean(found)) > 2 * error:
        word = "help" if mean(found) > 0 else "harm"
    counts = f"{sum(gain > 0 for gain in found)} up, {sum(gain < 0 for gain in found)} down of {len(found)}"
    return [f"{mean(found):+.4f} ± {error:.4f}", counts, word]


def missing(figures: dict[str, Any]) -> list[str]:
    """One sentence for every method that could not run on a set."""
    return [
        f"{method} has no figure on {name}: {reason}"
        for name, found in figures.items()
        for method, reason in found.get("missing", {}).items()
    ]


def quality(record: dict[str, Any]) -> str:
    """Ordinal AUC from 500 labels."""
    figures = record["figures"]
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["auc"]))
    best = {name: max(mean(values) for values in found["auc"].values() if values) for name, found in figures.items()}
    rows = [
        [method, *(_with_range(found["auc"].get(method), best[name]) for name, found in figures.items())]
        for method in methods
    ]
    parts = [table(["mean ordinal AUC (range, draws)", *figures], rows), *missing(figures)]
    apart = [_apart(name, found["auc"]) for name, found in figures.items()]
    parts.append(f"Stochastic less exact, both with the squared loss: {', '.join(apart)}.")
    chosen = [_chosen(name, found["chosen"]) for name, found in figures.items() if found.get("chosen")]
    if chosen:
        parts.append(f"OrdinalRanker chose, {'; '.join(chosen)}.")
    parts.append(gains(figures))
    return "\n\n".join(parts)


def _with_range(values: list[float] | None, best: float) -> str:
    if not values:
        return "not run"
    shown = f"**{mean(values):.4f}**" if mean(values) == best else f"{mean(values):.4f}"
    return f"{shown} ({min(values):.4f}–{max(values):.4f}, {len(values)})"


def _apart(name: str, areas: dict[str, list[float]]) -> str:
    pairs = zip(areas.get("squared loss, stochastic", []), areas.get("squared loss, exact", []))
    apart = [one - other for one, other in pairs]
    return f"{name} {mean(apart):+.4f}" if apart else f"{name} not run"


def _chosen(name: str, choices: list[dict[str, Any]]) -> str:
    logistic = sum(one["loss"] == "logistic" for one in choices)
    unlabelled = sum(one["unlabelled_weight"] > 0 for one in choices)
    return f"on {name}: the logistic loss {logistic} times and unlabelled pairs {unlabelled} times of {len(choices)}"


MEASURES = {"auc": "AUC", "c_index": "C-index", "mae": "MAE", "qwk": "QWK", "mze": "MZE", "amae": "AMAE"}
WITHOUT_UNLABELLED = [plain for _, plain in PAIRS.values()]
LESS_IS_BETTER = ("mae", "mze", "amae")


def real(record: dict[str, Any]) -> str:
    """Ordinal sets with classes of their own."""
    figures = record["figures"]
    rows = [row for name, found in figures.items() for row in _rows(name, found)]
    parts = [table(["set", "method", *MEASURES.values(), "draws"], rows), *missing(figures)]
    compared = {name: found for name, found in figures.items() if any(map(found["auc"].get, WITHOUT_UNLABELLED))}
    return "\n\n".join([*parts, gains(compared)] if compared else parts)


def _rows(name: str, found: dict[str, Any]) -> list[list[Any]]:
    means = {key: {method: mean(values) for method, values in found[key].items() if values} for key in MEASURES}
    draws = max(map(len, found["auc"].values()))
    full = [method for method, values in found["auc"].items() if len(values) == draws]
    best = {
        key: (min if key in LESS_IS_BETTER else max)(values[method] for method in full) for key, values in means.items()
    }
    rows: list[list[Any]] = []
    for method, values in found["auc"].items():
        # Figures of fewer draws are shown and not compared.
        cells = [_cell(means[key].get(method), best[key] if method in full else None) for key in MEASURES]
        rows.append([name, method, *cells, len(values)])
    return rows


def _cell(value: float | None, best: float | None) -> str:
    if value is None:
        return "not run"
    return f"**{value:.3f}**" if best is not None and abs(value - best) < 5e-4 else f"{value:.3f}"


def size(record: dict[str, Any]) -> str:
    """Time and memory against the number of unlabelled rows."""
    figures = record["figures"]
    sizes = sorted({point["unlabelled"] for points in figures.values() for point in points})
    rows, reasons = [], []
    for method, points in figures.items():
        by_size = {point["unlabelled"]: point for point in points}
        cells = []
        for count in sizes:
            point = by_size.get(count, {})
            shown = f"{point['processor_seconds']:.1f} s, {point['grown_mib']:.0f} MiB" if "seconds" in point else "–"
            cells.append("stops" if "stopped" in point else shown)
            if "stopped" in point:
                reasons.append(f"{method} says: {point['stopped']}")
        rows.append([method, *cells])
    header = ["processor seconds and memory; unlabelled rows:", *(f"{count:,}" for count in sizes)]
    return "\n\n".join([table(header, rows), *reasons])


def large(record: dict[str, Any]) -> str:
    """400,000 rows of 90 columns."""
    rows = [
        [key, f"{found['seconds']:.1f}", f"{found['processor_seconds']:.1f}", f"{found['peak_mib_of_the_process']:.0f}"]
        for key, found in record["figures"].items()
    ]
    return table(["400,000 × 90, 500 frequencies, exact", "seconds", "processor seconds", "peak MiB"], rows)


def rate(record: dict[str, Any]) -> str:
    """How fast the stochastic solution approaches the exact one."""
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


STEP_HEADS = ["set", "λ", "method", "steps", "AUC", "error", "processor seconds", "numbers kept"]


def steps(record: dict[str, Any]) -> str:
    """QS³ORAO as printed beside the exact minimiser, means over the draws."""
    return table(STEP_HEADS, step_rows(record["figures"]))


def step_rows(figures: dict[str, Any]) -> list[list[str]]:
    """A row for each number of steps, below that of the minimiser; of divergent runs one that says so."""
    rows = []
    for name, draws in figures.items():
        for kind in draws[0]:
            found = [draw[kind] for draw in draws]
            strengths = sorted(one["regularization"] for one in found)
            label = f"{kind}, " + " to ".join(dict.fromkeys(f"{strengths[end]:.3g}" for end in (0, -1)))
            area, seconds = (mean(one["exact"][key] for one in found) for key in ("auc", "seconds"))
            rows.append([name, label, "exact minimiser", "–", f"{area:.4f}", "0", f"{seconds:.2f}", "–"])
            lost = sum("diverged" in one["points"][-1] for one in found)
            if lost:
                counted = f"diverges in {lost} of {len(found)} draws"
                rows.append([name, label, "QS³ORAO, Algorithm 1", "–", counted, "–", "–", "–"])
                continue
            for points in zip(*(one["points"] for one in found), strict=True):
                area, error, seconds = (mean(point[key] for point in points) for key in ("auc", "error", "seconds"))
                cells = [f"{area:.4f}", f"{error:.3f}", f"{seconds:.2f}", f"{points[0]['numbers_kept']:,}"]
                rows.append([name, label, "QS³ORAO, Algorithm 1", str(points[0]["steps"]), *cells])
    return rows


OURS, BEFORE = "OrdinalRanker()", "OrdinalRanker() before"
MARGIN = 0.003


def defaults(record: dict[str, Any]) -> str:
    """OrdinalRanker() beside tuned peers on every development set, as gaps."""
    rows, gaps, old = [], [], []
    for name, methods in record["figures"].items():
        reached = areas(methods)
        if OURS not in reached:
            continue
        draws = _common(methods)
        seconds = [mean(methods[method][draw]["seconds"] for draw in draws) for method in (OURS, BEFORE)]
        peers = {method: area for method, area in reached.items() if method not in (OURS, BEFORE)}
        best = max(peers, key=lambda method: peers[method])
        gaps.append(reached[OURS] - peers[best])
        old.append(reached[BEFORE] - peers[best])
        rows.append([
            name, f"{reached[BEFORE]:.4f}", f"{reached[OURS]:.4f}", f"{peers[best]:.4f} ({best})", f"{old[-1]:+.4f}",
            f"{gaps[-1]:+.4f}", f"{seconds[0] / seconds[1]:.1f} ×", len(draws),
        ])  # fmt: skip
    header = ["set", "before", "OrdinalRanker()", "best peer", "gap before", "gap", "processor time", "draws"]
    behind = [f"{row[0]} ({gap:+.4f})" for row, gap in zip(rows, gaps) if gap < -MARGIN]
    summary = f"Mean gap before {mean(old):+.4f}, after {mean(gaps):+.4f}; "
    summary += f"behind by more than {MARGIN}: {', '.join(behind) or 'none'}."
    return "\n\n".join([table(header, rows), summary])


def areas(methods: dict[str, Any]) -> dict[str, float]:
    """Method → its mean area over the draws that all methods have."""
    draws = _common(methods)
    return {method: mean(found[draw]["auc"] for draw in draws) for method, found in methods.items() if _measured(found)}


def _common(methods: dict[str, Any]) -> list[str]:
    measured = [draws for found in methods.values() if (draws := _measured(found))]
    return sorted(set.intersection(*measured)) if measured else []


def _measured(found: dict[str, Any]) -> set[str]:
    return {draw for draw, one in found.items() if "auc" in one}


BLOCKS = {
    "grade-quality": Block(quality),
    "grade-real": Block(real),
    "grade-size": Block(size),
    "grade-large": Block(large),
    "grade-rate": Block(rate),
    "grade-steps": Block(steps),
    "grade-defaults": Block(defaults),
}
