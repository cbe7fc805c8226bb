"""The page of ``tacit evaluate rate``: the running error, where it is large, and some predictions beside the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.cli.evaluate.page import sections_of, share
from tacit.cli.evaluate.spread import short, sizes
from tacit.report.blocks import Columns, Lines, Paragraph, Section, Table, Terms, Tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAD = (
    "Ratings come one after the other. Each was predicted first and learned from next, so that every one of them "
    "tested the model before it taught it: no rating was ever predicted by a model that had seen it."
)
POINTS = 60
"""Places at which the running error is drawn."""
BINS = 8
USERS = 4


@dataclass(frozen=True)
class Stream:
    """What came, what each method had said before it came, and the errors."""

    model: Any
    users: Sequence[Any]
    items: Sequence[Any]
    actual: "NDArray[np.float64]"
    predictions: Mapping[str, "NDArray[np.float64]"]
    errors: Mapping[str, Mapping[str, float]]
    seconds: float
    show_ids: bool = False

    @property
    def span(self) -> float:
        return float(np.ptp(self.actual)) or 1.0


def sections(result: Stream) -> list[Section]:
    """The whole page."""
    return sections_of(result, (_in_short, _running, _where, _newcomers, _examples), _data)


def _in_short(result: Stream) -> Section:
    ours, theirs = result.errors["model"], result.errors["mean so far"]
    off = np.abs(result.predictions["model"] - result.actual)
    near = result.span / 8
    better = 1 - ours["mae"] / theirs["mae"] if theirs["mae"] else 0.0
    verdict = (
        f"On average a prediction is {ours['mae']:.2f} off; that of the mean so far is {theirs['mae']:.2f} off, "
        f"so the model's error is {share(better)} smaller."
        if better > 0
        else "The model predicts no better than the mean so far: the stream may be too short, or hold little to learn."
    )
    return Section(
        "In short",
        [
            Tiles([
                ("MAE", f"{ours['mae']:.4f}", f"mean so far {theirs['mae']:.4f}"),
                ("RMSE", f"{ours['rmse']:.4f}", f"mean so far {theirs['rmse']:.4f}"),
                (f"Within {near:g}", share(float((off <= near).mean())), "of the predictions"),
                ("Ratings", f"{len(result.actual):,}", f"in {result.seconds:.1f} s"),
            ]),
            Paragraph(verdict),
            Table(("", *result.errors), [(name.upper(), *(f"{one[name]:.4f}" for one in result.errors.values()))
                                        for name in ("mae", "rmse")]),
            Terms("What they mean", {
                "MAE": "Mean absolute error: how far off a prediction is on average, in units of the rating.",
                "RMSE": "Root of the mean squared error: the same, but large misses weigh more.",
                "mean so far": "Predicts the mean of all ratings that have come before.",
                "item's mean": "Predicts the mean of the item's ratings before; for a new item the mean so far.",
            }),
        ],
    )  # fmt: skip


def _running(result: Stream) -> Section:
    count = len(result.actual)
    seen = np.unique(np.geomspace(min(20, count), count, POINTS).astype(int))
    running = {
        name: (np.cumsum(np.abs(guess - result.actual)) / np.arange(1, count + 1))[seen - 1].tolist()
        for name, guess in result.predictions.items()
    }
    tenth = max(1, count // 10)
    last = {name: float(np.abs(guess - result.actual)[-tenth:].mean()) for name, guess in result.predictions.items()}
    return Section(
        "As the ratings come",
        [
            Lines("Mean absolute error up to each rating", seen.tolist(), running, "ratings seen", "error", log_x=True),
            Paragraph(
                "Over the last tenth alone: " + ", ".join(f"{name} {error:.4f}" for name, error in last.items()) + "."
            ),
        ],
    )


def _where(result: Stream) -> Section:
    guess = result.predictions["model"]
    edges = np.linspace(0, result.span / 2, BINS + 1)
    spread = {}
    for name, values in result.predictions.items():
        off = np.minimum(np.abs(values - result.actual), edges[-1] * 0.999999)
        spread[name] = (100 * np.histogram(off, edges)[0] / len(off)).tolist()
    labels = [*(f"≤{edge:g}" for edge in edges[1:-1]), "more"]
    levels = np.unique(result.actual)
    if len(levels) > 12:
        levels = np.quantile(result.actual, np.linspace(0, 1, 6)[1:])
    nearest = np.searchsorted(levels, result.actual).clip(0, len(levels) - 1)
    rows = []
    for index, level in enumerate(levels):
        inside = nearest == index
        if inside.any():
            rows.append((f"{level:g}", f"{inside.sum():,}", f"{guess[inside].mean():.2f}",
                         f"{np.abs(guess[inside] - result.actual[inside]).mean():.4f}"))  # fmt: skip
    return Section(
        "Where it errs",
        [
            Columns("How far off predictions are", labels, spread, "error", "% of ratings"),
            Table(("rated", "ratings", "predicted on average", "MAE of the model"), rows,
                  caption="By the rating that came"),
            Paragraph("Read it downwards: the better a model tells ratings apart, the more its mean prediction "
                      "follows what came."),
        ],
    )  # fmt: skip


def _newcomers(result: Stream) -> Section:
    known: dict[Any, int] = {}
    before = np.empty(len(result.users), dtype=np.int64)
    for index, user in enumerate(result.users):
        before[index] = known.get(user, 0)
        known[user] = before[index] + 1
    rows = []
    for low, high in ((0, 0), (1, 2), (3, 9), (10, 29), (30, 99), (100, 10**12)):
        inside = (before >= low) & (before <= high)
        if inside.any():
            name = f"{low}" if low == high else f"{low} to {high}" if high < 10**12 else f"{low} and more"
            rows.append((name, f"{inside.sum():,}", *(f"{np.abs(guess - result.actual)[inside].mean():.4f}"
                                                      for guess in result.predictions.values())))  # fmt: skip
    return Section(
        "Newcomers and regulars",
        [
            Table(("ratings known of a user", "ratings", *(f"MAE, {name}" for name in result.predictions)), rows,
                  caption="Error by how much is known of the user at that moment"),
        ],
    )  # fmt: skip


def _examples(result: Stream) -> Section:
    latest: dict[Any, list[int]] = {}
    # The users who came last, each with the last few ratings.
    for index in range(len(result.users) - 1, -1, -1):
        user = result.users[index]
        if user in latest or len(latest) < USERS:
            places = latest.setdefault(user, [])
            if len(places) < 5:
                places.append(index)
    guess = result.predictions["model"]
    named = {user: short(user) if result.show_ids else f"User {number}" for number, user in enumerate(latest, 1)}
    rows = [
        (named[user], short(result.items[index]), f"{guess[index]:.2f}", f"{result.actual[index]:g}")
        for user, places in latest.items()
        for index in reversed(places)
    ]
    return Section(
        "A few examples",
        [
            Paragraph(
                "The last users of the stream with their last ratings: none is picked by hand."
                + ("" if result.show_ids else " They are numbered here; `--show-ids` names them by their ids.")
            ),
            Table(("user", "item", "predicted", "came"), rows, texts=2),
        ],
    )


def _data(result: Stream) -> Section:
    _, per_user = np.unique(np.array(result.users, dtype=str), return_counts=True)
    _, per_item = np.unique(np.array(result.items, dtype=str), return_counts=True)
    levels, counts = np.unique(result.actual, return_counts=True)
    facts = [
        ("ratings", f"{len(result.actual):,}"),
        ("users", f"{len(per_user):,}"),
        ("items", f"{len(per_item):,}"),
        ("mean rating", f"{result.actual.mean():.3f}"),
        ("lowest and highest", f"{result.actual.min():g} and {result.actual.max():g}"),
    ]
    blocks: list[Any] = [Table(("", ""), facts)]
    if len(levels) <= 12:
        blocks.append(Columns("What was given", [f"{level:g}" for level in levels], {"ratings": counts.tolist()},
                              "rating", "ratings"))  # fmt: skip
    blocks.append(sizes("How much is known of a user in the end", per_user, "ratings", "users"))
    blocks.append(sizes("How much is known of an item in the end", per_item, "ratings", "items"))
    return Section("The data", blocks)
