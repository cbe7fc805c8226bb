"""Errors of numbers, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from tacit.errors import InputError
from tacit.metrics import RunningError, mae, rmse

numbers = st.floats(-1e6, 1e6)


@given(pairs=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30), cut=st.integers(0, 30))
def test_at_once_and_running_agree_with_scikit_learn(pairs, cut):
    actual, predicted = np.array(pairs).T
    assert mae(actual, predicted) == pytest.approx(mean_absolute_error(actual, predicted))
    assert rmse(actual, predicted) == pytest.approx(root_mean_squared_error(actual, predicted))
    running = RunningError()
    if 0 < cut < len(actual):
        running.update(actual[:cut], predicted[:cut])
    for one, other in zip(actual[running.count :], predicted[running.count :]):
        running.update(one, other)
    assert running.count == len(actual)
    assert running.mae == pytest.approx(mae(actual, predicted))
    assert running.rmse == pytest.approx(rmse(actual, predicted))


def test_before_the_first_prediction_there_is_no_error():
    assert np.isnan(RunningError().mae)
    assert np.isnan(RunningError().rmse)


@pytest.mark.parametrize("pair", [([1, 2], [1]), ([], []), ([[1]], [[1]]), ([np.nan], [1]), ([1], [np.inf])])
def test_bad_input_gets_a_sentence(pair):
    with pytest.raises(InputError, match="actual and predicted must"):
        mae(*pair)
