import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.errors import InputError
from tacit.estimators.grade.grades import GradeWarning, read_grades


@pytest.mark.parametrize(
    "y",
    [
        [2, -1, 0, 1],
        np.array([2.0, np.nan, 0.0, 1.0]),
        [2, None, 0, 1],
        pd.Series([2, None, 0, 1], dtype="Int64"),
        pl.Series([2, None, 0, 1]),
        np.array([2, -1, 0, 1], dtype=np.int8),
    ],
)
def test_minus_one_none_and_nan_are_unlabelled(y):
    codes, classes = read_grades(y)
    np.testing.assert_array_equal(codes, [2, -1, 0, 1])
    np.testing.assert_array_equal(classes, [0, 1, 2])


@pytest.mark.parametrize(
    "y",
    [
        pd.Categorical(["mid", None, "low"], categories=["low", "mid", "high"], ordered=True),
        pd.Series(pd.Categorical(["mid", None, "low"], categories=["low", "mid", "high"], ordered=True)),
        pl.Series(["mid", None, "low"], dtype=pl.Enum(["low", "mid", "high"])),
    ],
)
def test_an_ordered_categorical_brings_its_own_order(y):
    codes, classes = read_grades(y)
    assert classes.tolist() == ["low", "mid", "high"]
    np.testing.assert_array_equal(codes, [1, -1, 0])


def test_a_list_of_classes_orders_text():
    codes, _ = read_grades(["good", "bad", None], classes=["bad", "good"])
    np.testing.assert_array_equal(codes, [1, 0, -1])
    with pytest.raises(InputError, match="'ugly'"):
        read_grades(["good", "ugly"], classes=["bad", "good"])


def test_minus_one_and_one_alone_are_two_classes_and_say_so():
    with pytest.warns(GradeWarning, match="two classes"):
        codes, _ = read_grades([-1, 1, 1])
    np.testing.assert_array_equal(codes, [0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes, _ = read_grades([-1, 1, 1], mark=None)
    np.testing.assert_array_equal(codes, [0, 1, 1])


def test_minus_one_with_any_other_single_class_is_one_class_and_unlabelled_rows():
    codes, classes = read_grades([-1, 3, 3])
    np.testing.assert_array_equal(codes, [-1, 0, 0])
    assert classes.tolist() == [3]


@pytest.mark.parametrize(
    ("y", "why"),
    [
        (None, "requires y"),
        ([-1, -1], "no labelled row"),
        ([0.5, 1.25, 2.75], "continuous"),
        ([1.0, np.inf], "infinity"),
        (["a", 3, None], "mixes"),
        (3, "single value"),
        (["good", "bad", None], "no order of their own"),
        (np.array(["good", "bad"]), r"'bad', 'good'.*classes="),
        (pd.Categorical(["good", "bad"]), "ordered categorical"),
    ],
)
def test_what_cannot_be_grades_is_refused(y, why):
    with pytest.raises(ValueError, match=why):
        read_grades(y)


def test_the_mark_of_the_unlabelled_cannot_be_a_class():
    with pytest.raises(InputError, match="marks unlabelled"):
        read_grades([0, 1], classes=[-1, 0, 1])
