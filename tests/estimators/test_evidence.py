"""Why a FactorRecommender gives a score: contributions of the row's positives."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender
from tacit.errors import InputError
from tacit.estimators.evidence import Evidence


def positives(n=80, m=60):
    rng = np.random.default_rng(0)
    cells = sp.random_array((n, m), density=0.15, rng=rng, format="csr", dtype=np.float32)
    cells.data[:] = rng.integers(1, 6, cells.nnz)
    return cells


@pytest.mark.parametrize("parameters", [{}, {"unlabelled_target": -0.2}, {"ridge_exponent": 0.5}])
def test_contributions_sum_to_the_score(parameters):
    X = positives()
    model = FactorRecommender(8, progress=False, **parameters).fit(X)
    rng = np.random.default_rng(1)
    rows, cols = rng.integers(0, 80, 1000), rng.integers(0, 60, 1000)
    scores = model.score_pairs(rows, cols)
    for row, col, score in zip(rows.tolist(), cols.tolist(), scores):
        evidence = model.why(row, col)
        assert abs(evidence.total - score) < 1e-5
        assert sorted(evidence.ids.tolist()) == sorted(X[[row]].indices.tolist())
        assert (evidence.remainder != 0) == ("unlabelled_target" in parameters)


def test_a_contribution_is_the_derivative_by_the_positives_own_pull():
    """The factor is linear in the targets of the positives: raising one by h raises the score by h times its share."""
    X = positives()
    model = FactorRecommender(6, progress=False).fit(X)
    row, col = 3, 11
    evidence = model.why(row, col)
    side = model.recipe_.side_of_new(model.seen_[[row]], model.col_weight_, "rows")
    Q = model.col_factors_.astype(np.float64)
    own, b = float(side.own_weight[0]), model.col_weight_.astype(np.float64)
    c = side.weight.astype(np.float64)
    q = Q[side.indices]
    full = own * (Q.T * b) @ Q + (q.T * (c - own * b[side.indices])) @ q + float(side.ridge[0]) * np.eye(6)
    for place, column in enumerate(side.indices.tolist()):
        raised = np.linalg.solve(full, q.T @ (c * (1 + (np.arange(len(c)) == place))))
        plain = np.linalg.solve(full, q.T @ c)
        share = evidence.contributions[evidence.ids.tolist().index(column)]
        assert share == pytest.approx((raised - plain) @ Q[col], abs=1e-9)


def test_what_has_no_exact_account_is_refused():
    X = positives()
    with pytest.raises(InputError, match="square"):
        FactorRecommender(4, loss="logistic", progress=False).fit(X).why(0, 1)
    with pytest.raises(InputError, match="biases"):
        FactorRecommender(4, biases=True, progress=False).fit(X).why(0, 1)


def test_row_features_leave_a_remainder_and_the_sum_holds():
    X = positives()
    features = np.random.default_rng(2).random((80, 5))
    model = FactorRecommender(4, progress=False).fit(X, row_features=sp.csr_array(features))
    evidence = model.why(5, 7)
    assert "(the row's features)  " in str(evidence)
    assert evidence.total == pytest.approx(model.score_pairs(5, 7)[0], abs=1e-5) and evidence.remainder != 0


def test_a_table_and_a_text():
    evidence = Evidence.of(np.array([4, 9]), np.array([-0.5, 1.0]), remainder=0.25)
    assert evidence.to_polars().rows() == [(9, 1.0), (4, -0.5)]
    assert str(evidence).splitlines()[0] == "0.7500 is the sum of" and "(what no single part accounts" in str(evidence)
    assert "nothing speaks" in str(Evidence.of(np.empty(0), np.empty(0)))
