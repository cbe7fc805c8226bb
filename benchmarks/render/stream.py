"""Rating streams: errors, speed and memory, what their defaults reach, and the NN-APA paper's tables."""

import itertools
from functools import partial
from statistics import mean
from typing import Any

from matplotlib.figure import Figure

from benchmarks.render import ABSENT, Block, Drawing, Figures, Table, number, picked, table, unmeasured


def errors(record: dict[str, Any]) -> str:
    """Errors of rating streams beside the paper's Table 2, and in time order beside river."""
    figures = record["figures"]
    parts = []
    for name, rows in figures["table_2"].items():
        lines = [
            [
                row["method"],
                row["k"] or "–",
                _both(row["train_mae"]),
                _both(row["test_mae"]),
                f"{row['test_mae_clipped']['mean']:.4f}",
                "–" if row["paper_test_mae"] is None else f"{row['paper_test_mae']:.4f}",
                f"{row['seconds']['mean']:.2f}",
            ]
            for row in rows
        ]
        head = ["method", "k", "training MAE", "test MAE", "clipped", "paper's test MAE", "seconds"]
        parts.append(f"**{name}**, {figures['permutations']} permutations, one pass\n\n{table(head, lines)}")
    lines = [[name, f"{found['mae']:.4f}"] for name, found in figures["batch_references"].items()]
    parts.append("**MovieLens 100K, many passes**, first permutation\n\n" + table(["method", "test MAE"], lines))
    lines = [
        [name, f"{found['mae']:.4f}", f"{found['ndcg@10']:.4f}" if "ndcg@10" in found else "–"]
        for name, found in figures["time_order"].items()
    ]
    parts.append(
        "**MovieLens 100K in time order**, predict then learn\n\n" + table(["method", "MAE", "NDCG@10"], lines)
    )
    return "\n\n".join(parts)


def _both(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.4f} ± {figure['deviation']:.4f}"


def speed(record: dict[str, Any]) -> str:
    """Speed and memory of rating streams."""
    figures = record["figures"]
    ratios = figures["times_biased_mf"]
    rows = [
        [name, f"{rate:,}", f"{ratios[name]:g}" if name in ratios else "–"]
        for name, rate in figures["ratings_per_second"].items()
    ]
    simulated, memory = figures["simulated"], figures["memory"]
    tenths = simulated["per_second_by_tenths"]
    ident = memory["id_bytes_whole_number"]
    each = ", ".join(f"{name}: {size}" for name, size in memory["row_bytes"].items())
    parts = [
        table(["one core, MovieLens 1M", "ratings a second", "times river's BiasedMF"], rows),
        f"Bytes for a user or item: {each}; a whole number as its id takes {ident:g} more.",
        f"{simulated['ratings']:,} simulated ratings of {simulated['items']:,} items by {simulated['users']:,} users "
        f"took {simulated['seconds']:g} s of one core, {simulated['ratings_per_second']:,} a second: {tenths[0]:,} in "
        f"the first tenth, {tenths[-1]:,} in the last. Factors take {simulated['state_megabytes']:g} MB; the process "
        f"peaked at {simulated['peak_megabytes']:g} MB, of which {simulated['peak_before_megabytes']:g} MB were there "
        "before the first rating.",
        f"Processor time, best of several; the machine's load was {record['load_average_before']} when it began.",
    ]
    return "\n\n".join(parts)


OURS = ("RatingStream()", "ExpertRatingStream()")
ONE_PASS = ("shrunk running means", "river Baseline", "river BiasedMF", "river FunkMF")
BATCH = ("Surprise SVD",)


def best_peer(methods: dict[str, Any], names: tuple[str, ...], what: str) -> tuple[str, float] | None:
    """The peer with the least error."""
    known = {name: methods[name][what] for name in names if what in methods.get(name, {})}
    return min(known.items(), key=lambda one: one[1]) if known else None


