"""The five jobs beside their peers: a table and a picture per size, who is ahead in what, and the README's summary.

Beside them every estimator with default parameters, on every development set.
"""

from functools import partial
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from benchmarks.render import ABSENT, Block, Drawing, Figures, Table, number, table, unmeasured

OURS = "Tacit"
HEADINGS = ("fit, processor s", "times ours", "fit, wall s", "answers, s", "peak MiB")
COST = "fit_processor_seconds"
"""What methods are compared in: it hardly changes when the machine has other work, as wall seconds do."""


def view(job: str) -> Any:
    """The view of one job, for the registry."""

    def tables(figures: Figures | None) -> list[Table]:
        found = (figures or {}).get(job)
        if not found:
            return [unmeasured(f"{job} beside its peers")]
        return [_table(job, size, data) for size, data in found.items()]

    return tables


def _table(job: str, size: str, data: dict[str, Any]) -> Table:
    measures, methods = data["measures"], data["methods"]
    ours = cost_of_ours(data)
    rows, notes = [], [verdict(data)]
    for name, row in methods.items():
        if "absent" in row:
            rows.append([name, *[ABSENT] * (len(measures) + 5)])
            notes.append(f"{name}: {row['absent']}.")
            continue
        ratio = row[COST] / ours if ours else None
        rows.append(
            [
                name, *(number(row["measures"][measure]) for measure in measures), number(row[COST], 3),
                number(ratio, 2), number(row["fit_seconds"], 3), number(row["predict_seconds"], 3),
                number(row["peak_mib"], 0),
            ]
        )  # fmt: skip
    if any("taken_from" in row for row in methods.values()):
        notes.append("Measured by `python -m benchmarks.papers.words quality`.")
    facts = ", ".join(f"{value:,} {what}" for what, value in data["facts"].items())
    heads = ["method", *(f"{name}{'' if better else ' (less is better)'}" for name, better in measures.items())]
    title = f"{job}: {size}" + (f" ({facts})" if facts else "")
    return Table(title, [*heads, *HEADINGS], rows, notes)


