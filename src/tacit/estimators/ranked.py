"""The result of ranking calls: ids and scores as two (n, k) arrays, best first."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.report.notebook import html_table

Array = NDArray[Any]


@dataclass(frozen=True)
class Ranked:
    """The best k for each of n queries.

    ``ids`` and ``scores`` have shape (n, k), best first. A place that could not be filled (fewer than k were
    allowed) has ``filled`` False, the id -1 (whole-number ids) or None (others) and the score NaN.

    >>> ranked = Ranked(np.array([0]), np.array([[7, -1]]), np.array([[0.9, np.nan]]), np.array([[True, False]]))
    >>> ranked.to_polars().rows()
    [(0, 1, 7, 0.9)]
    """

    queries: Array
    ids: Array
    scores: Array
    filled: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)

    def _columns(self) -> dict[str, Any]:
        rows, places = np.nonzero(self.filled)
        return {
            "query": self.queries[rows].tolist(),
            "rank": (places + 1).tolist(),
            "id": self.ids[rows, places].tolist(),
            "score": self.scores[rows, places].tolist(),
        }

    def _repr_html_(self) -> str:
        columns = self._columns()
        return html_table(list(columns), list(zip(*columns.values())))

    def to_polars(self) -> Any:
        """A long table with the columns query, rank, id, score; places not filled are left out."""
        import polars as pl

        return pl.DataFrame(self._columns(), strict=False)

    def to_pandas(self) -> Any:
        """The same table for pandas."""
        import pandas as pd

        return pd.DataFrame(self._columns())
