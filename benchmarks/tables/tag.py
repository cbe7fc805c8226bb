"""Taggers on published sets, with labels hidden, at scale, and the audit of Debian's tags."""

from typing import Any

from benchmarks.tables import Block, table

COLUMNS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@1", "PSP@3", "PSP@5", "seconds")
PRECISIONS = ("P@1", "P@3", "P@5")
OURS = ("NeighbourTagger", "FactorTagger", "BlendTagger")


def quality(record: dict[str, Any]) -> str:
    """One table per data set: methods, precision, propensity-scored precision, seconds.

    Our methods first, then the others; the best figure of each column but the seconds is bold.
    """
    blocks = []
    for name, methods in record["figures"].items():
        measured = [figures for figures in methods.values() if "failed" not in figures]
        best = {column: max(figures[column] for figures in measured) for column in COLUMNS[:-1]}
        rows = []
        for method in sorted(methods, key=lambda method: (not method.startswith(OURS), method.casefold())):
            figures = methods[method]
            if "failed" in figures:
                rows.append([method, figures["failed"], *[""] * (len(COLUMNS) - 1)])
            else:
                rows.append([method, *(_cell(figures, best, column) for column in COLUMNS)])
        blocks.append(f"**{name}**\n\n{table(['method', *COLUMNS], rows)}")
    return "\n\n".join(blocks)


def _cell(figures: dict[str, float], best: dict[str, float], column: str) -> str:
    shown = f"{figures[column]:.2f}"
    return f"**{shown}**" if figures[column] == best.get(column) else shown


def hidden(record: dict[str, Any]) -> str:
    """Precision with most labels hidden."""
    columns = (*PRECISIONS, "spread of P@1")
    rows = [
        [name, method, *(f"{figures[column]:.2f}" for column in columns)]
        for name, methods in record["figures"].items()
        for method, figures in methods.items()
    ]
    return table(["data", "method", *columns], rows)


def best(record: dict[str, Any]) -> str:
    """Blends on validation rows, and the models that met the test rows, with their seconds of training."""
    figures = record["figures"]
    tried = [[name, *(f"{row[column]:.2f}" for column in PRECISIONS)] for name, row in figures["validation"].items()]
    columns = (*PRECISIONS, "seconds", "processor seconds")
    tested = [
        [f"{name}: {row['blend']}" if "blend" in row else name, *(f"{row[column]:.2f}" for column in columns)]
        for name, row in figures["test"].items()
    ]
    return f"{table(['validation rows', *PRECISIONS], tried)}\n\n{table(['test rows', *columns], tested)}"


def scale(record: dict[str, Any]) -> str:
    """Time and memory of one large fit."""
    return table(["", ""], [[name, f"{value:,}"] for name, value in record["figures"].items()])


def audit(record: dict[str, Any]) -> str:
    """Recall of hidden tags among the best suggestions, and twenty suggestions on all tags looked at one by one."""
    figures = record["figures"]
    found = figures["recall among the n best"]
    sizes = list(next(iter(found.values())))
    methods = sorted(found, key=lambda name: -found[name][sizes[-1]])
    recalls = [[name, *(f"{found[name][n]:.1%}" for n in sizes)] for name in methods]
    suggestions = figures["suggestions on all tags"]
    checked = [
        [one["package"], one["text"], f"`{one['tag']}`", ", ".join(f"`{label}`" for label in one["companions"]),
         one["looked at"]]
        for one in suggestions
    ]  # fmt: skip
    right = sum(one["looked at"].startswith("right") for one in suggestions)
    return "\n\n".join([
        table(["method", *(f"best {int(n):,}" for n in sizes)], recalls),
        f"{figures['hidden']:,} tags were hidden.",
        table(["package", "description", "lacks", "because it carries", "looked at"], checked),
        f"{right} of {len(suggestions)} are right.",
    ])  # fmt: skip


SHOWN = "10000"


def audit_summary(records: dict[str, Any]) -> str:
    """The README's line on the audit: tags that were hidden and found again, and suggestions that were looked at."""
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


BLOCKS = {
    "tag-quality": Block(quality),
    "tag-hidden": Block(hidden),
    "tag-best": Block(best),
    "tag-scale": Block(scale),
    "tag-audit": Block(audit),
    "audit-summary": Block(audit_summary, ("tag-audit",)),
}
