"""A picture of graded rows: score against grade, with the thresholds."""

from typing import Any

import numpy as np

from tacit.errors import MissingExtraError
from tacit.estimators.grade.grades import read_grades
from tacit.estimators.grade.ordinal_ranker import OrdinalRanker


def plot_grades(model: OrdinalRanker, X: Any, y: Any, ax: Any = None) -> Any:
    """Scores of the rows of each grade as one strip per grade, unlabelled rows as a strip of their own.

    Vertical lines are the thresholds: rows of a strip that lie between its two lines are predicted right. Needs
    matplotlib (``pip install tacit[viz]``). Returns the axes.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("plot needs matplotlib; install it with: pip install 'tacit[viz]'.") from None
    axes = plt.subplots(figsize=(7, 0.6 * (len(model.classes_) + 2)), layout="constrained")[1] if ax is None else ax
    codes, _ = read_grades(y, model.classes_.tolist(), None if -1 in model.classes_.tolist() else model.unlabelled_mark)
    scores = model.rank_score(X)
    names = ["ungraded", *map(str, model.classes_.tolist())]
    height = np.random.default_rng(0).uniform(-0.3, 0.3, len(scores))
    for code in range(-1, len(model.classes_)):
        rows = codes == code
        colour = "0.6" if code < 0 else f"C{code % 10}"
        axes.plot(scores[rows], code + height[rows], ".", color=colour, markersize=3, alpha=0.6)
    for threshold in model.thresholds_:
        axes.axvline(threshold, color="k", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(-1, len(model.classes_)), names)
    axes.set(xlabel="score", ylabel="grade")
    return axes