def measured(data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our methods and the others, those that were measured."""
    found = {name: row for name, row in data["methods"].items() if "absent" not in row}
    ours = {name: row for name, row in found.items() if name.startswith(OURS)}
    return ours, {name: row for name, row in found.items() if name not in ours}


def cost_of_ours(data: dict[str, Any]) -> float | None:
    """Processor seconds of the first of our methods, which the others are divided by."""
    ours, _ = measured(data)
    return next((float(row[COST]) for row in ours.values()), None)


def signed(data: dict[str, Any], row: dict[str, Any]) -> float:
    """The leading measure, turned so that more is better."""
    leading, more_is_better = next(iter(data["measures"].items()))
    return float(row["measures"][leading]) * (1 if more_is_better else -1)


def champions(data: dict[str, Any]) -> tuple[str, str]:
    """The most accurate peer, and of ours that are as accurate the first that is about as fast as the fastest of them
    and not beaten in both by another; where none is as accurate, our most accurate."""
    ours, peers = measured(data)
    rival = max(peers, key=lambda name: signed(data, peers[name]))
    enough = [name for name, row in ours.items() if signed(data, row) >= signed(data, peers[rival])]
    if enough:
        least = min(ours[name][COST] for name in enough)

        def beaten(name: str) -> bool:
            """Another one is more accurate and faster."""
            one = ours[name]
            return any(
                ours[other][COST] < one[COST] and signed(data, ours[other]) > signed(data, one) for other in enough
            )

        # The plainest stand first; a few tenths of a second are the machine's.
        return rival, next(name for name in enough if ours[name][COST] <= 1.5 * least and not beaten(name))
    return rival, max(ours, key=lambda name: signed(data, ours[name]))


def verdict(data: dict[str, Any]) -> str:
    """Whether our champion is ahead of every peer in accuracy and in time, else what falls short of whom."""
    ours, peers = measured(data)
    if not ours or not peers:
        return "Not enough was measured to compare."
    leading = next(iter(data["measures"]))
    rival, best = champions(data)
    gap = signed(data, ours[best]) - signed(data, peers[rival])
    ratio = ours[best][COST] / peers[rival][COST]
    if gap >= 0 and ours[best][COST] <= min(row[COST] for row in peers.values()):
        longer = f"{rival} takes {1 / ratio:.1f} times as long"
        return f"{best} is ahead of every peer measured, in {leading} and in time ({longer})."
    accurate = (
        f"{best} is ahead of {rival}, the best peer, by {gap:.4f} in {leading}"
        if gap >= 0
        else f"{best} falls short of {rival} by {-gap:.4f} in {leading}"
    )
    time = f"takes {ratio:.2f} of its time" if ratio <= 1 else f"takes {ratio:.2f} times as long"
    faster = [
        name
        for name, row in peers.items()
        if row[COST] < ours[best][COST] and signed(data, row) < signed(data, ours[best])
    ]
    behind = f"; faster, and less accurate: {', '.join(faster)}" if faster else ""
    return f"{accurate} and {time}{behind}."


TITLES = {"recommend": "Recommend", "tag": "Tag", "words": "Words", "stream": "Stream", "grade": "Grade"}


def all_jobs(record: dict[str, Any]) -> str:
    """The five jobs beside their peers."""
    parts = []
    for job in record["figures"]:
        parts.append(f"### {TITLES[job]}\n\n![accuracy against time](figures/versus-{job}.svg)")
        for one in view(job)(record["figures"]):
            used = [place for place, _ in enumerate(one.headings) if any(row[place] for row in one.rows)]
            rows = [[row[place] for place in used] for row in one.rows]
            body = table([one.headings[place] for place in used], rows)
            parts.append(f"**{one.title}**\n\n{body}\n\n" + "\n".join(one.notes))
    return "\n\n".join(parts)


def headline(records: dict[str, Any]) -> str:
    """The README's summary: for each job and size the most accurate peer, beside ``champions``' choice of ours."""
    rows = []
    for job, sizes in records["versus"]["figures"].items():
        for size, data in sizes.items():
            ours, peers = measured(data)
            if not ours or not peers:
                continue
            measure, more_is_better = next(iter(data["measures"].items()))
            rival, name = champions(data)
            best, theirs = ours[name], peers[rival]
            rows.append(
                [TITLES[job], size, measure if more_is_better else f"{measure} (less is better)",
                 _shown(best["measures"][measure]), f"{_shown(theirs['measures'][measure])} ({rival})",
                 compared(theirs[COST] / best[COST]), name.removeprefix("Tacit").strip(" ,")]
            )  # fmt: skip
    headings = ["job", "data", "measure", "Tacit", "best peer", "time to fit", "our method"]
    return table(headings, rows)


def compared(ratio: float) -> str:
    """The peer's time over ours, in words.

    >>> compared(4.46), compared(0.25), compared(1.02)
    ('**4.5 × faster**', '4 × slower', 'the same')
    """
    if 0.95 < ratio < 1.05:
        return "the same"
    return f"**{ratio:.2g} × faster**" if ratio > 1 else f"{1 / ratio:.2g} × slower"


def _shown(value: float) -> str:
    return f"{value:.3f}"


MARKS = "osD^vPX<>*hp"


def draw_job(figures: dict[str, Any], job: str) -> Figure:
    """One panel per size; a method is a mark, ours are orange."""
    sizes = figures[job]
    names = list(dict.fromkeys(name for data in sizes.values() for name in data["methods"]))
    greys = [f"#{shade}{shade}{shade}" for shade in ("22", "44", "66", "88", "aa", "bb", "cc", "dd")]
    oranges = ["#7c2d12", "#c2410c", "#f97316", "#fdba74", "#b45309", "#f59e0b"]
    colours = {}
    for name in names:
        ours = name.startswith(OURS)
        colours[name] = (oranges if ours else greys).pop(0)
    figure = Figure(figsize=(4.2 * len(sizes) + 2.4, 3.4), layout="constrained")
    axes = figure.subplots(1, len(sizes), squeeze=False)
    for axis, (size, data) in zip(axes[0], sizes.items()):
        leading, more_is_better = next(iter(data["measures"].items()))
        for name, row in data["methods"].items():
            if "absent" not in row:
                place = (row[COST], row["measures"][leading])
                axis.plot(*place, MARKS[names.index(name)], color=colours[name], markersize=8, linestyle="")
        axis.set(xscale="log", title=size, xlabel="processor seconds to fit", ylabel=leading)
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.margins(x=0.15, y=0.15)
        if not more_is_better:
            axis.invert_yaxis()
        axis.grid(alpha=0.25)
    handles = [Line2D([], [], color=colours[name], marker=MARKS[names.index(name)], linestyle="") for name in names]
    legend = figure.legend(handles, names, loc="outside right upper", fontsize=8, title="better is up and to the left")
    legend.get_title().set_fontsize(8)
    return figure


def gaps(record: dict[str, Any]) -> str:
    """Every estimator with default parameters beside its best peers, on every development set, as gaps."""
    figures = record["figures"]
    rows = [
        [
            one["estimator"], one["set"], one["measure"], _number(one["before"]), _number(one["ours"]),
            f"{_number(one['best'])} ({one['peer']})", _share(one["gap_before"]), _share(one["gap"]),
        ]
        for one in figures["rows"]
    ]  # fmt: skip
    summary = []
    for estimator, told in figures["estimators"].items():
        line = f"- `{estimator}`: mean gap {told['mean_gap']:+.1%} over {told['rows']} rows; "
        line += f"behind by more than the margin: {', '.join(told['behind']) or 'none'}"
        if "keeps_the_rule" in told:
            kept = "keeps the rule" if told["keeps_the_rule"] else f"loses on {', '.join(told['lost'])}"
            line += f"; beside what it was, {told['mean_change']:+.1%} in the mean, {kept}"
        summary.append(line + ".")
    header = ["estimator", "set", "measure", "before", "reached", "best peer", "gap before", "gap"]
    return "\n\n".join(["\n".join(summary), table(header, rows)])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1%}"


BLOCKS = {
    "defaults": Block(gaps),
    "versus": Block(all_jobs),
    "headline": Block(headline, ("versus",)),
}
FIGURES = {f"versus-{job}": Drawing("versus", partial(draw_job, job=job)) for job in TITLES}
