"""Which packages belong together: factors of who needs or suggests whom."""

from typing import TYPE_CHECKING

from tacit.cli.output import entries
from tacit.report.blocks import Bars, Paragraph, Section, Table

if TYPE_CHECKING:
    from tacit.data.debian import Debian
    from tacit.estimators.ranked import Ranked

DOING = "learning which packages belong together"
FACTORS = 32
LIKED = ("ripit", "xarchiver", "lyx", "gdm3", "spamassassin", "lilypond", "devscripts", "munin")
"""Packages to show, as many as are here; they have enough relations to say something."""
SHOWN = 4


def section(debian: "Debian") -> Section:
    from tacit import FactorRecommender
    from tacit.baselines.popularity import Popularity
    from tacit.metrics import evaluate

    data = debian.relations.filtered(min_row_count=2, min_col_count=2)
    train, test = data.split(test=0.2, seed=0)
    baselines = {
        "FactorRecommender": FactorRecommender(FACTORS, progress=False).fit(train),
        "popularity": Popularity().fit(train),
    }
    ndcg = {name: evaluate(model, train, test, k=10, metrics=("ndcg",))["ndcg@10"] for name, model in baselines.items()}
    model = FactorRecommender(FACTORS, progress=False).fit(data)
    shown = [name for name in LIKED if name in model.row_ids_][:SHOWN]
    shown = shown or data.row_ids.all()[:SHOWN].tolist()
    # A package does not belong to itself.
    result = model.recommend(shown, k=6, exclude={name: [name] for name in shown if name in model.col_ids_})
    alike = model.similar_rows(shown, k=6)
    rows = [(name, _listed(result, index), _listed(alike, index)) for index, name in enumerate(shown)]
    n, m = data.shape
    return Section(
        "Which packages belong together",
        [
            Paragraph(
                f"{n:,} packages name {m:,} others as what they need, recommend or suggest: {data.nnz:,} pairs. A "
                "pair that is absent may simply never have been thought of. Each package and each of the others "
                f"gets {FACTORS} numbers whose product says how well they go together."
            ),
            Table(("package", "might name next", "has company in"), rows, texts=3),
            Bars("A fifth of the pairs held out: NDCG@10 of finding them", ndcg, marked="FactorRecommender"),
            Paragraph(
                "Popularity gives every package the same list, from the most named one down. NDCG@10 is 1 when all "
                "that was held out stands on top of a list of ten, and 0 when none of it is in the list."
            ),
        ],
        {"packages": n, "pairs": data.nnz, "ndcg@10": ndcg, "recommended": {row[0]: row[1] for row in rows}},
    )


def _listed(ranked: "Ranked", index: int) -> str:
    return ", ".join(str(one["id"]) for one in entries(ranked, index))
