"""Random numbers that are a function of where they are used: no state, so the order of calls cannot matter.

Each number is the SplitMix64 finalizer (Steele, Lea & Flood 2014, doi:10.1145/2714064.2660195) of seed and place.
"""

import numpy as np

from tacit.kernels._jit import strict

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_STEP_30, _STEP_27, _STEP_31, _STEP_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / (1 << 53)


@strict
def mixed(key, place):
    """A new key from a key and a whole number; ``key`` is uint64."""
    value = key + _GOLDEN * (np.uint64(place) + np.uint64(1))
    value = (value ^ (value >> _STEP_30)) * _FIRST
    value = (value ^ (value >> _STEP_27)) * _SECOND
    return value ^ (value >> _STEP_31)


@strict
def uniform(key, place):
    """A number in [0, 1) for a key and a whole number."""
    return float(mixed(key, place) >> _STEP_11) * _UNIT
