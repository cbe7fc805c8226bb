"""The page of ``tacit evaluate``: what the figures mean, where they come from, and who gets what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.cli.evaluate.page import about_the_data, sections_of, share, times
from tacit.cli.evaluate.spread import THIRDS, by_third, chips, distribution, short, sizes, thirds, typical
from tacit.metrics.details import lead
from tacit.report.blocks import Block, Case, Columns, Lines, Paragraph, Section, Table, Terms, Tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.data.interactions import Interactions
    from tacit.metrics import Details, Evaluation

CURVE = (1, 2, 5, 10, 20, 50)
"""Lengths of lists at which the curves are drawn."""

LEAD = (
    "Part of what users took was hidden, a model learned from the rest, and each user's list was compared with "
    "what had been hidden. Here a user is a row of the table and an item is a column, whatever they are. "
    "All items that a user did not have yet were ranked, never a sample of them."
)

MEANINGS = {
    "ndcg": "How far up in the list the hidden items stand: 1 when they fill the first places, 0 when none is listed.",
    "recall": "Share of a user's hidden items that are in the list.",
    "precision": "Share of the list that was hidden. It cannot reach 1 where less was hidden than the list is long.",
    "map": "Mean over the hits of the share of hits up to there: like NDCG, but harder on a late first hit.",
    "mrr": "1 divided by the place of the first hit: 1 for the first place, 1/2 for the second.",
    "hit_rate": "Share of users with at least one hit.",
    "coverage": "Share of all items that is in anybody's list.",
    "novelty": "How unusual the listed items are, in bits: each bit halves the share of users who have an item.",
}


@dataclass(frozen=True)
class Measured:
    """What ``tacit evaluate`` has found: for each method its means, and what lies behind them at ``k``."""

    model: Any
    train: "Interactions"
    test: "Interactions"
    results: Mapping[str, "Evaluation"]
    details: Mapping[str, "Details"]
    cutoffs: Sequence[int]
    seconds: float | None
    titles: Mapping[str, str] = field(default_factory=dict)
    show_ids: bool = False

    def named(self, ids: Sequence[Any]) -> list[Any]:
        """Titles of items, or their ids where they have none."""
        return [self.titles.get(str(one), one) for one in ids]

    @property
    def k(self) -> int:
        return self.details["model"].k


def sections(result: Measured) -> list[Section]:
    """The whole page."""
    return sections_of(result, (_in_short, _figures, _longer_lists, _by_user, _by_item, _examples), _data)


def _in_short(result: Measured) -> Section:
    k, ours, theirs = result.k, result.results["model"], result.results["popularity"]
    ndcg, recall, hit, coverage = (f"{name}@{k}" for name in ("ndcg", "recall", "hit_rate", "coverage"))
    verdict = (
        f"The model ranks {times(ours[ndcg], theirs[ndcg])} popularity, which gives everybody the same list."
        if ours[ndcg] >= theirs[ndcg]
        else "The model ranks worse than popularity, which gives everybody the same list: fewer factors or more "
        "regularization may help, and so may more data."
    )
    tiles = Tiles([
        (f"NDCG@{k}", f"{ours[ndcg]:.4f}", f"popularity {theirs[ndcg]:.4f}"),
        (f"Recall@{k}", f"{ours[recall]:.4f}", f"{share(ours[recall])} of what was hidden is found"),
        (f"Hit rate@{k}", share(ours[hit]), f"of users get a hit among {k}"),
        (f"Coverage@{k}", share(ours[coverage]), f"of items are listed; popularity {share(theirs[coverage])}"),
    ])  # fmt: skip
    asked = f"{ours.users:,} users had something hidden and were asked"
    asked += f"; {ours.left_out:,} had nothing hidden and were left out." if ours.left_out else "."
    return Section("In short", [tiles, Paragraph(f"{verdict} {asked}")])


def _figures(result: Measured) -> Section:
    names = list(result.results)
    leads = lead(result.details["model"], result.details["popularity"])
    rows = [
        (metric, *(f"{result.results[name][metric]:.4f}" for name in names),
         f"{leads[metric].low:+.4f} to {leads[metric].high:+.4f}" if metric in leads else "")
        for metric in (f"{name}@{k}" for name in MEANINGS for k in result.cutoffs)
    ]  # fmt: skip
    return Section(
        "How good are the lists?",
        [
            Table(("", *names, "lead over popularity"), rows, caption="Means over all users that were asked"),
            Paragraph(
                "`popularity` lists what most users have. `random` lists items drawn at random. The last column is the "
                "95 % interval of the model's lead over popularity, from users drawn again and again: where it holds "
                "0, these users cannot tell the two apart."
            ),
            Terms("What they mean", {f"{name}@k": text for name, text in MEANINGS.items()}),
        ],
    )


def _longer_lists(result: Measured) -> Section:
    lengths = sorted({int(name.partition("@")[2]) for name in result.results["model"]})

    def curve(metric: str, title: str) -> Lines:
        series = {name: [one[f"{metric}@{k}"] for k in lengths] for name, one in result.results.items()}
        return Lines(title, lengths, series, "length of the list, k", f"{metric}@k", log_x=True)

    return Section(
        "Longer lists",
        [
            Paragraph("How much of what was hidden comes up, and how well it is placed, as the list grows."),
            curve("recall", "Recall by the length of the list"),
            curve("ndcg", "NDCG by the length of the list"),
        ],
    )


def _by_user(result: Measured) -> Section:
    scores = {name: one.scores["ndcg"] for name, one in result.details.items() if name != "random"}
    had = np.diff(result.train.matrix.indptr)[result.details["model"].rows]
    rows = []
    # The quarters of users by how much is known of them; equal borders make fewer groups.
    borders = np.unique(np.quantile(had, [0, 0.25, 0.5, 0.75, 1])) if len(had) else np.zeros(1)
    for index, (low, high) in enumerate(pairwise(borders)):
        inside = (had >= low if index == 0 else had > low) & (had <= high)
        if inside.any():
            least, most = had[inside].min(), had[inside].max()
            rows.append((f"{least:,} to {most:,}" if least < most else f"{least:,}", f"{inside.sum():,}",
                         *(f"{values[inside].mean():.4f}" for values in scores.values())))  # fmt: skip
    return Section(
        "Not the same for everybody",
        [
            distribution(f"How NDCG@{result.k} is spread over users", scores, f"NDCG@{result.k}", "users"),
            Table(("items known of a user", "users", *(f"NDCG@{result.k}, {name}" for name in scores)), rows,
                  caption="By how much is known of a user"),
        ],
    )  # fmt: skip


def _by_item(result: Measured) -> Section:
    columns = result.train.shape[1]
    third = thirds(np.bincount(result.train.matrix.indices, minlength=columns))
    hidden = np.bincount(result.test.matrix.indices, minlength=columns)
    places = {**{name: one.listed for name, one in result.details.items()}, "hidden": hidden}
    shares = {name: [100 * value for value in by_third(values, third)] for name, values in places.items()}
    recall = {name: by_third(one.hits, third, hidden) for name, one in result.details.items() if name != "random"}
    how_many = np.bincount(third, minlength=3).tolist()
    table = Table(
        ("items", "how many", *(f"found, {name}" for name in recall)),
        [(name, f"{size:,}", *(share(values[index]) for values in recall.values()))
         for index, (name, size) in enumerate(zip(THIRDS, how_many))],
        caption=f"Share of the hidden items that lists of {result.k} find, by how well known they are",
    )  # fmt: skip
    facts = Table(
        ("", *result.details),
        [
            ("items in anybody's list", *(f"{np.count_nonzero(one.listed):,}" for one in result.details.values())),
            (f"novelty@{result.k}, bits", *(f"{one[f'novelty@{result.k}']:.4f}" for one in result.results.values())),
            ("places of the commonest 1 %", *(share(_concentration(one.listed)) for one in result.details.values())),
        ],
        caption="Variety",
    )
    return Section(
        "What gets recommended",
        [
            Paragraph(
                "Items are put in order of how many users have them and cut so that each third holds as many of the "
                "training positives. A model without a leaning lists each third as often as it was hidden; one that "
                "follows the crowd lists the best known too often."
            ),
            Columns("Who fills the lists?", THIRDS, shares, "items by how well known they are", "% of places"),
            table,
            facts,
        ],
    )


def _concentration(listed: "NDArray[Any]") -> float:
    """Share of all places that the commonest hundredth of the items holds."""
    top = max(1, len(listed) // 100)
    return float(np.sort(listed)[-top:].sum() / max(1, listed.sum()))


def _examples(result: Measured) -> Section:
    details = result.details["model"]
    scores = details.scores["ndcg"]
    chosen = typical(scores)
    rows = details.rows[chosen].tolist()
    ids, items = result.train.row_ids.all(), result.train.col_ids.all()
    ranked = result.model.recommend(ids[rows].tolist(), k=result.k)
    blocks: list[Block] = [
        Paragraph(
            f"Users whose NDCG@{result.k} is better than that of 90, 75, 50 and 25 of a hundred: none is picked by "
            "hand. ✓ marks a listed item that had been hidden."
            + ("" if result.show_ids else " They are numbered here; `--show-ids` names them by their ids.")
        )
    ]
    for index, row in enumerate(rows):
        hidden = result.named(items[result.test.matrix[[row]].indices].tolist())
        had = result.named(items[result.train.matrix[[row]].indices].tolist())
        listed = result.named(ranked.ids[index][ranked.filled[index]].tolist())
        blocks.append(
            Case(
                str(ids[row]) if result.show_ids else f"User {index + 1}",
                f"NDCG@{result.k} {scores[chosen[index]]:.4f}"
                + ("" if had else ". Nothing is known of this user, so the list says nothing either."),
                {
                    f"had {len(had):,}": chips(had),
                    f"is recommended {len(listed)}": [(short(one), one in hidden) for one in listed],
                    f"was hidden: {len(hidden):,}": chips(hidden, [one for one in listed if one in hidden]),
                },
            )
        )
    return Section("A few examples", blocks)


def _data(result: Measured) -> Section:
    train, test = result.train, result.test
    rows, columns = train.shape
    per_row, per_column = np.diff(train.matrix.indptr), np.bincount(train.matrix.indices, minlength=columns)
    facts = [
        ("users", f"{rows:,}"),
        ("items", f"{columns:,}"),
        ("positives to learn from", f"{train.nnz:,}"),
        ("positives hidden", f"{test.nnz:,}"),
        ("cells that are positive", f"{100 * train.nnz / (rows * columns):.3g} %"),
        ("items of a user, median and most", f"{np.median(per_row):g} and {per_row.max():,}"),
        ("users of an item, median and most", f"{np.median(per_column):g} and {per_column.max():,}"),
        ("users without a positive to learn from", f"{np.count_nonzero(per_row == 0):,}"),
        ("items without a positive to learn from", f"{np.count_nonzero(per_column == 0):,}"),
    ]
    return about_the_data(
        facts,
        sizes("How much is known of a user", per_row, "items to learn from", "users"),
        sizes("How well known an item is", per_column, "users to learn from", "items"),
    )
