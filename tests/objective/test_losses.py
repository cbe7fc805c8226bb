"""Losses of one's own: what is not convex, not finite or not the derivative is refused when it is given."""

import math

import numpy as np
import pytest

import tacit
from tacit.errors import InputError


def huber(**changed):
    parts = {
        "value": lambda r, s: np.sqrt(1 + (r - s) ** 2) - 1,
        "first": lambda r, s: (s - r) / np.sqrt(1 + (r - s) ** 2),
        "second": lambda r, s: (1 + (r - s) ** 2) ** -1.5,
    }
    return tacit.custom_loss("huber", **parts | changed)


def test_sound_ones_are_taken():
    assert huber().is_custom and not huber().has_majoriser
    assert huber(curvature_bound=1.0).has_majoriser


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"first": lambda r, s: (r - s) / np.sqrt(1 + (r - s) ** 2)},
            "first is not the derivative of value",
        ),
        ({"second": lambda r, s: np.ones_like(s)}, "second is not the derivative of first"),
        ({"second": lambda r, s: -np.ones_like(s)}, "is not convex"),
        ({"value": lambda r, s: np.log(s)}, "one finite number per score"),
        ({"value": lambda r, s: 1.0}, "one finite number per score"),
        ({"value": lambda r, s: math.sqrt(1 + (r - s) ** 2) - 1}, "value must take two arrays.*math.exp"),
        ({"curvature_bound": 0.05}, "curvature_bound is 0.05, but the second derivative is 1 at target 1 and score 1;"),
        ({"curvature_bound": 0.99}, "curvature_bound is 0.99"),
        ({"target": 9.0, "curvature_bound": 0.9}, "target 9 and score 9"),
        ({"curvature_bound": float("nan")}, "above 0, not nan"),
        ({"curvature_bound": -1.0}, "above 0, not -1.0"),
    ],
    ids=[
        "sign",
        "wrong curvature",
        "concave",
        "not finite",
        "not one per score",
        "of one number",
        "bound too low",
        "bound little too low",
        "bound far from zero",
        "bound not a number",
        "bound negative",
    ],
)
def test_unsound_ones_are_refused_with_the_reason(changed, sentence):
    with np.errstate(all="ignore"), pytest.raises(InputError, match=sentence):
        huber(**changed)
