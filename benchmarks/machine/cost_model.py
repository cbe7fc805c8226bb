"""What a job costs, as a formula with few constants; the constants are fitted to what was measured.

Recommend, one alternating sweep over n rows, m columns, P positives and g factors (two threads):

    seconds = a·P·g + b·(n + m)·g²        memory = base + c·P + d·(n + m)·g

The first term reads the positives, the second builds and uses the g × g caches for every row and column. Constants are
those of the smallest relative squared error, none negative.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

MIB = 2**20
SHARE = 0.8
"""How much of a machine's memory is for the model; the rest is for the system and for reading data."""


@dataclass(frozen=True)
class Sweep:
    """Constants of alternating least squares."""

    per_positive: float
    per_row: float
    base_bytes: float
    positive_bytes: float
    row_bytes: float

    @classmethod
    def fitted(cls, figures: dict[str, Any]) -> "Sweep":
        """From the table of ``results/sweep.json``."""
        sides = figures["rows"] + figures["columns"]
        points = [(row["positives"], row["factors"], row["tacit"]) for row in figures["table"] if "tacit" in row]
        seconds = np.array([one["sweep_seconds"] for _, _, one in points])
        size = np.array([one["peak_mib"] * MIB for _, _, one in points])
        time = np.array([[p * g, sides * g**2] for p, g, _ in points], dtype=float)
        memory = np.array([[1.0, p, sides * g] for p, g, _ in points])
        return cls(*relative(time, seconds), *relative(memory, size))

    def seconds(self, rows: float, columns: float, positives: float, factors: float) -> float:
        return self.per_positive * positives * factors + self.per_row * (rows + columns) * factors**2

    def bytes(self, rows: float, columns: float, positives: float, factors: float) -> float:
        return self.base_bytes + self.positive_bytes * positives + self.row_bytes * (rows + columns) * factors

    def rows_held(self, memory: float, factors: float, per_row: float, rows_per_column: float) -> float:
        """So many rows fit, with ``per_row`` positives each and ``rows_per_column`` rows for every column."""
        each = self.positive_bytes * per_row + self.row_bytes * factors * (1 + 1 / rows_per_column)
        return max(0.0, (memory * SHARE - self.base_bytes) / each)


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Intercept and slope of the line of the smallest relative squared error, neither negative.

    >>> tuple(round(float(one), 3) for one in slope([(1, 3.0), (2, 5.0), (3, 7.0)]))
    (1.0, 2.0)
    """
    x, y = np.array(points, dtype=float).T
    start, rise = relative(np.column_stack([np.ones_like(x), x]), y)
    return start, rise


def relative(terms: np.ndarray, measured: np.ndarray) -> list[float]:
    """Constants of the smallest relative squared error, none negative."""
    scaled = terms / measured[:, None]
    # Columns of one size, so that the solver sees no difference between bytes and positives.
    width = np.linalg.norm(scaled, axis=0)
    found, _ = nnls(scaled / width, np.ones(len(measured)))
    return (found / width).tolist()
