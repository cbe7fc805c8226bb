"""Errors of rating streams beside the paper's Table 2, and in time order beside river."""

from typing import Any

from tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    parts = []
    for name, rows in figures["table_2"].items():
        parts.append(f"**{name}**, {figures['permutations']} permutations, one pass\n\n{_one_pass(rows)}")
    for name, found in figures.get("table_3", {}).items():
        title = f"**{name}**, {found['ratings']:,} ratings, {found['permutations']} permutations, one pass (Table 3)"
        parts.append(f"{title}\n\n{_one_pass(found['rows'])}")
    if "table_3" in figures:
        parts.append("MovieLens 10M and the whole of Flixster, the sets of the paper's Table 3, are not at hand.")
    for name, found in figures.get("over_time", {}).items():
        marks = [f"{mark:g} s" for mark in found["seconds"]]
        errors = {method: values for method, values in found.items() if method != "seconds"}
        lines = [[method, *(f"{error:.4f}" for error in values)] for method, values in errors.items()]
        title = f"**{name}**, test MAE after so many seconds of training (Figure 2)"
        parts.append(f"{title}\n\n{table(['method', *marks], lines)}")
        parts.append("Netflix and Yahoo music, the sets of the paper's Figure 2, are not at hand.")
    if "table_4" in figures:
        parts.append(_topics(figures["table_4"]))
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


def _one_pass(rows: list[dict[str, Any]]) -> str:
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
    return table(["method", "k", "training MAE", "test MAE", "clipped", "paper's test MAE", "seconds"], lines)


def _topics(found: list[dict[str, Any]]) -> str:
    """Table 4: one row per factor and way to pick its films."""
    lines = []
    for topic in found:
        films = "; ".join(f"{film['title']} ({', '.join(film['genres'])})" for film in topic["films"])
        lines.append([topic["by"], topic["topic"], f"{topic['genre']}, {topic['of_five']} of 5", films])
    chance = found[0]["of_five_by_chance"]
    title = (
        f"**{found[0]['set']}**, films that stand for six factors (Table 4; MovieLens 10M is not at hand). Of five "
        f"films at random {chance:g} share a genre."
    )
    return f"{title}\n\n{table(['picked by', 'factor', 'genre they share', 'films'], lines)}"


def _both(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.4f} ± {figure['deviation']:.4f}"
