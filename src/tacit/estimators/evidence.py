"""The explanation of a score: what each part of the input contributes to it. Recommenders and taggers share it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Evidence:
    """Contributions to one score, largest first.

    ids : (n,) of what contributes: the row's own columns, or features, or neighbours
    contributions : (n,) what each adds to the score; negative ones lower it
    remainder : what no single part accounts for, such as a constant; 0 where the parts explain all of it
    total : the score, which is the sum of the contributions and the remainder
    remainder_is : what the remainder is, in a few words

    >>> print(Evidence.of(np.array(["jam", "tea"]), np.array([0.1, 0.3]), 0.2, "popularity"))
    0.6000 is the sum of
      tea           +0.3000
      jam           +0.1000
      (popularity)  +0.2000
    """

    ids: Array
    contributions: NDArray[np.float64]
    remainder: float
    total: float
    remainder_is: str = "what no single part accounts for"

    @classmethod
    def of(
        cls, ids: Array, contributions: Array, remainder: float = 0.0, remainder_is: str = remainder_is
    ) -> "Evidence":
        """Sorted by strength; equal ones stay in their order."""
        values = np.asarray(contributions, dtype=np.float64)
        order = np.argsort(-values, kind="stable")
        total = float(values.sum() + remainder)
        return cls(np.asarray(ids)[order], values[order], float(remainder), total, remainder_is)

    def __len__(self) -> int:
        return len(self.ids)

    def __str__(self) -> str:
        # A remainder that would be printed as zero is rounding.
        rest = [(f"({self.remainder_is})", self.remainder)] if abs(self.remainder) >= 5e-5 else []
        names = [*map(str, self.ids.tolist()), *(name for name, _ in rest)]
        values = [*self.contributions.tolist(), *(value for _, value in rest)]
        if not names:
            return f"{self.total:.4f}, for which nothing speaks"
        width = max(map(len, names))
        lines = [f"  {name:<{width}}  {value:+.4f}" for name, value in zip(names, values)]
        return "\n".join([f"{self.total:.4f} is the sum of", *lines])

    def to_polars(self) -> Any:
        """A table with the columns id and contribution, without the remainder."""
        import polars as pl

        return pl.DataFrame({"id": self.ids.tolist(), "contribution": self.contributions.tolist()}, strict=False)
