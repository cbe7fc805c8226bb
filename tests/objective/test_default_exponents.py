"""Exponents where none are given: a rule of the number of columns and of the positives of a row."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender
from tacit.objective import recipes
from tacit.objective.default_exponents import default_exponents


def cells(rows, columns, each, empty=0):
    rng = np.random.default_rng(0)
    chosen = np.argsort(rng.random((rows, columns)), axis=1)[:, :each]
    places = np.arange(rows).repeat(each), chosen.ravel()
    return sp.csr_array((np.ones(rows * each, np.float32), places), shape=(rows + empty, columns))


@pytest.mark.parametrize(
    ("columns", "each", "of_columns", "ridge"),
    [
        (100, 2, 0.0, 0.0),
        (500, 3, 0.0, 0.0),
        (100, 20, 0.0, 1.0),
        (1000, 2, 0.15, 1.0),
        (100, 4, 0.0, np.log(4 / 3) / np.log(2)),
        (700, 2, 0.15 * np.log2(1.4), np.log2(1.4)),
        (700, 5, 0.15 * np.log2(1.4), np.log2(5 / 3)),
    ],
)
def test_few_columns_and_short_rows_lower_them(columns, each, of_columns, ridge):
    found = default_exponents(cells(30, columns, each))
    assert found.frequency == (0.5, pytest.approx(of_columns)) and found.ridge == pytest.approx(ridge)


def test_empty_rows_change_nothing_and_frequencies_serve_as_well():
    whole = cells(30, 80, 4, empty=50)
    assert default_exponents(whole) == default_exponents(cells(30, 80, 4))
    assert default_exponents(recipes.frequencies(whole, "one")) == default_exponents(whole)
    assert default_exponents(sp.csr_array((3, 80))).ridge == 0.0


def test_a_fit_takes_them_and_keeps_what_is_given():
    positives = cells(60, 40, 2)
    plain = FactorRecommender(4, progress=False).fit(positives)
    same = FactorRecommender(4, frequency_exponent=(0.5, 0.0), ridge_exponent=0.0, progress=False).fit(positives)
    other = FactorRecommender(4, frequency_exponent=(0.5, 0.15), ridge_exponent=1.0, progress=False).fit(positives)
    assert plain.row_factors_.tobytes() == same.row_factors_.tobytes()
    assert not np.allclose(plain.row_factors_, other.row_factors_)
    assert plain.ridge_exponent is None and plain.frequency_exponent is None
