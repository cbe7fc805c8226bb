"""The page of ``tacit evaluate grade``: which grades are confused, how the scores lie, and some rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.cli.evaluate.page import about_the_data, sections_of, share
from tacit.cli.evaluate.spread import typical
from tacit.report.blocks import Columns, Paragraph, Section, Table, Terms, Tiles

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

LEAD = (
    "Some rows whose grade is known were put aside. The model learned from the other graded rows and from those "
    "without a grade, then graded the ones put aside."
)
MEANINGS = {
    "auc": "Ordinal AUC: take a row of a higher and one of a lower grade: how often does the higher one score higher? "
    "The mean over all cuts between neighbouring grades. A coin gets 0.5.",
    "c_index": "The same over all pairs of different grades at once.",
    "mae": "How many grades off a prediction is on average.",
    "mze": "Share of rows whose grade is wrong, by however much.",
    "amae": "Like mae, but every grade counts alike, however few rows it has.",
    "qwk": "Agreement beyond chance, far misses weighing more: 1 is perfect, 0 is chance.",
    "middle grade": "Always says the median grade.",
    "random": "Draws grades at random, as often as they occur.",
}
BINS = 9


@dataclass(frozen=True)
class Graded:
    """What ``tacit evaluate grade`` has found; grades are places in ``model.classes_``."""

    model: Any
    features: "pl.DataFrame"
    rows: "NDArray[Any]"
    truth: "NDArray[Any]"
    scores: "NDArray[Any]"
    predicted: "NDArray[Any]"
    results: Mapping[str, Mapping[str, float]]
    graded: int
    ungraded: int
    seconds: float | None

    @property
    def names(self) -> list[str]:
        return [str(one) for one in self.model.classes_.tolist()]


def sections(result: Graded) -> list[Section]:
    """The whole page."""
    return sections_of(result, (_in_short, _figures, _confusion, _scores, _examples), _data)


def _in_short(result: Graded) -> Section:
    ours, theirs = result.results["model"], result.results["middle grade"]
    off = np.abs(result.truth - result.predicted)
    selection = getattr(result.model, "selection_", None) or {}
    alone, both = selection.get("auc_labelled_only"), selection.get("auc")
    helped = np.any(np.asarray(result.model.unlabelled_weight_) > 0)
    gain = (
        f" In cross-validation the ordinal AUC was {both:.4f} with the ungraded rows and {alone:.4f} without them."
        if helped and alone is not None and both is not None
        else ""
    )
    return Section(
        "In short",
        [
            Tiles([
                ("Ordinal AUC", f"{ours['auc']:.4f}", "a coin gets 0.5"),
                ("MAE", f"{ours['mae']:.4f}", f"grades off; middle grade {theirs['mae']:.4f}"),
                ("Exactly right", share(float((off == 0).mean())), f"middle grade {share(1 - theirs['mze'])}"),
                ("At most one off", share(float((off <= 1).mean())), "of the rows"),
            ]),
            Paragraph(f"{len(result.truth):,} rows were tested.{gain}"),
        ],
    )  # fmt: skip


def _figures(result: Graded) -> Section:
    rows = [(name, *(f"{one[name]:.4f}" for one in result.results.values())) for name in result.results["model"]]
    return Section(
        "How good are the grades?",
        [Table(("", *result.results), rows, caption="On the rows put aside"), Terms("What they mean", MEANINGS)],
    )


def _confusion(result: Graded) -> Section:
    counts = np.zeros((len(result.names), len(result.names)), dtype=int)
    np.add.at(counts, (result.truth, result.predicted), 1)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    rows = [(name, *(f"{count:,}" for count in line)) for name, line in zip(result.names, counts)]
    shades = [(0.0, *line) for line in shares.tolist()]
    return Section(
        "Which grades are confused",
        [
            Table(("true ↓ said →", *result.names), rows, shades=shades, caption="Rows by grade and what was said"),
            Paragraph("The stronger the colour, the larger the share of the line. Good grades lie on the diagonal, and "
                      "mistakes close to it."),
        ],
    )  # fmt: skip


def _scores(result: Graded) -> Section:
    low, high = np.quantile(result.scores, [0.01, 0.99])
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    inner = np.clip(result.scores, edges[0], edges[-1])
    present = [grade for grade in range(len(result.names)) if np.any(result.truth == grade)]
    # A chart has six colours; of more grades, six evenly spaced ones are drawn.
    drawn = [present[index] for index in np.unique(np.linspace(0, len(present) - 1, min(6, len(present))).astype(int))]
    series = {
        result.names[grade]: (
            100 * np.histogram(inner[result.truth == grade], edges)[0] / max(1, np.sum(result.truth == grade))
        ).tolist()
        for grade in drawn
    }
    labels = [f"{(a + b) / 2:.2g}" for a, b in pairwise(edges)]
    cuts = ", ".join(f"{cut:.3g}" for cut in np.ravel(result.model.thresholds_))
    return Section(
        "How the scores lie",
        [
            Columns("Scores by true grade", labels, series, "score", "% of the grade"),
            Paragraph(f"Each row gets one number, and cuts at {cuts} turn it into a grade. The less the colours "
                      "overlap, the surer the grades."),
        ],
    )  # fmt: skip


def _examples(result: Graded) -> Section:
    shown = result.features.columns[:4]
    rows = [
        (f"{result.rows[index]:,}", *(f"{result.features[index, name]:.4g}" for name in shown),
         f"{result.scores[index]:.3g}", result.names[result.predicted[index]], result.names[result.truth[index]])
        for index in typical(result.scores)
    ]  # fmt: skip
    more = (
        f" Of {len(result.features.columns)} features the first four are shown."
        if len(shown) < result.features.width
        else ""
    )
    return Section(
        "A few examples",
        [
            Paragraph(
                f"Rows whose score is above that of 90, 75, 50 and 25 of a hundred: none is picked by hand.{more}"
            ),
            Table(("row", *shown, "score", "said", "true"), rows),
        ],
    )


def _data(result: Graded) -> Section:
    counts = np.bincount(result.truth, minlength=len(result.names))
    facts = [
        *([("graded rows to learn from", f"{result.graded:,}"), ("rows without a grade", f"{result.ungraded:,}")]
          if result.graded else []),
        ("rows tested", f"{len(result.truth):,}"),
        ("features", f"{result.features.width:,}"),
    ]  # fmt: skip
    grades = Columns("Grades of the rows tested", result.names, {"rows": counts.tolist()}, "grade", "rows")
    return about_the_data(facts, grades)