def defaults(record: dict[str, Any]) -> str:
    """Rating streams with default parameters beside river, Surprise and running means; whether their constants hold."""
    figures = record["figures"]
    parts = []
    for what, names in (("progressive", ONE_PASS), ("test", (*ONE_PASS, *BATCH))):
        rows = []
        for name, one in figures["sets"].items():
            methods, peer = one["methods"], best_peer(one["methods"], names, what)
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


NO_HETREC = "HetRec 2011 MovieLens is not among the data at hand."
NO_MEDIUM = (
    "MovieLens 10M and the whole of Flixster are not among the data at hand; a published part of Flixster stands in."
)
NO_LARGE = "Netflix and Yahoo music are not among the data at hand."
RANKS = (5, 10, 15)


def nn_apa_table2(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    found = picked(stream, "table_2") or {}
    tables = [
        _one_pass(f"{paper['caption']}: {name}", rows, paper["sets"].get(name, {})) for name, rows in found.items()
    ]
    absent = [name for name in paper["sets"] if name not in found]
    if not tables:
        return [unmeasured(paper["caption"])]
    notes = ["Rows marked * use what Tacit adds; seconds are one core's.", NO_HETREC]
    notes += [f"{name}: measured by the long run only." for name in absent if name != "HetRec 2011"]
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]


def nn_apa_table3(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "table3")
    if not measured:
        return [unmeasured(paper["caption"])]
    title = f"{paper['caption']}: Flixster, {measured['ratings']:,} ratings here, 8,196,077 in the paper"
    table = _one_pass(title, measured["rows"], paper["sets"]["Flixster"], (10, 20))
    lines = [
        [method, str(k), *(number(value) for value in row[:2]), number(row[2], 0)]
        for method, rows in paper["sets"]["MovieLens 10M"].items()
        for k, row in zip((10, 20) if len(rows) == 2 else (ABSENT,), rows)
    ]
    heads = ["method", "k", "training MAE", "test MAE", "seconds"]
    absent = Table("MovieLens 10M, in the paper only: no data", heads, lines, [NO_MEDIUM])
    return [table, absent]


def nn_apa_table4(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "table4")
    if not measured:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for by, title in (("coefficient", "largest coefficients, as in the paper"), ("share", "largest shares, ours")):
        topics = measured[by]["topics"]
        rows = [
            [f"topic {place}", "; ".join(topic["films"]), topic["genre"], f"{100 * topic['share']:.0f} %"]
            for place, topic in enumerate(topics, 1)
        ]
        tables.append(Table(f"{measured['data']}: {title}", ["", "films", "commonest genre", "have it"], rows))
    everywhere = f"{100 * measured['commonest_genre_of_all']:.0f} % of all films have the commonest genre of all."
    if "coherence_at_random" in measured:
        shares = ", ".join(f"{100 * measured[by]['coherence']:.0f} % by {by}" for by in ("coefficient", "share"))
        everywhere += (
            f" Films of a topic that have its commonest genre: {shares}; of five films at random "
            f"{100 * measured['coherence_at_random']:.0f} %."
        )
    notes = [f"The paper's claim: {paper['claim']}.", everywhere, NO_MEDIUM]
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]


def nn_apa_figure2(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "figure2")
    if not measured:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for k, lines in measured["curves"].items():
        least = min(points[-1][0] for points in lines.values())
        rows = []
        for method, points in lines.items():
            within = [error for spent, error in points if spent <= least] or [points[0][1]]
            rows.append([method, number(within[-1]), number(points[-1][1]), number(points[-1][0], 3)])
        heads = ["method", f"MAE after {least:.3f} s", "MAE at the end", "seconds in all"]
        notes = [f"The paper's claim: {paper['claim']}.", NO_LARGE + " MovieLens stands in."]
        tables.append(Table(f"{paper['caption'].split(' on ')[0]}, one core, {k}", heads, rows, notes))
    return tables


