"""How often each row and column occurs among the positives.

The recipe of a recommender measures nothing else, so it can also be built from counts, without the matrix.
"""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Frequencies:
    """Positives without their places: made at once, or put together from parts that lie elsewhere.

    counts, masses : of rows and of columns: positives, and the sum of their weights
    smallest : the smallest value that is stored
    """

    counts: tuple[Array, Array]
    masses: tuple[Array, Array]
    smallest: float

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.counts[0]), len(self.counts[1])

    @property
    def nnz(self) -> int:
        return int(self.counts[0].sum())
