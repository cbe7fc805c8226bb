"""Do features and graphs help? Fit with and without them on several splits, and compare row by row.

On each of ``SPLITS`` splits a tenth of the positives is held out, and both fits are evaluated as ``evaluate`` does.
Features and graphs help more where less else is known, so a fit on much less than the whole would praise them too
much; and a few splits leave most verdicts open. The gain is the mean difference of NDCG@10 over the rows of all splits,

    g = Σ_x d_x / Σ_x c_x,      d_x the differences of row x, summed over the c_x splits that held something of it out

so a row counts as often as it is asked about, as in a test part. If every row counted once, those with one or two
positives would count too much, and they gain the most. The bootstrap draws rows with all their splits, and the verdict
is one of three: they help, they hurt, or we cannot tell. J splits share most of what was learned from, so they know
less than J data sets would: the interval is √(1 + J s / (1 − s)) times as wide, s the share held out (Nadeau and
Bengio, 2003).
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
from tacit.metrics.intervals import Difference, paired_difference

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
    ours, theirs = sums.sum(axis=1) / counts.sum()
    result = _mean_of_pairs(sums[0, asked] - sums[1, asked], counts[asked])
    low, high = (result.mean + WIDER * (end - result.mean) for end in (result.low, result.high))
    known = result.cases > 1 and not low <= 0 <= high
    verdict = "cannot tell" if not known else "helps" if low > 0 else "hurts"
    sentence = (
        f"{' and '.join(given)} {VERDICTS[verdict]}: NDCG@{AT} {ours:.4f} with and {theirs:.4f} "
        f"without, a difference of {result.mean:+.4f} (95 % interval {low:+.4f} to {high:+.4f}) over "
        f"{result.cases:,} rows and {SPLITS} splits."
    )
    return {
        "with": float(ours), "without": float(theirs), "gain": result.mean, "low": low, "high": high,
        "verdict": verdict, "metric": f"ndcg@{AT}", "rows": result.cases, "splits": SPLITS,
        "sentence": sentence,
    }  # fmt: skip


def _mean_of_pairs(sums: Vector, counts: Vector) -> Difference:
    """g = Σ d / Σ c with the interval of a ratio: to first order it is the mean of g + (d_x − g c_x) / c̄.

    >>> round(_mean_of_pairs(np.array([0.3, 0.5]), np.array([3.0, 1.0])).mean, 3)
    0.2
    """
    mean = sums.sum() / counts.sum()
    return paired_difference(mean + (sums - mean * counts) / counts.mean(), np.zeros(len(sums)))


def _scores(fitted: Any, train: Interactions, test: Interactions) -> tuple[NDArray[np.int64], Vector]:
    """The rows with something held out, and the NDCG of each."""
    details = Details(AT, ("ndcg",))
    evaluate(fitted, train, test, k=AT, metrics=("ndcg",), details=details)
    return details.rows, details.scores["ndcg"]
