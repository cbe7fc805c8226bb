"""The page of ``tacit evaluate tag``: how many labels are right, which ones, and what some texts got."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.cli.evaluate.page import about_the_data, about_the_model, share, times, training_curve
from tacit.cli.evaluate.spread import THIRDS, by_third, chips, distribution, short, sizes, thirds, typical
from tacit.metrics.details import Details
from tacit.metrics.evaluation import evaluate_lists
from tacit.report.blocks import Block, Case, Lines, Paragraph, Section, Table, Terms, Tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.metrics.label_evaluation import Labelled

LEAD = (
    "Texts that the model has not seen were tagged by it, and what it gave was compared with the labels that people "
    "had given. A label that nobody has given may just be missing, so the true precision is at least what stands here."
)

MEANINGS = {
    "precision@k": "Share of the first k labels that people have given. It cannot reach 1 for texts with fewer labels.",
    "recall@k": "Share of a text's labels that are among the first k.",
    "ndcg@k": "How far up the right labels stand: 1 when they fill the first places, 0 when none is among the first k.",
    "psp@k": "Precision in which rare labels count more, as they are forgotten more often; over the best possible.",
    "most frequent": "Gives every text the labels that most texts have.",
    "random": "Draws labels at random.",
}


@dataclass(frozen=True)
class Tagged:
    """What ``tacit evaluate tag`` has found; ``lists`` maps a method to label numbers (n, K), best first."""

    model: Any
    texts: Sequence[str]
    names: Sequence[Any]
    truth: "Labelled"
    lists: Mapping[str, "NDArray[np.int64]"]
    results: Mapping[str, Mapping[str, float]]
    cutoffs: Sequence[int]
    seconds: float | None

    @property
    def k(self) -> int:
        return max(self.cutoffs)


def sections(result: Tagged) -> list[Section]:
    """The whole page."""
    details = {}
    curves = {}
    for name, lists in result.lists.items():
        details[name] = Details(result.k)
        lengths = range(1, lists.shape[1] + 1)
        curves[name] = evaluate_lists(
            lists, result.truth.truth, k=list(lengths), metrics=("precision", "recall", "ndcg"), details=details[name]
        )
    about = about_the_model(result.model, seconds=result.seconds)
    training = training_curve(getattr(result.model.tagger_, "history_", []))
    return [
        _in_short(result),
        _figures(result),
        _more_labels(curves),
        _by_text(result, details),
        _by_label(result, details),
        _examples(result, details["model"]),
        Section(about.title, [*about.blocks, *training]),
        _data(result),
    ]


def _in_short(result: Tagged) -> Section:
    k, ours, theirs = result.k, result.results["model"], result.results["most frequent"]
    first = min(result.cutoffs)
    tiles = Tiles([
        (f"P@{first}", f"{ours[f'precision@{first}']:.4f}", f"most frequent {theirs[f'precision@{first}']:.4f}"),
        (f"nDCG@{k}", f"{ours[f'ndcg@{k}']:.4f}", f"most frequent {theirs[f'ndcg@{k}']:.4f}"),
        (f"Recall@{k}", f"{ours[f'recall@{k}']:.4f}", f"{share(ours[f'recall@{k}'])} of the labels are found"),
        (f"PSP@{k}", f"{ours[f'psp@{k}']:.4f}", "rare labels count more"),
    ])  # fmt: skip
    better = times(ours[f"ndcg@{k}"], theirs[f"ndcg@{k}"])
    verdict = f"The model ranks labels {better} giving everybody the most frequent ones."
    if ours[f"ndcg@{k}"] < theirs[f"ndcg@{k}"]:
        verdict = "The model ranks labels worse than giving everybody the most frequent ones: more texts may help."
    unknown = result.truth.unknown
    note = f" {unknown:,} of the labels given do not occur in training and can only be missed." if unknown else ""
    return Section("In short", [tiles, Paragraph(f"{verdict} {len(result.texts):,} texts were tagged.{note}")])


def _figures(result: Tagged) -> Section:
    rows = [(name, *(f"{one[name]:.4f}" for one in result.results.values())) for name in result.results["model"]]
    return Section(
        "How good are the labels?",
        [
            Table(("", *result.results), rows, caption="Over all texts that were tested"),
            Terms("What they mean", MEANINGS),
        ],
    )


def _more_labels(curves: Mapping[str, Mapping[str, float]]) -> Section:
    lengths = sorted({int(name.partition("@")[2]) for name in curves["model"]})

    def curve(metric: str, title: str) -> Lines:
        series = {name: [one[f"{metric}@{k}"] for k in lengths] for name, one in curves.items()}
        return Lines(title, lengths, series, "labels given, k", f"{metric}@k")

    return Section("More labels", [curve("precision", "Precision"), curve("recall", "Recall")])


def _by_text(result: Tagged, details: Mapping[str, Details]) -> Section:
    scores = {name: one.scores["ndcg"] for name, one in details.items() if name != "random"}
    return Section(
        "Not the same for every text",
        [distribution(f"How nDCG@{result.k} is spread over texts", scores, f"nDCG@{result.k}", "texts")],
    )


def _by_label(result: Tagged, details: Mapping[str, Details]) -> Section:
    truth = result.truth
    third = thirds(truth.frequency)
    given = np.bincount(truth.truth.indices, minlength=len(truth.names))
    recall = {name: by_third(one.hits, third, given) for name, one in details.items() if name != "random"}
    how_many = np.bincount(third, minlength=3).tolist()
    rows = [
        (name, f"{size:,}", *(share(values[index]) for values in recall.values()))
        for index, (name, size) in enumerate(zip(THIRDS, how_many))
    ]
    ours = details["model"]
    names = truth.names.all()
    asked = np.flatnonzero(given >= max(3, np.quantile(given[given > 0], 0.75))) if given.any() else np.empty(0, int)
    rate = ours.hits[asked] / np.maximum(given[asked], 1)
    order = asked[np.lexsort((asked, -rate))]

    def listed(labels: Any, caption: str) -> Table:
        lines = [(short(names[one]), f"{given[one]:,}", share(ours.hits[one] / given[one])) for one in labels]
        return Table(("label", "texts", f"found among {result.k}"), lines, caption=caption)

    blocks: list[Block] = [
        Table(("labels", "how many", *(f"found, {name}" for name in recall)), rows,
              caption=f"Share of the labels given that are among the first {result.k}, by how frequent they are"),
    ]  # fmt: skip
    if len(order) >= 10:
        blocks += [listed(order[:6], "Frequent labels that are found most surely"),
                   listed(order[::-1][:6], "Frequent labels that are missed most")]  # fmt: skip
    return Section("Which labels", blocks)


def _examples(result: Tagged, details: Details) -> Section:
    scores = details.scores["ndcg"]
    names = result.truth.names.all()
    blocks: list[Block] = [
        Paragraph(
            f"Texts whose nDCG@{result.k} is better than that of 90, 75, 50 and 25 of a hundred: none is picked by "
            "hand. ✓ marks a label that people have given."
        )
    ]
    for index in typical(scores):
        row = int(details.rows[index])
        given = names[result.truth.truth[[row]].indices].tolist()
        best = [names[one] for one in result.lists["model"][row, : result.k] if one >= 0]
        blocks.append(
            Case(
                str(result.names[row]),
                f"“{result.texts[row][:300].replace('`', '')}”, nDCG@{result.k} {scores[index]:.4f}",
                {
                    "the model gives": [(short(one), one in given) for one in best],
                    f"people gave {len(given)}": chips(given, [one for one in best if one in given]),
                },
            )
        )
    return Section("A few examples", blocks)


def _data(result: Tagged) -> Section:
    truth = result.truth
    given = np.diff(truth.truth.indptr)
    facts = [
        ("texts to learn from", f"{truth.rows:,}"),
        ("texts tested", f"{len(result.texts):,}"),
        ("labels", f"{len(truth.names):,}"),
        ("words that the model knows", f"{len(result.model.words_):,}"),
        ("labels of a tested text, median and most", f"{np.median(given):g} and {given.max():,}"),
    ]
    frequencies = sizes("How frequent labels are", truth.frequency, "texts to learn from", "labels")
    return about_the_data(facts, frequencies)
