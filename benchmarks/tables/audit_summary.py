"""The README's line on the audit: tags that were hidden and found again, and suggestions that were looked at."""

from typing import Any

FILES = ("tag-audit",)
SHOWN = "10000"


def render(records: dict[str, Any]) -> str:
    figures = records["tag-audit"]["figures"]
    found = {name: shares[SHOWN] for name, shares in figures["recall among the n best"].items()}
    best, text, frequency = found["FactorTagger"], found["one-vs-rest logistic by text alone"], found["label frequency"]
    looked_at = [one["looked at"] for one in figures["suggestions on all tags"]]
    right, wrong = (sum(verdict.startswith(start) for verdict in looked_at) for start in ("right", "wrong"))
    return (
        f"Of {figures['hidden']:,} tags hidden from Debian's index, {best:.0%} are among the first {int(SHOWN):,} "
        f"suggestions; one-vs-rest logistic regression reaches {text:.0%} and tag frequency {frequency:.0%}. Of "
        f"{len(looked_at)} suggestions on the full index, checked by eye, {right} name a tag that was really missing, "
        f"{wrong} are wrong and {len(looked_at) - right - wrong} doubtful."
    )
