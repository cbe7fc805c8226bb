"""The sampled baselines learn what they should, with ids, features and contexts, and repeat to the bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import Interactions
from tacit.baselines import BprFm, LambdaFm, SvdFeature, VseEns, Warp
from tacit.data.matrix import as_csr
from tacit.errors import DivergedError
from tacit.kernels import sampled as kernels
from tacit.kernels.counter_random import next_uniform
from tests import naive

ALL = [SvdFeature, BprFm, LambdaFm, Warp, VseEns]
# The random numbers wrap around on purpose; kernels run as plain Python warn about it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(scope="module")
def planted():
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, 4, 80), rng.integers(0, 4, 60)
    likes = rows[:, None] == cols[None, :]
    matrix = sp.csr_array((likes & (rng.random((80, 60)) < 0.4)).astype(np.float32))
    return matrix, likes, np.eye(4)[rows], np.eye(4)[cols]


@pytest.mark.parametrize("kind", ALL)
def test_they_find_the_planted_groups(planted, kind):
    """As many factors as groups list them three times as often as chance would (of ten seeds, WARP has .82 to .95)."""
    matrix, likes, *_ = planted
    model = kind(factors=4, epochs=80, learning_rate=0.1).fit(matrix)
    right = np.take_along_axis(likes, model.recommend(np.arange(80), k=3).ids, axis=1).mean()
    assert right > 3 * likes.mean()


@pytest.mark.parametrize("kind", ALL)
def test_same_seed_same_bits(planted, kind):
    first, second = (kind(factors=4, epochs=2, random_state=5).fit(planted[0]) for _ in range(2))
    assert first.col_factors_.tobytes() == second.col_factors_.tobytes()


def test_features_and_contexts_join():
    rng = np.random.default_rng(1)
    last = rng.integers(0, 15, 900)
    table = {"user": rng.integers(0, 20, 900), "last": last, "song": (last * 4 + 1) % 15}
    data = Interactions.from_table(table, row="user", col="song", context="last")
    data = data.with_sides(col_features=sp.csr_array(np.eye(3)[np.arange(15) % 3]))
    model = BprFm(factors=16, epochs=150, learning_rate=0.1, regularization=0.0).fit(data)
    found = model.recommend([0] * 15, k=1, exclude_seen=False, context={"last": np.arange(15)}).ids[:, 0]
    assert np.mean(found == (np.arange(15) * 4 + 1) % 15) > 0.8


@pytest.mark.parametrize("negatives", [1, 3])
@pytest.mark.parametrize("kind", ALL)
def test_an_epoch_equals_the_slow_twin(rng, kind, negatives):
    """Every sampler and every loss, with features that rows and columns share, on nearly full and nearly empty rows."""
    n, m, g = 9, 12, 4
    positives = rng.random((n, m)) < np.linspace(0.05, 0.95, n)[:, None]
    positives[:, 0] = True
    x, y = np.nonzero(positives)
    order = rng.permutation(len(x))
    Zx = np.hstack([np.eye(n), rng.normal(size=(n, 2)) * (rng.random((n, 2)) < 0.5)])
    Zy = np.hstack([np.eye(m), rng.normal(size=(m, 3)) * (rng.random((m, 3)) < 0.5)])
    V, B = 0.7 * rng.normal(size=(Zx.shape[1], g)), 0.7 * rng.normal(size=(Zy.shape[1], g))
    V[:, -1] = 0.0
    model = kind(rank_scale=0.4)
    cumulative = model._distribution(positives.sum(axis=0))
    columns = Zy @ B
    tables = {"cumulative": cumulative, "columns": columns.copy(), "scale": 0.4 * m}
    method = {kernels.POINTWISE: "pointwise", kernels.PAIRWISE: "pairwise", kernels.WARP: "warp"}[kind.method]
    sampler = {kernels.UNIFORM: "uniform", kernels.STATIC: "static", kernels.FACTOR: "factor"}[kind.sampler]
    slow_V, slow_B = V.copy(), B.copy()
    state = np.array([987654321], dtype=np.uint64)
    cells = as_csr(positives.astype(float), "positives")
    of_rows, of_cols = (as_csr(Z, "features", dtype=np.float64) for Z in (Zx, Zy))
    with np.errstate(over="ignore"):  # the generator wraps around
        kernels.epoch(
            order, x, y, kind.method, negatives, kind.sampler, cumulative, np.argsort(-columns, axis=0).T.copy(),
            columns.std(axis=0), cells.indptr, cells.indices, of_rows.indptr, of_rows.indices, of_rows.data,
            of_cols.indptr, of_cols.indices, of_cols.data, V, B, 0.02, 0.05, state,
        )  # fmt: skip
    random = naive.SplitMix(987654321)
    naive.sampled_epoch(
        list(zip(x[order], y[order])), positives, method, sampler, tables, Zx, Zy, slow_V, slow_B, 0.02, 0.05, random,
        negatives,
    )  # fmt: skip
    assert state[0] == random.state
    np.testing.assert_allclose(V, slow_V, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(B, slow_B, rtol=1e-10, atol=1e-12)


def test_a_pointwise_step_is_the_gradient_step():
    """One positive, no negatives: both factors move by rate · 2 (1 − s) times the other, and shrink."""
    positives = sp.csr_array(np.array([[1.0, 0.0]], dtype=np.float32))
    model = SvdFeature(factors=2, epochs=1, negatives=0, learning_rate=0.1, regularization=0.3).fit(positives)
    rng = np.random.default_rng(0)
    p, q = rng.normal(0, 0.1 / np.sqrt(3), (1, 3)), rng.normal(0, 0.1 / np.sqrt(3), (2, 3))
    p[:, -1] = q[:, -1] = 0
    slope = 2 * (p[0, :2] @ q[0, :2] - 1)
    expected_p = p[0, :2] - 0.1 * (slope * q[0, :2] + 0.3 * p[0, :2])
    expected_q = q[0, :2] - 0.1 * (slope * p[0, :2] + 0.3 * q[0, :2])
    np.testing.assert_allclose(model.row_factors_[0], [*expected_p, 1.0], rtol=1e-6)
    np.testing.assert_allclose(model.col_factors_[0], [*expected_q, -0.1 * slope], rtol=1e-6)


def test_the_generator_is_uniform_and_the_static_sampler_prefers_the_popular():
    state = np.array([88172645463325252], dtype=np.uint64)
    drawn = np.array([next_uniform(state) for _ in range(4000)])
    assert drawn.min() >= 0 and drawn.max() < 1 and abs(drawn.mean() - 0.5) < 0.02
    cumulative = LambdaFm(rank_scale=0.5)._distribution(np.array([1, 9, 4, 2]))
    assert list(np.argsort(-np.diff(cumulative, prepend=0.0))) == [1, 2, 3, 0]


def test_a_callback_sees_every_epoch_and_can_end_the_training(planted):
    seen = []

    def watch(model):
        seen.append(model.col_factors_.copy())
        return len(seen) == 3

    stopped = BprFm(factors=4, epochs=10).fit(planted[0], callback=watch)
    assert len(seen) == 3
    assert stopped.col_factors_.tobytes() == BprFm(factors=4, epochs=3).fit(planted[0]).col_factors_.tobytes()


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # and of the NaN that is to be named
def test_a_rate_that_is_too_large_is_named_instead_of_a_silent_nan(planted):
    with pytest.raises(DivergedError, match="lower learning_rate"):
        SvdFeature(factors=8, epochs=50, learning_rate=5.0).fit(planted[0])
