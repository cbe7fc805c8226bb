"""Full rank beside low rank: Gowalla beside what is published, and many sets beside tuned peers."""

from typing import Any

from benchmarks.views import Figures, Table, beside, number, unmeasured

OURS = ("BlendRecommender()", "its FactorRecommender", "its LinearRecommender")
PEERS = ("EASE, tuned", "Irspack, tuned", "Implicit, tuned")


def gowalla(published: dict[str, Any], figures: Figures | None) -> list[Table]:
    found = (figures or {}).get("gowalla")
    if not found:
        return [unmeasured(published["caption"])]
    notes = [found["sentence"]] if found.get("sentence") else []
    notes.append(f"Fitted in {found['seconds']:.0f} s, {found['processor_seconds']:.0f} s of processor time.")
    if "bytes" in found:
        notes.append(f"The model file takes {found['bytes'] / 1e6:.0f} MB.")
    theirs = published["sets"]["Gowalla"]
    return [beside(published["caption"], published["measures"], theirs, found["methods"], notes=notes)]


def sets(figures: Figures | None) -> list[Table]:
    found = (figures or {}).get("sets")
    title = "Recommenders with nothing given beside tuned EASE, irspack and implicit, NDCG@10"
    if not found:
        return [unmeasured(title)]
    rows = [
        [name, *(number(data["methods"].get(method, {}).get("ndcg@10")) for method in (*OURS, *PEERS))]
        for name, data in found.items()
    ]
    return [Table(title, ["", *OURS, *PEERS], rows)]
