"""Multi-label metrics against loops over rows, and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from tacit.errors import InputError
from tacit.metrics import (
    inverse_propensities,
    ndcg_at_k,
    precision_at_k,
    propensities,
    psndcg_at_k,
    psp_at_k,
    recall_at_k,
)
from tests import naive


def problem(seed, n, labels, width):
    """True labels, and lists of distinct labels with some empty places at the end."""
    rng = np.random.default_rng(seed)
    numbers = np.array([rng.permutation(labels)[:width] for _ in range(n)])
    numbers[rng.random(n) < 0.3, width // 2 :] = -1
    return rng.random((n, labels)) < 0.4, numbers, 1 + rng.exponential(size=labels)


@given(seed=st.integers(0, 2**16), n=st.integers(1, 8), labels=st.integers(1, 9), k=st.integers(1, 9))
def test_agrees_with_loops_over_rows(seed, n, labels, k):
    k = min(k, labels)
    truth, numbers, inverse = problem(seed, n, labels, labels)
    expected = naive.label_metrics(truth, numbers, k, inverse)
    found = {
        "precision": precision_at_k(truth, numbers, k),
        "recall": recall_at_k(truth, numbers, k),
        "ndcg": ndcg_at_k(truth, numbers, k),
        "psp": psp_at_k(truth, numbers, k, inverse),
        "psndcg": psndcg_at_k(truth, numbers, k, inverse),
    }
    assert found == pytest.approx(expected, rel=1e-12)


def test_ndcg_agrees_with_scikit_learn(rng):
    truth, scores = rng.random((40, 12)) < 0.3, rng.random((40, 12))
    numbers = np.argsort(-scores, axis=1)
    assert ndcg_at_k(truth, numbers, 5) == pytest.approx(ndcg_score(truth, scores, k=5))


@given(seed=st.integers(0, 2**16))
def test_the_best_list_scores_one_and_nothing_exceeds_it(seed):
    truth, numbers, inverse = problem(seed, 6, 8, 8)
    best = np.argsort(-(truth * inverse), axis=1, kind="stable")
    for metric in (psp_at_k, psndcg_at_k):
        if truth.any():
            assert metric(truth, best, 4, inverse) == pytest.approx(1)
        assert 0 <= metric(truth, numbers, 4, inverse) <= 1 + 1e-12


def test_equal_propensities_leave_a_ratio_of_counts():
    """With 1/p = 1, PSP@k is hits over possible hits: a ratio of sums, not a mean of ratios."""
    truth = np.array([[1, 1, 0, 0], [1, 0, 0, 0]])
    numbers = np.array([[0, 2], [1, 2]])
    assert psp_at_k(truth, numbers, 2, np.ones(4)) == pytest.approx(1 / 3)


def test_rare_labels_have_lower_propensity(rng):
    Y = rng.random((500, 20)) < np.linspace(0.01, 0.6, 20)
    found = propensities(Y)
    frequency = Y.sum(axis=0)
    assert np.all((found > 0) & (found < 1))
    np.testing.assert_array_equal(np.argsort(frequency, kind="stable"), np.argsort(found, kind="stable"))
    np.testing.assert_allclose(found, 1 / inverse_propensities(frequency, 500))


ONE, FIRST = np.eye(2), np.array([[0], [1]])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: precision_at_k(ONE, FIRST, 2), "k must be between 1 and the 1 places"),
        (lambda: precision_at_k(ONE, FIRST, 0), "k must be between 1"),
        (lambda: precision_at_k(ONE, FIRST[:1], 1), "one row per row of Y"),
        (lambda: precision_at_k(ONE, FIRST + 0.5, 1), "numbers must be whole numbers"),
        (lambda: precision_at_k(ONE, FIRST + 1, 1), "between -1 and 1, the last label"),
        (lambda: precision_at_k(np.zeros((0, 2)), np.zeros((0, 1), dtype=int), 1), "empty"),
        (lambda: psp_at_k(ONE, FIRST, 1, np.ones(3)), "for each of the 2 labels"),
        (lambda: psp_at_k(ONE, FIRST, 1, np.array([0.5, 1.0])), "all at least 1"),
        (lambda: inverse_propensities(np.array([1]), rows=2), "at least 3 training rows"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
