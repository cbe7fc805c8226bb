"""Do features and graphs help? Fit with and without them on several splits, and compare row by row.

On each of ``SPLITS`` splits a tenth of the positives is held out, and both fits are evaluated as ``evaluate`` does.
Features and graphs help more where less else is known, so a fit on much less than the whole would praise them too
much; and a few splits leave most verdicts open. A row's gain is the mean difference of its NDCG@10 over the splits in
which something of it was held out. The mean gain of the rows comes with a bootstrap interval, and the verdict is one of
three: they help, they hurt, or we cannot tell. J splits share most of what was learned from, so they know less than J
data sets would: the interval is √(1 + J s / (1 − s)) times as wide, s the share held out (Nadeau and Bengio, 2003).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.interactions import SIDES, Interactions
from tacit.errors import InputError
from tacit.metrics.details import Details
from tacit.metrics.evaluation import evaluate
from tacit.metrics.intervals import paired_difference

HELD_OUT = 0.1
SPLITS = 10
AT = 10
WIDER = math.sqrt(1.0 + SPLITS * HELD_OUT / (1.0 - HELD_OUT))
VERDICTS = {"helps": "help", "hurts": "hurt", "cannot tell": "may or may not help"}

Vector = NDArray[np.float64]
Fit = Callable[[Interactions], Any]
"""Interactions to a fresh model that has learned from them."""


def measure(fit: Fit, data: Interactions) -> dict[str, Any]:
    """NDCG@10 with and without the sides, the interval of their difference, a verdict and a sentence that says it.

    ``fit`` is called with and without the sides, on several splits. ``verdict`` is "helps", "hurts" or "cannot tell".
    """
    given = [name for name in SIDES if getattr(data, name) is not None]
    if not given:
        raise InputError("report_gain=True compares with and without features and graphs; give some to fit.")
    if data.context_ids:
        raise InputError("report_gain=True does not know contexts yet; compare fits on your own split instead.")
    sums, counts = np.zeros((2, data.shape[0])), np.zeros(data.shape[0])
    for seed in range(SPLITS):
        train, test = data.split(test=HELD_OUT, seed=seed)
        bare = Interactions(train.matrix, train.row_ids, train.col_ids)
        for number, part in enumerate((train, bare)):
            rows, scores = _scores(fit(part), train, test)
            sums[number, rows] += scores
        counts[rows] += 1
    asked = counts > 0
    if not asked.any():
        raise InputError("report_gain=True needs rows with at least two positives to hold some out; there is none.")
    ours, theirs = sums[:, asked] / counts[asked]
    result = paired_difference(ours, theirs)
    low, high = (result.mean + WIDER * (end - result.mean) for end in (result.low, result.high))
    known = result.cases > 1 and not low <= 0 <= high
    verdict = "cannot tell" if not known else "helps" if low > 0 else "hurts"
    sentence = (
        f"{' and '.join(given)} {VERDICTS[verdict]}: NDCG@{AT} {ours.mean():.4f} with and {theirs.mean():.4f} "
        f"without, a difference of {result.mean:+.4f} (95 % interval {low:+.4f} to {high:+.4f}) over "
        f"{result.cases:,} rows and {SPLITS} splits."
    )
    return {
        "with": float(ours.mean()), "without": float(theirs.mean()), "gain": result.mean, "low": low, "high": high,
        "verdict": verdict, "metric": f"ndcg@{AT}", "rows": result.cases, "splits": SPLITS,
        "sentence": sentence,
    }  # fmt: skip


def _scores(fitted: Any, train: Interactions, test: Interactions) -> tuple[NDArray[np.int64], Vector]:
    """The rows with something held out, and the NDCG of each."""
    details = Details(AT, ("ndcg",))
    evaluate(fitted, train, test, k=AT, metrics=("ndcg",), details=details)
    return details.rows, details.scores["ndcg"]
