"""Random numbers that are a function of where they are used: no state, so the order of calls cannot matter.

Each number is the SplitMix64 finalizer (Steele, Lea & Flood 2014, doi:10.1145/2714064.2660195) of seed and place.
``next_uniform`` is the same generator for loops in which each step sees the one before and the order is fixed anyway.
"""

import numpy as np

from tacit.kernels._jit import inlined, strict

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_STEP_30, _STEP_27, _STEP_31, _STEP_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / (1 << 53)


@inlined
def finalized(bits):
    """uint64 to uint64: every bit of the result depends on every bit given."""
    bits = (bits ^ (bits >> _STEP_30)) * _FIRST
    bits = (bits ^ (bits >> _STEP_27)) * _SECOND
    return bits ^ (bits >> _STEP_31)


@strict
def mixed(key, counter):
    """A new key from a key and a whole number; ``key`` is uint64."""
    return finalized(key + _GOLDEN * (np.uint64(counter) + np.uint64(1)))


@strict
def uniform(key, counter):
    """A number in [0, 1) for a key and a whole number."""
    return float(mixed(key, counter) >> _STEP_11) * _UNIT


@strict
def next_uniform(state):
    """A number in [0, 1); ``state`` (1,) uint64 moves on."""
    state[0] += _GOLDEN
    return float(finalized(state[0]) >> _STEP_11) * _UNIT
