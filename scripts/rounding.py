"""Compare what pages show with what their code prints, on another kind of processor too.

The same seed gives the same bits on one kind of processor only; on others results agree to rounding, and a choice that
cross-validation makes may fall otherwise. So every word must be the same, and figures with a decimal point nearly so.
"""

import math
import re

_FIGURE = re.compile(r"-?\d+\.\d+")


def is_same(shown: str, printed: str) -> bool:
    """Whether two texts agree in every word and whole number, and within 2 % (or .002) in other figures.

    >>> is_same("MAE  0.70 of 3 runs", "MAE 0.71 of 3 runs"), is_same("MAE 0.70", "MAE 0.80"), is_same("3", "4")
    (True, False, False)
    """
    if [part.split() for part in _FIGURE.split(shown)] != [part.split() for part in _FIGURE.split(printed)]:
        return False
    pairs = zip(map(float, _FIGURE.findall(shown)), map(float, _FIGURE.findall(printed)))
    return all(math.isclose(one, other, rel_tol=0.02, abs_tol=0.002) for one, other in pairs)
