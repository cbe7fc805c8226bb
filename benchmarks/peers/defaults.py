"""The defaults table: every job with nothing given beside its best peers, on every development set, as gaps.

    python -m benchmarks.peers.defaults [--quick]

Joins what ``full_rank.py``, ``defaults_tag.py``, ``words.py``, ``defaults_stream.py`` and ``defaults_grade.py`` have
measured into ``results/defaults.json``: one row for each job, set and measure, with the figure of the commit to compare
with ("before") where it was measured. A gap is relative and positive where we are ahead: ours / peer − 1, or
1 − ours / peer of an error.

The rule by which a default may change: the mean over the sets improves, and no set loses more than 2 % (0.003 of an
area under the curve) to what it was before. The table says of every job whether what is measured keeps it. ``--quick``
joins the same files and writes ``results/defaults-quick.json``.
"""

import argparse
from collections.abc import Iterator
from statistics import mean
from typing import Any

from benchmarks import results
from benchmarks.tables import grade as grade_tables
from benchmarks.tables import stream as stream_tables

MARGIN, AREA_MARGIN = 0.02, 0.003
Row = dict[str, Any]


def row(job: str, name: str, measure: str, ours: float, peer: tuple[str, float], before: float | None = None) -> Row:
    """One line of the table; errors are told by the last word of their measure."""
    error = measure.endswith("MAE")

    def gap(value: float, reference: float) -> float:
        return 1 - value / reference if error else value / reference - 1

    return {
        "job": job, "set": name, "measure": measure, "before": before, "ours": ours, "peer": peer[0], "best": peer[1],
        "gap": gap(ours, peer[1]), "gap_before": None if before is None else gap(before, peer[1]),
        "change": None if before is None else gap(ours, before),
    }  # fmt: skip


def recommend() -> Iterator[Row]:
    for name, one in results.read("full-rank")["figures"]["sets"].items():
        reached = {method: found["ndcg@10"] for method, found in one["methods"].items()}
        peers = {method: value for method, value in reached.items() if "tuned" in method}
        if peers and "BlendRecommender()" in reached:
            best = max(peers.items(), key=lambda peer: peer[1])
            yield row("recommend", name, "NDCG@10", reached["BlendRecommender()"], best)


def tag() -> Iterator[Row]:
    for name, methods in results.read("tag-defaults")["figures"].items():
        reached = {method: found["nDCG@5"] for method, found in methods.items() if "nDCG@5" in found}
        peers = {method: value for method, value in reached.items() if "Tagger" not in method}
        if "KernelTagger()" in reached and peers:
            best = max(peers.items(), key=lambda peer: peer[1])
            yield row("tag", name, "nDCG@5", reached["KernelTagger()"], best, reached.get("KernelTagger() before"))


def words() -> Iterator[Row]:
    for file in ("words-quick", "words"):
        figures = results.read(file)["figures"]
        methods = {name: found for name, found in figures["methods"].items() if "total" in found}
        peers = {name: found["total"]["of_known"] for name, found in methods.items() if name != "tacit"}
        best = max(peers.items(), key=lambda peer: peer[1])
        name = f"enwiki, {figures['megabytes']} MB"
        yield row("words", name, "analogies", methods["tacit"]["total"]["of_known"], best)


def stream() -> Iterator[Row]:
    for name, one in results.read("stream-defaults")["figures"]["sets"].items():
        methods = one["methods"]
        for what, peers in (
            ("progressive", stream_tables.ONE_PASS),
            ("test", (*stream_tables.ONE_PASS, *stream_tables.BATCH)),
        ):
            best = stream_tables.best_peer(methods, peers, what)
            for ours in stream_tables.OURS:
                if best is not None and what in methods.get(ours, {}):
                    before = methods.get(f"{ours} before", {}).get(what)
                    yield row("stream", name, f"{ours} {what} MAE", methods[ours][what], best, before)


def grade() -> Iterator[Row]:
    for name, methods in results.read("grade-defaults")["figures"].items():
        areas = grade_tables.areas(methods)
        if grade_tables.OURS in areas:
            peers = {method: area for method, area in areas.items() if not method.startswith("OrdinalRanker")}
            best = max(peers.items(), key=lambda peer: peer[1])
            yield row("grade", name, "AUC", areas[grade_tables.OURS], best, areas.get(grade_tables.BEFORE))


JOBS = {"recommend": recommend, "tag": tag, "words": words, "stream": stream, "grade": grade}


def verdict(rows: list[Row]) -> dict[str, Any]:
    """Mean gaps of a job, its sets that are behind, and whether its changes keep the rule."""
    told: dict[str, Any] = {"rows": len(rows), "mean_gap": mean(one["gap"] for one in rows)}
    told["behind"] = [f"{one['set']} ({one['gap']:+.1%})" for one in rows if one["gap"] < -_margin(one)]
    compared = [one for one in rows if one["change"] is not None]
    if compared:
        told["mean_change"] = mean(one["change"] for one in compared)
        told["lost"] = [f"{one['set']} ({one['change']:+.1%})" for one in compared if one["change"] < -_margin(one)]
        told["keeps_the_rule"] = told["mean_change"] >= 0 and not told["lost"]
    return told


def _margin(one: Row) -> float:
    return AREA_MARGIN / one["best"] if one["measure"] == "AUC" else MARGIN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="into a file of its own")
    quick = parser.parse_args().quick
    rows = [one for job in JOBS.values() for one in job()]
    verdicts = {job: verdict(own) for job in JOBS if (own := [one for one in rows if one["job"] == job])}
    for job, told in verdicts.items():
        print(job, told)
    print(results.write("defaults-quick" if quick else "defaults", {"rows": rows, "jobs": verdicts}))


if __name__ == "__main__":
    main()
