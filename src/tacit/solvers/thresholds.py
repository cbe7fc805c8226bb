"""Thresholds b₁ ≤ … ≤ b_{k−1} that turn scores into classes: class j is predicted where b_j < f ≤ b_{j+1}.

``square``     Every threshold is penalised by every row on its wrong side (all-threshold loss, Lemma 1 of QS³ORAO):
               minimise Σ_{y_i > j} max(0, b_j − f_i)² + Σ_{y_i ≤ j} max(0, f_i − b_j)² for each j. Each is convex in
               one number with a piecewise linear derivative, solved exactly; where rows are separated the minimum is
               an interval and its middle is taken. The paper prints plain squares, which would put every threshold
               at the mean score.
``logistic``   The all-threshold logistic loss with a free slope: b_j is where y > j becomes more likely than not, so
               the predicted class is the median of the likely ones. Smooth in the scores, hence steadier from few
               labels than the exact minima below.
``absolute``   The least mean absolute error of the predicted classes, exactly.
``kappa``      The greatest quadratic-weighted kappa, exactly.
``accuracy``   The fewest wrong classes, exactly.

The other three share one dynamic programme: rows sorted by score get non-decreasing classes at the least sum of costs,
in O(n·k). A class without labels gets an empty interval: two equal thresholds.
"""

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.solvers.all_threshold import logistic_cuts

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]

RULES = ("logistic", "square", "absolute", "kappa", "accuracy")
_MOST_RATIOS = 50


def thresholds(scores: Vector, codes: Codes, weights: Vector, count: int, rule: str = "square") -> Vector:
    """The k − 1 thresholds by one of the rules.

    Parameters
    ----------
    scores, codes, weights : of the labelled rows; codes are 0 … count−1
    count : the number of classes k

    >>> thresholds(np.array([0.0, 1.0, 4.0]), np.array([0, 1, 2]), np.ones(3), 3)
    array([0.5, 2.5])
    """
    if rule not in RULES:
        raise InputError(f"thresholds must be one of {', '.join(RULES)}, not {rule!r}.")
    order = np.argsort(scores, kind="stable")
    scores, codes, weights = scores[order], codes[order], weights[order]
    if rule == "logistic":
        result = np.full(count - 1, np.nan)
        cuts = logistic_cuts(scores, codes, weights)
        if cuts is not None:
            result[: codes.min()], result[codes.max() :] = -np.inf, np.inf
            result[codes.min() : codes.max()] = cuts
            return _finite(np.maximum.accumulate(result), scores)
        rule = "square"
    if rule == "square":
        result = np.array([_one_sided(scores, codes > j, weights) for j in range(count - 1)])
        # Splits with an empty side are infinite, equal minima may differ by rounding: neighbours settle both.
        return _finite(np.maximum.accumulate(result), scores)
    distinct, group = np.unique(scores, return_inverse=True)
    table = np.zeros((len(distinct), count))
    np.add.at(table, (group, codes), weights)
    borders = _kappa_borders(table) if rule == "kappa" else _borders(table @ _costs(count, rule))
    middle = np.concatenate(([-np.inf], (distinct[:-1] + distinct[1:]) / 2, [np.inf]))
    return _finite(middle[borders], scores)


def _one_sided(scores: Vector, above: NDArray[np.bool_], weights: Vector) -> float:
    """argmin_b Σ_{above} w max(0, b − f)² + Σ_{below} w max(0, f − b)², scores ascending.

    Half the derivative, Σ_{above, f<b} w (b − f) − Σ_{below, f>b} w (f − b), is continuous, non-decreasing and linear
    between neighbouring scores.
    """
    if above.all():
        return -np.inf
    if not above.any():
        return np.inf
    up, down = weights * above, weights * ~above
    slope_up, slope_down = np.cumsum(up), down.sum() - np.cumsum(down)
    moment_up = np.cumsum(up * scores)
    moment_down = (down * scores).sum() - np.cumsum(down * scores)
    # At b = scores[i]: positives at or before i pull down, negatives behind i pull up.
    slope = slope_up + slope_down
    rest = moment_up + moment_down
    at_scores = slope * scores - rest
    highest_below = scores[~above].max()
    lowest_above = scores[above].min()
    if highest_below <= lowest_above:
        return float((highest_below + lowest_above) / 2)
    right = int(np.searchsorted(at_scores, 0.0))
    left = max(right - 1, 0)
    # The minimum lies between scores[left] and scores[right], where the derivative is slope[left]·b − rest[left].
    return float(rest[left] / slope[left]) if slope[left] > 0 else float(scores[right])


def _costs(count: int, rule: str) -> NDArray[np.float64]:
    """cost[y, predicted]: classes apart, apart squared (kappa), or one for every miss (accuracy)."""
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count))).astype(np.float64)
    if rule == "accuracy":
        return np.minimum(apart, 1.0)
    return apart**2 if rule == "kappa" else apart


def _borders(costs: NDArray[np.float64]) -> Codes:
    """Borders t₁ ≤ … ≤ t_{k−1}: sorted rows t_j … t_{j+1}−1 get class j, at the least sum of ``costs`` (n, k).

    With prefix sums C_c(t) = Σ_{i<t} cost[i, c], the best for the first t rows with classes up to c is
    F_c(t) = C_c(t) + min_{s ≤ t} (F_{c−1}(s) − C_c(s)): one running minimum per class.
    """
    n, count = costs.shape
    prefix = np.vstack([np.zeros(count), np.cumsum(costs, axis=0)])
    best = prefix[:, 0]
    starts = []
    for c in range(1, count):
        entry = best - prefix[:, c]
        running = np.minimum.accumulate(entry)
        # Where the running minimum was first reached: class c starts there.
        fresh = np.concatenate(([True], entry[1:] < running[:-1]))
        starts.append(np.maximum.accumulate(np.where(fresh, np.arange(n + 1), 0)))
        best = prefix[:, c] + running
    borders = np.empty(count - 1, dtype=np.intp)
    end = n
    for c in range(count - 1, 0, -1):
        end = borders[c - 1] = starts[c - 1][end]
    return borders


def _kappa_borders(table: NDArray[np.float64]) -> Codes:
    """κ = 1 − N/M with N = Σ (ŷ − y)² and M the same under independence, both sums over rows given ŷ's class.

    The greatest κ is the least ratio N/M: Dinkelbach's iteration solves min N − ρM by the same programme and takes
    the new ratio, which falls until it stands still at the optimum.
    """
    count = table.shape[1]
    square = _costs(count, "kappa")
    observed = table @ square
    label_shares = table.sum(axis=0) / table.sum()
    expected = np.outer(table.sum(axis=1), label_shares @ square)
    borders = _borders(observed)
    ratio = np.inf
    for _ in range(_MOST_RATIOS):
        predicted = np.searchsorted(borders, np.arange(len(table)), side="right")
        picked = np.arange(len(table)), predicted
        new = float(observed[picked].sum() / expected[picked].sum()) if expected[picked].sum() > 0 else 1.0
        if not new < ratio:
            break
        ratio = new
        borders = _borders(observed - ratio * expected)
    return borders


def _finite(result: Vector, scores: Vector) -> Vector:
    """A threshold at infinity is set just outside the scores, so that files and plots can hold it."""
    margin = max(float(scores[-1] - scores[0]), 1e-6)
    return np.clip(result, scores[0] - margin, scores[-1] + margin)
