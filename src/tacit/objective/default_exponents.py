"""The exponents of ``FactorRecommender`` that spread weights and ridges over rows and columns, where none are given.

A row's factor is solved from its own positives, so in training a column helps to predict itself, and the more so the
fewer other columns the row has. Among few columns the popular ones are predicted best by themselves, and their scores
elsewhere come out too low: linear weights forbid it by a diagonal of zeros, factors cannot. A ridge that does not grow
with a column's frequency, and unlabelled cells that do not weigh more in popular columns, give them back what they
lose. Among thousands of columns, or for rows with many positives, it is the other way round.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.objective.frequencies import Frequencies

ROW_EXPONENT, COL_EXPONENT, RIDGE_EXPONENT = 0.5, 0.15, 1.0
"""ρ of rows and of columns, and ν, for many columns."""

FEW_COLUMNS, MANY_COLUMNS = 500, 1000
FEW_POSITIVES, MANY_POSITIVES = 3.0, 6.0
"""Of the mean row that has any. These four were chosen on held-out training positives of 28 sets with 53 to 2,904
columns, nothing else changed: a mean gain of 1.4 %, and the largest loss 0.4 %."""


class Exponents(NamedTuple):
    """``frequency`` (rows, columns) is ρ of the weights of unlabelled cells, ``ridge`` is ν."""

    frequency: tuple[float, float]
    ridge: float


def default_exponents(positives: sp.csr_array | Frequencies) -> Exponents:
    """u and t go from 0 to 1 as columns go from 500 to 1,000 and a row's mean positives from 3 to 6, both by logarithm:

        ρ of columns = 0.15 u,      ν = max(u, t)

    >>> default_exponents(sp.csr_array(np.eye(4)))
    Exponents(frequency=(0.5, 0.0), ridge=0.0)
    >>> default_exponents(sp.csr_array(np.ones((4, 1000))))
    Exponents(frequency=(0.5, 0.15), ridge=1.0)
    """
    of_rows = positives.counts[0] if isinstance(positives, Frequencies) else np.diff(positives.indptr)
    each = float(positives.nnz) / max(1, int(np.count_nonzero(of_rows)))
    many_columns = _between(positives.shape[1], FEW_COLUMNS, MANY_COLUMNS)
    many_positives = _between(each, FEW_POSITIVES, MANY_POSITIVES)
    return Exponents((ROW_EXPONENT, COL_EXPONENT * many_columns), RIDGE_EXPONENT * max(many_columns, many_positives))


def short_rows(positives: sp.csr_array | Frequencies) -> float:
    """1 − ν: from 0 for many columns or long rows to 1 where columns are few and rows short.

    >>> short_rows(sp.csr_array(np.eye(4))), short_rows(sp.csr_array(np.ones((4, 1000))))
    (1.0, 0.0)
    """
    return 1.0 - default_exponents(positives).ridge / RIDGE_EXPONENT


def _between(value: float, low: float, high: float) -> float:
    """0 at ``low`` and below, 1 at ``high`` and above, in between by the logarithm."""
    return float(np.clip(np.log(max(value, low) / low) / np.log(high / low), 0.0, 1.0))
