"""A picture of word vectors in the plane, where similar words lie close together."""

import os
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import atomic_file
from tacit.errors import InputError, MissingExtraError
from tacit.threads import single_threaded_openmp

Array = NDArray[Any]


def plane(units: Array, seed: int = 0) -> NDArray[np.float32]:
    """(n, 2) points for n vectors of length one: t-SNE on cosines, or the first principal axes when they are few."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    if len(units) < 5:
        points: NDArray[np.float32] = PCA(2, svd_solver="full").fit_transform(units)
        return points
    perplexity = min(30.0, (len(units) - 1) / 3)
    with single_threaded_openmp():
        result: NDArray[np.float32] = TSNE(
            2, metric="cosine", init="pca", perplexity=perplexity, random_state=seed, n_jobs=1
        ).fit_transform(units)
    return result


def draw_map(
    words: Sequence[Hashable], units: Array, path: str | os.PathLike[str] | None = None, *, seed: int = 0
) -> Any:
    """Draw the words where ``plane`` puts them; returns the matplotlib figure and saves it where a path is given."""
    if len(words) < 3:
        raise InputError(f"words must name at least three words to draw a map, not {len(words)}.")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing needs matplotlib; install it with: pip install 'tacit[viz]'.") from None
    points = plane(units, seed)
    figure = Figure(figsize=(10, 10), layout="constrained")
    axes = figure.add_subplot()
    axes.scatter(points[:, 0], points[:, 1], s=6, color="0.6")
    for word, (x, y) in zip(words, points):
        axes.annotate(str(word), (x, y), fontsize=8, ha="center", va="bottom")
    axes.set_axis_off()
    if path is not None:
        with atomic_file.replacing(path) as temporary:
            figure.savefig(temporary, dpi=150, format=Path(path).suffix.removeprefix(".") or "png")
    return figure
