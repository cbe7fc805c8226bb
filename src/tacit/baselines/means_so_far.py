"""Predict each rating by the mean of the ratings before it, overall or within a group such as its user."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def means_so_far(ratings: Any, groups: Any = None, *, start: float = 0.0) -> NDArray[np.float64]:
    """For each rating the mean of those before it, or of those before it in its group.

    ``start`` is predicted before anything has come; the first of a group gets the mean of everything so far.

    >>> means_so_far([4, 2, 3, 5]).tolist()
    [0.0, 4.0, 3.0, 3.0]
    >>> means_so_far([4, 2, 3, 5], ["a", "b", "a", "b"]).tolist()
    [0.0, 4.0, 4.0, 2.0]
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    overall = _before(ratings, np.arange(len(ratings)), start)
    if groups is None:
        return overall
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(codes, kind="stable")
    first = np.searchsorted(codes[order], codes[order])
    running = np.concatenate(([0.0], np.cumsum(ratings[order])))
    index = np.arange(len(ratings))
    earlier = index - first
    sums = running[index] - running[first]
    result = overall.copy()
    known = earlier > 0
    result[order[known]] = sums[known] / earlier[known]
    return result


def _before(ratings: NDArray[np.float64], earlier: NDArray[np.int64], start: float) -> NDArray[np.float64]:
    sums = np.concatenate(([0.0], np.cumsum(ratings)[:-1])) if len(ratings) else ratings
    return np.where(earlier > 0, sums / np.maximum(earlier, 1), start)
