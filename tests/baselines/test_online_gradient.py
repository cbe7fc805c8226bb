"""The baselines of rating streams against dense updates."""

import numpy as np
import pytest

from tacit.baselines.online_gradient import OnlineGradient

# The random numbers wrap around on purpose; kernels run as plain Python warn about it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def ratings(n=60):
    rng = np.random.default_rng(0)
    return rng.integers(0, 5, n), rng.integers(0, 4, n), rng.integers(1, 6, n).astype(float)


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_rounds_equal_dense_updates_of_all_tasks(spread):
    """The shared part must equal moving every user by its row of A⁻¹."""
    i, j, r = ratings()
    model = OnlineGradient(3, rate=0.05, regularization=0.1, spread=spread)
    # Everybody is known from the first call on, so that m is fixed.
    model.partial_fit(np.arange(5), np.arange(5) % 4, np.zeros(5))
    U, V = model.users_ + model.shared_[0], model.items_ + model.shared_[1]
    A = [(np.eye(m) + spread / m * np.ones((m, m))) / (1 + spread) for m in (5, 4)]
    found = model.predict_then_learn(i, j, r)
    for t in range(len(r)):
        assert found[t] == pytest.approx(U[i[t]] @ V[j[t]], rel=1e-4)
        error = r[t] - U[i[t]] @ V[j[t]]
        u, v = U[i[t]].copy(), V[j[t]].copy()
        U = U + np.outer(A[0][:, i[t]], 0.05 * (error * v - 0.1 * u))
        V = V + np.outer(A[1][:, j[t]], 0.05 * (error * u - 0.1 * v))
        if spread == 0:
            U, V = np.maximum(U, 0), np.maximum(V, 0)
    assert np.allclose(model.users_ + model.shared_[0], U, atol=1e-4)


def test_batches_do_not_matter_and_strangers_are_average():
    i, j, r = ratings()
    whole = OnlineGradient(3).partial_fit(i, j, r)
    parts = OnlineGradient(3).partial_fit(i[:20], j[:20], r[:20]).partial_fit(i[20:], j[20:], r[20:])
    assert np.array_equal(whole.users_, parts.users_)
    assert whole.predict([99], [j[0]])[0] == pytest.approx(
        whole.users_.mean(axis=0) @ whole.items_[whole.item_ids_.number(int(j[0]))], rel=1e-5
    )
    assert whole.users_.shape == (5, 3)
