"""The defaults table: every estimator with default parameters beside its best peers, on every development set, as gaps.

    python -m benchmarks.peers.defaults [--quick]

Joins what ``full_rank.py``, ``defaults_recommend.py``, ``defaults_tag.py``, ``papers/tag.py``, ``papers/words.py``,
``defaults_stream.py`` and ``defaults_grade.py`` have measured into ``results/defaults.json``: one row for each
estimator, set and measure, with the figure of the commit to compare with ("before") where it was measured: of the same
estimator, or of the one that was the first choice there if this one did not exist. A gap is relative and positive where
we are ahead: ours / peer − 1, or 1 − ours / peer of an error.

The rule by which a default may change: the mean over the sets improves, and no set loses more than 2 % (0.003 of an
area under the curve) to what it was before. The table says of every estimator whether what is measured keeps it.
``--quick`` joins the same files and writes ``results/defaults-quick.json``.
"""

import argparse
from collections.abc import Iterator
from statistics import mean
from typing import Any

from benchmarks import results
from benchmarks.render import grade as grade_tables
from benchmarks.render import stream as stream_tables

MARGIN, AREA_MARGIN = 0.02, 0.003
FIRST_CHOICE_BEFORE = {"BlendRecommender()": "FactorRecommender()", "KernelTagger()": "NeighbourTagger()"}
"""What was recommended before these estimators existed."""
TAGGERS = ("KernelTagger()", "NeighbourTagger()", "FactorTagger()")
TAG_PEERS = (
    "napkinXC PLT", "omikuji Parabel", "omikuji Bonsai", "one-vs-rest logistic", "SLEEC", "LEML", "LEML-IMC",
)  # fmt: skip
Row = dict[str, Any]
Peer = tuple[str, float]


def row(job: str, estimator: str, name: str, measure: str, ours: float, peer: Peer, before: float | None) -> Row:
    """One line of the table; errors are told by the last word of their measure."""
    error = measure.endswith("MAE")

    def gap(value: float, reference: float) -> float:
        return 1 - value / reference if error else value / reference - 1

    return {
        "job": job, "estimator": estimator, "set": name, "measure": measure, "before": before, "ours": ours,
        "peer": peer[0], "best": peer[1], "gap": gap(ours, peer[1]),
        "gap_before": None if before is None else gap(before, peer[1]),
        "change": None if before is None else gap(ours, before),
    }  # fmt: skip


def best(peers: dict[str, float]) -> Peer:
    return max(peers.items(), key=lambda peer: peer[1])


def before(reached: dict[str, float], estimator: str) -> float | None:
    return reached.get(f"{FIRST_CHOICE_BEFORE.get(estimator, estimator)} before")


def recommend() -> Iterator[Row]:
    alone = results.read("recommend-defaults")["figures"]
    for name, one in results.read("full-rank")["figures"]["sets"].items():
        reached = {method: found["ndcg@10"] for method, found in (one["methods"] | alone.get(name, {})).items()}
        peers = {method: value for method, value in reached.items() if "tuned" in method}
        reached["LinearRecommender()"] = reached["its LinearRecommender"]
        for ours in ("BlendRecommender()", "LinearRecommender()", "FactorRecommender()"):
            if peers and ours in reached:
                yield row("recommend", ours, name, "NDCG@10", reached[ours], best(peers), before(reached, ours))


def tag() -> Iterator[Row]:
    tuned = results.read("tag-quality")["figures"]
    for name, methods in results.read("tag-defaults")["figures"].items():
        reached = {method: found["nDCG@5"] / 100 for method, found in methods.items() if "nDCG@5" in found}
        peers = {method: value for method, value in reached.items() if "Tagger" not in method}
        found = {method: tuned.get(name, {}).get(method, {}).get("nDCG@5") for method in TAG_PEERS}
        peers |= {f"{method}, tuned": value / 100 for method, value in found.items() if value}
        for ours in TAGGERS:
            if ours in reached and peers:
                yield row("tag", ours, name, "nDCG@5", reached[ours], best(peers), before(reached, ours))


def words() -> Iterator[Row]:
    for file in ("words-quick", "words"):
        figures = results.read(file)["figures"]
        name = f"enwiki, {figures['megabytes']} MB"
        for measure, of in (
            ("analogies", lambda found: found["total"]["of_known"]),
            ("WordSim-353", lambda found: found["wordsim353"]["correlation"]),
        ):
            reached = {method: of(found) for method, found in figures["methods"].items() if "total" in found}
            reached.pop("fBGD", None)  # Tacit's own as well, with the paper's settings
            was = reached.pop("tacit before", None)
            ours = reached.pop("tacit")
            yield row("words", "WordVectors()", name, measure, ours, best(reached), was)


def stream() -> Iterator[Row]:
    for name, one in results.read("stream-defaults")["figures"]["sets"].items():
        methods = one["methods"]
        for what, peers in (
            ("progressive", stream_tables.ONE_PASS),
            ("test", (*stream_tables.ONE_PASS, *stream_tables.BATCH)),
        ):
            peer = stream_tables.best_peer(methods, peers, what)
            for ours in stream_tables.OURS:
                if peer is not None and what in methods.get(ours, {}):
                    was = methods.get(f"{ours} before", {}).get(what)
                    yield row("stream", ours, name, f"{what} MAE", methods[ours][what], peer, was)


def grade() -> Iterator[Row]:
    for name, methods in results.read("grade-defaults")["figures"].items():
        areas = grade_tables.areas(methods)
        if grade_tables.OURS in areas:
            peers = {method: area for method, area in areas.items() if not method.startswith("OrdinalRanker")}
            was = areas.get(grade_tables.BEFORE)
            yield row("grade", grade_tables.OURS, name, "AUC", areas[grade_tables.OURS], best(peers), was)


JOBS = (recommend, tag, words, stream, grade)


def verdict(rows: list[Row]) -> dict[str, Any]:
    """Mean gaps of an estimator, its sets that are behind, and whether its changes keep the rule."""
    told: dict[str, Any] = {"rows": len(rows), "mean_gap": mean(one["gap"] for one in rows)}
    told["behind"] = [_named(one, "gap") for one in rows if one["gap"] < -_margin(one)]
    compared = [one for one in rows if one["change"] is not None]
    if compared:
        told["mean_change"] = mean(one["change"] for one in compared)
        told["lost"] = [_named(one, "change") for one in compared if one["change"] < -_margin(one)]
        told["keeps_the_rule"] = told["mean_change"] >= 0 and not told["lost"]
    return told


def _named(one: Row, what: str) -> str:
    return f"{one['set']}, {one['measure']} ({one[what]:+.1%})"


def _margin(one: Row) -> float:
    return AREA_MARGIN / one["best"] if one["measure"] == "AUC" else MARGIN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="into a file of its own")
    quick = parser.parse_args().quick
    rows = [one for job in JOBS for one in job()]
    estimators = dict.fromkeys(one["estimator"] for one in rows)
    verdicts = {name: verdict([one for one in rows if one["estimator"] == name]) for name in estimators}
    for name, told in verdicts.items():
        print(name, told)
    print(results.write("defaults-quick" if quick else "defaults", {"rows": rows, "estimators": verdicts}))


if __name__ == "__main__":
    main()