def _one_pass(
    title: str, rows: list[dict[str, Any]], published: dict[str, Any], ranks: tuple[int, ...] = RANKS
) -> Table:
    lines = []
    for row in rows:
        theirs = published.get(row["method"])
        place = 0 if row["k"] is None or row["k"] not in ranks else ranks.index(row["k"])
        train, test, seconds = theirs[place] if theirs else (None, None, None)
        lines.append(
            [
                row["method"], str(row["k"] or ABSENT), number(train), number(row["train_mae"]["mean"]), number(test),
                number(row["test_mae"]["mean"]), number(seconds, 2), number(row["seconds"]["mean"], 3),
            ]
        )  # fmt: skip
    heads = ["method", "k"]
    heads += [f"{who} {what}" for what in ("training MAE", "test MAE", "seconds") for who in ("paper", "here")]
    return Table(title, heads, lines)


def nn_apa_figure1(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    curves = picked(stream, "curves")
    if not curves:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for name, lines in curves.items():
        length = min(map(len, lines.values()))
        places = sorted({0, length // 8, length // 4, length // 2, length - 1})
        heads = ["method", *(f"{next(iter(lines.values()))[place][0]:,}" for place in places)]
        rows = [[method, *(number(points[place][1]) for place in places)] for method, points in lines.items()]
        notes = [f"The paper's claim: {paper['claim']}."]
        tables.append(Table(f"{paper['caption']}: {name}, after so many ratings", heads, rows, notes))
    return tables


def nn_apa_figure3(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    return _sensitivity(paper, stream, "aggressiveness", "C")


def nn_apa_figure4(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    return _sensitivity(paper, stream, "factors", "k")


def _sensitivity(paper: dict[str, Any], stream: Figures | None, key: str, letter: str) -> list[Table]:
    found = {name: kinds for name, kinds in (picked(stream, "sensitivity") or {}).items() if key in kinds}
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for name, kinds in found.items():
        lines = kinds[key]
        heads = ["method", *(f"{letter} = {value:g}" for value, _ in next(iter(lines.values())))]
        rows = [[method, *(number(error) for _, error in points)] for method, points in lines.items()]
        notes = [f"The paper's claim: {paper['claim']}."]
        tables.append(Table(f"{paper['caption']}: test MAE on {name}", heads, rows, notes))
    return tables


def draw_curves(figures: dict[str, Any], name: str) -> Figure:
    """Cumulative MAE as a stream goes on."""
    curves = figures["curves"][name]
    figure = Figure(figsize=(7, 4.2), layout="tight")
    axes = figure.subplots()
    for method, points in curves.items():
        axes.plot(*zip(*points), label=method)
    last = min(points[-1][1] for points in curves.values())
    axes.set(xlabel="ratings seen", ylabel="cumulative MAE", title=name, ylim=(last - 0.02, last + 0.25))
    axes.legend(fontsize=8)
    return figure


def draw_sensitivity(figures: dict[str, Any], over: str, label: str, logarithmic: bool, reach: float) -> Figure:
    """Test MAE over C or k."""
    sets = figures["sensitivity"]
    figure = Figure(figsize=(4.6 * len(sets), 3.8), layout="tight")
    panels = figure.subplots(1, len(sets), squeeze=False)
    for axes, (name, found) in zip(panels[0], sets.items()):
        for method, points in found[over].items():
            axes.plot(*zip(*points), marker="o", markersize=3, label=method)
        low = min(error for points in found[over].values() for _, error in points)
        axes.set(xlabel=label, ylabel="test MAE", title=name, ylim=(low - 0.01, low + reach))
        if logarithmic:
            axes.set_xscale("log")
        axes.legend(fontsize=7)
    return figure


BLOCKS = {
    "stream": Block(errors),
    "stream-speed": Block(speed),
    "stream-defaults": Block(defaults),
}
FIGURES = {
    "stream-curves-100k": Drawing("stream", partial(draw_curves, name="MovieLens 100K")),
    "stream-curves-1m": Drawing("stream", partial(draw_curves, name="MovieLens 1M")),
    "stream-aggressiveness": Drawing(
        "stream", partial(draw_sensitivity, over="aggressiveness", label="C", logarithmic=True, reach=0.35)
    ),
    "stream-factors": Drawing(
        "stream", partial(draw_sensitivity, over="factors", label="k", logarithmic=False, reach=0.12)
    ),
}
