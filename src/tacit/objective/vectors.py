"""Inner products of flat vectors, summed in fixed chunks.

The result has the same bits at any number of threads.
"""

from typing import Any

from numpy.typing import NDArray

from tacit import threads
from tacit.kernels import vectors as kernels

Array = NDArray[Any]

CHUNK = 1 << 18


def inner(left: Array, right: Array, n_threads: int = 0) -> float:
    """⟨left, right⟩ in float64, whatever the type of the arrays (of one shape, C-contiguous)."""
    left, right = left.reshape(-1), right.reshape(-1)
    chunks = threads.even_chunks(len(left), CHUNK)
    return float(sum(threads.run(lambda a, b: kernels.inner(a, b, left, right), chunks, n_threads)))
