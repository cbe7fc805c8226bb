"""Ordinal metrics against all pairs one by one, and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, mean_absolute_error, roc_auc_score

from tacit.errors import InputError
from tacit.metrics import (
    average_mae,
    concordance_index,
    ordinal_auc,
    ordinal_metrics,
    quadratic_kappa,
    zero_one_error,
)
from tests import naive

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-6, 6), st.integers(0, 4)), min_size=2, max_size=40)


@given(rows=rows)
def test_scores_agree_with_all_pairs(rows):
    y, scores, _ = np.array(rows).T
    assume(len(set(y)) > 1)
    assert ordinal_auc(y, scores) == pytest.approx(naive.ordinal_auc(y, scores), rel=1e-12)
    assert concordance_index(y, scores) == pytest.approx(naive.concordance_index(y, scores), rel=1e-12)


@given(rows=rows)
def test_classes_agree_with_scikit_learn(rows):
    y, _, predicted = np.array(rows).T
    assume(len(set(y) | set(predicted)) > 1)
    # scikit-learn counts classes by place in ``labels``, so that a class nobody has must be named.
    kappa = cohen_kappa_score(y, predicted, weights="quadratic", labels=range(5))
    assert quadratic_kappa(y, predicted) == pytest.approx(kappa, abs=1e-12)
    assert zero_one_error(y, predicted) == pytest.approx(np.mean(y != predicted))
    per_class = [mean_absolute_error(y[y == c], predicted[y == c]) for c in set(y)]
    assert average_mae(y, predicted) == pytest.approx(np.mean(per_class))


def test_two_classes_are_the_ordinary_auc(rng):
    y, scores = rng.integers(0, 2, size=300), rng.standard_normal(300).round(1)
    expected = roc_auc_score(y, scores)
    assert ordinal_auc(y, scores) == pytest.approx(expected)
    assert concordance_index(y, scores) == pytest.approx(expected)


def test_reversed_scores_mirror_both(rng):
    y, scores = rng.integers(0, 5, size=200), rng.standard_normal(200)
    assert ordinal_auc(y, -scores) == pytest.approx(1 - ordinal_auc(y, scores))
    assert concordance_index(y, -scores) == pytest.approx(1 - concordance_index(y, scores))


@pytest.mark.jit
def test_a_hundred_thousand_pairs_of_distinct_values(rng):
    """A continuous y, where all-pairs counting is out of reach: a noisy order is between chance and perfection."""
    y = rng.standard_normal(100_000)
    assert concordance_index(y, np.exp(y)) == 1.0
    assert concordance_index(y, rng.standard_normal(100_000)) == pytest.approx(0.5, abs=0.01)


def test_one_class_on_both_sides_leaves_kappa_undefined():
    assert np.isnan(quadratic_kappa([2, 2], [2, 2]))
    assert quadratic_kappa([2, 2], [1, 2]) == 0.0


def test_all_at_once_is_each_alone(rng):
    y, scores, predicted = rng.integers(0, 4, 50), rng.random(50), rng.integers(0, 4, 50)
    found = ordinal_metrics(y, scores, predicted)
    assert found["auc"] == ordinal_auc(y, scores)
    assert found["c_index"] == concordance_index(y, scores)
    assert found["mae"] == pytest.approx(mean_absolute_error(y, predicted))
    assert found["mze"] == zero_one_error(y, predicted)
    assert found["amae"] == average_mae(y, predicted)
    assert found["qwk"] == quadratic_kappa(y, predicted)
    assert set(ordinal_metrics(y, scores)) == {"auc", "c_index"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ordinal_auc([1, 1], [0.0, 1.0]), "y holds a single class"),
        (lambda: ordinal_auc([1, -1], [0.0, 1.0]), "leave unlabelled rows"),
        (lambda: ordinal_auc([1, 0.5], [0.0, 1.0]), "classes as whole numbers"),
        (lambda: ordinal_auc([1, 0], [0.0]), "one number for each of the 2 rows"),
        (lambda: ordinal_auc([1, 0], [0.0, np.nan]), "scores must be one list of numbers without NaN"),
        (lambda: concordance_index([1, np.nan], [0.0, 1.0]), "y must be one list of numbers without NaN"),
        (lambda: zero_one_error([1, 0], [1]), "one class for each of the 2 rows"),
        (lambda: zero_one_error([], []), "at least one"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
