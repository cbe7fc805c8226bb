"""Every variant of a round against the dense twin; Hedge against its formula; the regret bound of Theorem 1."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.errors import DivergedError
from tacit.kernels import running_means
from tacit.kernels.passive_aggressive import SEGMENTS
from tacit.solvers.passive_aggressive import Rules, Setting, Stream
from tests import naive

# The random numbers wrap around on purpose; kernels run as plain Python warn about it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

USERS, ITEMS, ROUNDS = 4, 3, 40


def started(settings, rng, rules=None, users=USERS, items=ITEMS):
    """A float64 stream whose rows have started at random, so that the twin can start from the same."""
    stream = Stream(settings, rules or Rules(), np.float64)
    stream.reserve(users, items)
    for rows, n in ((stream.users, users), (stream.items, items)):
        rows[:n, 0] = 1
        at = SEGMENTS
        for setting in settings:
            rows[:n, at : at + setting.vector] = rng.random((n, setting.vector))
            at += setting.width
    stream.memory[running_means.LARGEST] = 5
    stream.memory[running_means.USERS], stream.memory[running_means.ITEMS] = users, items
    return stream


def ratings(rng, n=ROUNDS):
    return rng.integers(0, USERS, n), rng.integers(0, ITEMS, n), rng.integers(1, 6, n).astype(float)


def twin(stream, setting, users, items, values, at=SEGMENTS):
    """The same rounds in plain NumPy; returns predictions and both matrices of vectors."""
    k, n = setting.factors, setting.vector
    U, V = stream.users[:USERS, at : at + n].copy(), stream.items[:ITEMS, at : at + n].copy()
    HU, HV = np.zeros((USERS, n, n)), np.zeros((ITEMS, n, n))
    constraint = setting.projection if setting.nonnegative else "free"
    rule = {
        "variant": setting.variant,
        "adaptation": setting.adaptation,
        "constraint": constraint,
        "C": setting.aggressiveness,
        "delta": setting.delta,
        "epsilon": setting.epsilon,
        "forgetting": setting.forgetting,
        "bounded": k,
    }
    one = np.ones(1) if setting.biases == "learned" else np.ones(0)
    mean, predictions = 0.0, []
    for t, (i, j, r) in enumerate(zip(users, items, values)):
        u, v = U[i].copy(), V[j].copy()
        predictions.append(u[:k] @ v[:k] + (mean + u[k] + v[k] if setting.biases == "learned" else 0.0))
        error = r - predictions[-1]
        U[i], HU[i] = naive.passive_aggressive_side(u, np.concatenate([v[:k], one]), HU[i], error, **rule)
        V[j], HV[j] = naive.passive_aggressive_side(v, np.concatenate([u[:k], one]), HV[j], error, **rule)
        mean += (r - mean) / (t + 1)
    return np.array(predictions), U, V


@pytest.mark.parametrize("biases", [None, "learned"], ids=["plain", "biases"])
@pytest.mark.parametrize("constraint", ["exact", "plain", "free"])
@pytest.mark.parametrize("adaptation", [None, "diagonal", "full"])
@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_rounds_equal_the_dense_twin(variant, adaptation, constraint, biases):
    rng = np.random.default_rng(5)
    setting = Setting(
        factors=3, variant=variant, adaptation=adaptation, nonnegative=constraint != "free",
        projection="plain" if constraint == "plain" else "exact", biases=biases,
        aggressiveness=0.3, delta=0.1, epsilon=0.05, forgetting=0.97,
    )  # fmt: skip
    stream = started([setting], rng)
    data = ratings(rng)
    predictions, U, V = twin(stream, setting, *data)
    found = stream.learn(*data)
    assert np.allclose(found, predictions, atol=1e-5)
    assert np.allclose(stream.users[:USERS, SEGMENTS : SEGMENTS + setting.vector], U, atol=1e-5)
    assert np.allclose(stream.items[:ITEMS, SEGMENTS : SEGMENTS + setting.vector], V, atol=1e-5)


def test_the_exact_and_the_plain_projection_differ():
    """Otherwise the parametrised test above could not tell them apart."""
    results = []
    for projection in ("exact", "plain"):
        rng = np.random.default_rng(5)
        setting = Setting(
            factors=3, biases=None, nonnegative=True, adaptation="full", projection=projection, aggressiveness=5.0
        )
        stream = started([setting], rng)
        stream.learn(*ratings(rng))
        results.append(stream.users[:USERS, SEGMENTS:].copy())
    assert np.abs(results[0] - results[1]).max() > 1e-3


def test_an_error_within_epsilon_changes_no_vector_but_is_counted():
    rng = np.random.default_rng(0)
    stream = started([Setting(factors=3, biases=None, epsilon=10.0)], rng)
    before = stream.users[:, SEGMENTS:].copy(), stream.items[:, SEGMENTS:].copy()
    users, items, values = ratings(rng)
    stream.learn(users, items, values)
    assert np.array_equal(before[0], stream.users[:, SEGMENTS:])
    assert np.array_equal(before[1], stream.items[:, SEGMENTS:])
    assert np.array_equal(stream.users[:USERS, 0], 1 + np.bincount(users, minlength=USERS))


def test_a_zero_vector_is_not_divided_by():
    stream = started(
        [Setting(factors=2, biases=None, variant="PA", adaptation="diagonal", delta=0.0)], np.random.default_rng(0)
    )
    stream.items[0, SEGMENTS : SEGMENTS + 2] = 0
    stream.learn(np.array([0, 0]), np.array([0, 0]), np.array([4.0, 4.0]))
    assert np.isfinite(stream.users).all()
    assert np.isfinite(stream.items).all()


def test_a_rating_that_overflows_is_named_and_leaves_everything_as_it_was():
    """Also what others of the same call had changed before it."""
    rng = np.random.default_rng(0)
    settings = [Setting(factors=2, biases=None, variant="PA", adaptation=None), Setting(2, biases=None)]
    stream = started(settings, rng, Rules(reference=5.0))
    stream.learn(*ratings(rng, 5))
    stream.items[2, SEGMENTS : SEGMENTS + 2] = 1e-160
    before = stream.users.tobytes(), stream.items.tobytes(), stream.memory.tobytes(), stream.record.n_seen.tolist()
    with pytest.raises(DivergedError, match=r"rating 8 .*number 2 of this call.*aggressiveness"):
        stream.learn(np.array([0, 1, 1, 0]), np.array([0, 1, 2, 1]), np.array([4.0, 2.0, 3.0, 5.0]))
    with pytest.raises(DivergedError, match="number 0 of this call"):
        stream.learn_one(1, 2, 3.0)
    assert before == (
        stream.users.tobytes(), stream.items.tobytes(), stream.memory.tobytes(), stream.record.n_seen.tolist()
    )  # fmt: skip


@pytest.mark.parametrize("mistyped", [0, 4, 40])
@pytest.mark.parametrize("jump", [0.0, 8.0, -3.0])
@pytest.mark.parametrize("middle", [False, True])
def test_running_means_and_factors_equal_the_dense_twin(mistyped, jump, middle):
    """Every formula at the head of ``running_means`` in plain numbers, with a mistyped rating and a jump."""
    rng = np.random.default_rng(3)
    setting, kappa, n = Setting(factors=3), 2.0, 120
    stream = Stream([setting], Rules(shrinkage=kappa, middle=middle), np.float64)
    stream.reserve(USERS, ITEMS)
    users, items, values = ratings(rng, n)
    values[60:] += jump
    values[mistyped] = 400 if mistyped < 10 else 1e6
    # The start is random; the twin takes it from the stream, and users start at zero.
    V = np.zeros((ITEMS, 3))
    probe = Stream([setting], Rules(shrinkage=kappa), np.float64)
    probe.reserve(USERS, ITEMS)
    for item in range(ITEMS):
        probe.learn(np.array([item]), np.array([item]), np.array([3.0]))
        V[item] = probe.items[item, SEGMENTS : SEGMENTS + 3]
    found = stream.learn(users, items, values)
    expected = naive.running_means(users, items, values, V, kappa=kappa, C=0.1, delta=0.2, middle=middle)
    assert np.allclose(found, expected, rtol=1e-9)
    assert abs(found[-30:] - 3 - jump).max() < 5


# -- Hedge ---------------------------------------------------------------------------------------------------------

EXPERTS = [
    Setting(factors=2, biases=None, aggressiveness=0.05),
    Setting(factors=3, biases=None),
    Setting(factors=2, biases="learned", epsilon=0.1),
]


def test_weights_predictions_and_updates_of_hedge():
    """With ρ = 1 every expert learns from every rating, so each must equal its own stream."""
    rng = np.random.default_rng(2)
    stream = started(EXPERTS, rng, Rules(eta=0.05, exploration=1.0, forgetting=0.99))
    data = ratings(rng)
    solo, at = [], SEGMENTS
    for setting in EXPERTS:
        solo.append(twin(stream, setting, *data, at=at))
        at += setting.width
    logs, combined = np.zeros(3), []
    for t in range(ROUNDS):
        weights = np.exp(logs) / np.exp(logs).sum()
        each = np.array([predictions[t] for predictions, _, _ in solo])
        combined.append(weights @ each)
        losses = np.maximum(np.abs(each - data[2][t]) - [s.epsilon for s in EXPERTS], 0)
        logs = 0.99 * logs - 0.05 * losses
        # The forgetting of unnormalised log weights shrinks their common part alike: only differences count.
        logs -= logs.max()
    assert np.allclose(stream.learn(*data), combined, atol=1e-8)
    assert np.allclose(stream.weights, np.exp(logs) / np.exp(logs).sum(), atol=1e-8)


def test_uniform_combination_keeps_equal_weights():
    rng = np.random.default_rng(2)
    stream = started(EXPERTS, rng, Rules(uniform=True))
    data = ratings(rng)
    at, every = SEGMENTS, []
    for setting in EXPERTS:
        every.append(twin(stream, setting, *data, at=at)[0])
        at += setting.width
    assert np.allclose(stream.learn(*data), np.mean(every, axis=0), atol=1e-8)
    assert stream.weights.tolist() == [1 / 3] * 3


@pytest.mark.jit
def test_a_hopeless_expert_learns_as_often_as_exploration_says():
    rng = np.random.default_rng(4)
    rounds, rho = 3000, 0.3
    stream = started([Setting(2, biases=None), Setting(2, biases=None)], rng, Rules(eta=0.0, exploration=rho))
    stream.memory[running_means.HEAD + 1] = -1e6
    moved = 0
    for t in range(rounds):
        before = stream.users[:, SEGMENTS + 4 :].copy()
        stream.learn(np.array([t % USERS]), np.array([t % ITEMS]), np.array([float(1 + t % 5)]))
        moved += not np.array_equal(before, stream.users[:, SEGMENTS + 4 :])
    assert abs(moved - rho * rounds) < 5 * np.sqrt(rho * (1 - rho) * rounds)


def test_weights_survive_a_million_losses():
    rng = np.random.default_rng(0)
    stream = started(EXPERTS, rng, Rules(eta=1e5))
    stream.learn(*ratings(rng))
    assert np.isfinite(stream.weights).all()
    assert stream.weights.sum() == pytest.approx(1)


# -- Theorem 1 -----------------------------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize("adaptation", ["diagonal", "full"])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_regret_stays_below_the_bound_of_theorem_1(adaptation, noise):
    """Σ ℓ_t(w_t) − Σ ℓ_t(w) ≤ (D²/2C + C) tr G_T for NN-APA-I and any w ≥ 0.

    One user and items that are rated once: the item vectors are the inputs x_t, which nothing changes beforehand.
    """
    rng = np.random.default_rng(1)
    rounds, k, C, delta = 300, 4, 0.5, 0.1
    setting = Setting(k, "PA-I", adaptation, nonnegative=True, biases=None, aggressiveness=C, delta=delta)
    stream = started([setting], rng, users=1, items=rounds)
    X = stream.items[:rounds, SEGMENTS : SEGMENTS + k].copy()
    target = rng.random(k) * 2
    y = np.maximum(X @ target + noise * rng.standard_normal(rounds), 0)
    path, losses = [], []
    for t in range(rounds):
        path.append(stream.users[0, SEGMENTS : SEGMENTS + k].copy())
        (predicted,) = stream.learn(np.array([0]), np.array([t]), y[t : t + 1])
        losses.append(abs(predicted - y[t]))
    used = X[np.array(losses) > 0]
    H = used.T @ used if adaptation == "full" else np.diag((used**2).sum(axis=0))
    trace = np.sqrt(np.linalg.eigvalsh(delta * np.eye(k) + H)).sum()
    for w in (target, np.zeros(k), np.maximum(np.linalg.lstsq(X, y, rcond=None)[0], 0)):
        regret = sum(losses) - np.abs(X @ w - y).sum()
        D = max(np.linalg.norm(step - w) for step in path)
        assert regret <= (D**2 / (2 * C) + C) * trace


# -- starting and growing ------------------------------------------------------------------------------------------


@pytest.mark.jit
def test_newcomers_start_at_random_or_near_the_average():
    for share in (0.0, 0.8):
        stream = Stream([Setting(3, biases=None, nonnegative=True, start=0.4)], Rules(average=share), np.float64)
        stream.reserve(300, 300)
        rng = np.random.default_rng(0)
        stream.learn(rng.integers(0, 100, 2000), rng.integers(0, 100, 2000), np.full(2000, 5.0))
        average = stream.users[:100, SEGMENTS : SEGMENTS + 3].mean(axis=0)
        told = stream.answer(np.array([200]), np.array([0]))
        assert not stream.users[200].any()
        stream.learn(np.array([200]), np.array([0]), told)
        row = stream.users[200, SEGMENTS : SEGMENTS + 3]
        drawn = (row - share * average) / (1 - share)
        assert (drawn >= 0).all()
        assert (drawn < 2 * np.sqrt(0.4 * 5 / 3)).all()
        assert len(set(drawn.tolist())) == 3


@pytest.mark.jit
def test_the_first_prediction_expected_is_the_share_of_the_scale():
    stream = Stream([Setting(factors=4, biases=None, start=0.4, epsilon=100.0)], Rules())
    stream.reserve(2000, 2000)
    stream.learn(np.array([0]), np.array([0]), np.array([5.0]))
    numbers = np.arange(1, 2000)
    first = stream.learn(numbers, numbers, np.full(1999, 5.0))
    assert first.mean() == pytest.approx(0.4 * 5, rel=0.05)


def test_settings_share_a_row_without_overlap():
    widths = [setting.width for setting in (Setting(2), Setting(2, adaptation=None), Setting(2, adaptation="full"))]
    assert widths == [4, 2, 5]
    assert replace(Setting(2), biases="learned", adaptation="full").width == 3 + 6
