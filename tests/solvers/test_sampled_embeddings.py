"""Skip-gram, the end-to-end map and the weighted factorisation of label space."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.data.matrix import as_csr, transpose
from tacit.errors import DivergedError, InputError
from tacit.features.label_space import distinct_sets, nearest_rows
from tacit.kernels.skipgram import skipgram_epoch
from tacit.solvers.end_to_end import Climb, batch_objective, end_to_end_map, online_map
from tacit.solvers.label_embedding import label_space_sppmi, sppmi_embedding
from tacit.solvers.skipgram import skipgram_embedding
from tacit.solvers.weighted_embedding import weighted_embedding
from tests import naive


@pytest.fixture
def grouped(rng):
    """Three groups of rows; labels are shared within a group only."""
    group = np.arange(60) % 3
    Y = np.zeros((60, 9))
    for row, g in enumerate(group):
        Y[row, 3 * g + rng.choice(3, size=2, replace=False)] = 1
    return group, as_csr(Y, "Y")


def within_and_between(Z, group):
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    same = group[:, None] == group
    cosines = unit @ unit.T
    return cosines[same].mean(), cosines[~same].mean()


def test_an_epoch_equals_the_slow_twin(rng):
    dense = (rng.random((12, 4)) < 0.4).astype(float)
    dense[dense.sum(axis=1) == 0, 0] = 1
    Y = as_csr(dense, "Y")
    found, rows_with_label = distinct_sets(Y), transpose(Y)
    Z, C = rng.normal(size=(2, len(found.count), 3))
    slow_Z, slow_C = Z.copy(), C.copy()
    order = rng.permutation(12)
    state = np.array([12345], dtype=np.uint64)
    with np.errstate(over="ignore"):
        skipgram_epoch(
            order, found.of_row, Y.indptr, Y.indices, rows_with_label.indptr, rows_with_label.indices,
            4, 2, 0.1, Z, C, np.zeros(3), state,
        )  # fmt: skip
    naive.skipgram_epoch(order, found.of_row, dense, 4, 2, 0.1, slow_Z, slow_C, naive.SplitMix(12345))
    np.testing.assert_allclose(Z, slow_Z, atol=1e-12)
    np.testing.assert_allclose(C, slow_C, atol=1e-12)


@pytest.mark.jit
def test_skipgram_puts_rows_that_share_labels_together(grouped):
    group, Y = grouped
    Z = skipgram_embedding(Y, 6, negatives=3, iterations=30)
    within, between = within_and_between(Z, group)
    assert within > between + 0.5
    assert (skipgram_embedding(Y, 6, negatives=3, iterations=30) == Z).all()


def test_skipgram_says_when_it_diverges(grouped):
    with pytest.raises(DivergedError, match="lower learning_rate"), np.errstate(all="ignore"):
        skipgram_embedding(grouped[1], 6, learning_rate=1e30)


def test_the_gradient_through_cosines(rng):
    anchors, others = rng.normal(size=(2, 5, 3))
    apart = rng.random((5, 5)) < 0.6
    np.fill_diagonal(apart, False)
    _, slope_a, slope_o = batch_objective(anchors, others, apart, 4.0, 3.0)
    for vectors, slope in ((anchors, slope_a), (others, slope_o)):
        for place in np.ndindex(5, 3):
            kept, values = vectors[place], []
            for step in (1e-6, -1e-6):
                vectors[place] = kept + step
                values.append(batch_objective(anchors, others, apart, 4.0, 3.0)[0])
            vectors[place] = kept
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope[place], abs=1e-6)


def test_the_objective_of_a_batch_is_the_formula():
    anchors, others = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 3.0]])
    apart = np.array([[False, True], [False, False]])
    value = batch_objective(anchors, others, apart, 2.0, 5.0)[0]

    def log_sigmoid(score):
        return -np.log1p(np.exp(-score))

    expected = log_sigmoid(2 * np.sqrt(0.5)) + log_sigmoid(2.0) + 5.0 * log_sigmoid(-0.0)
    assert value == pytest.approx(expected)


def test_the_gradient_with_rows_that_are_negatives_only(rng):
    """More others than anchors: those behind the partners only push away."""
    anchors, others = rng.normal(size=(3, 4)), rng.normal(size=(7, 4))
    apart = rng.random((3, 7)) < 0.6
    apart[np.arange(3), np.arange(3)] = False
    _, slope_a, slope_o = batch_objective(anchors, others, apart, 4.0, 3.0)
    for vectors, slope in ((anchors, slope_a), (others, slope_o)):
        for place in np.ndindex(vectors.shape):
            kept, values = vectors[place], []
            for step in (1e-6, -1e-6):
                vectors[place] = kept + step
                values.append(batch_objective(anchors, others, apart, 4.0, 3.0)[0])
            vectors[place] = kept
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope[place], abs=1e-6)


def test_steps_by_adam_equal_the_printed_gradient_taken_densely(rng):
    """Eq. 11 and 12 pair by pair, then Adam on all of V: the same V after four steps, to 1e-8."""
    X = (rng.random((9, 6)) < 0.7) * rng.random((9, 6)) + 0.1
    X[:, 5] = 0.0
    dense = (rng.random((9, 4)) < 0.4).astype(float)
    dense[:, 0] = np.maximum(dense[:, 0], ~dense.any(axis=1))
    Y, V = as_csr(dense, "Y"), rng.normal(size=(6, 3))
    batches = [(rng.permutation(9)[:4], rng.integers(9, size=7)) for _ in range(4)]
    climb, rates, gradients = Climb(V), (0.1, 0.05, 0.2, 0.1), []
    for (anchors, others), rate in zip(batches, rates):
        climb.step(sp.csr_array(X), Y, anchors, others, rate, 4.0, 3.0)
        apart = dense[anchors] @ dense[others].T == 0
        gradients.append(lambda V, a=anchors, o=others, apart=apart: naive.cosine_gradient(X, V, a, o, apart, 4.0, 3.0))
    np.testing.assert_allclose(climb.V, naive.adam(V, gradients, rates), atol=1e-8)
    assert (climb.V[5] == V[5]).all()


@pytest.mark.parametrize("neighbours", [None, 4])
def test_online_steps_climb_the_objective_of_the_new_rows(grouped, rng, neighbours):
    group, Y = grouped
    X = sp.csr_array((rng.random((60, 20)) < 0.3) + 1.0 * (np.eye(20)[group] > 0))
    V, new = rng.normal(size=(20, 4)), np.arange(50, 60)
    after = online_map(X, Y, V, new, steps=40, neighbours=neighbours, seed=3)

    def value(V):
        unit = X @ V
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        shared = (Y[new] @ Y.T).toarray() > 0
        K = 10 * unit[new] @ unit.T
        return np.where(shared, -np.logaddexp(0, -K), -np.logaddexp(0, K)).mean()

    assert value(after) > value(V) + 0.1
    assert (online_map(X, Y, V, new, steps=40, neighbours=neighbours, seed=3) == after).all()
    assert (online_map(X, Y, V, new, steps=40, neighbours=neighbours, seed=4) != after).any()


@pytest.mark.parametrize("neighbours", [None, 3])
def test_online_steps_are_printed_gradients_of_new_rows_alone(rng, monkeypatch, neighbours):
    """A batch: new rows, a partner of each that shares a label, then rows at random; V to 1e-8 of Eq. 11 and 12."""
    X = rng.random((14, 6)) + 0.1
    dense = np.eye(3)[np.arange(14) % 3]
    Y, V, new = as_csr(dense, "Y"), rng.normal(size=(6, 3)), np.array([11, 12, 13])
    batches, step = [], Climb.step
    monkeypatch.setattr("tacit.solvers.end_to_end._BATCH", 5)
    monkeypatch.setattr(Climb, "step", lambda self, *given: batches.append(given) or step(self, *given))
    given = {"negatives": 3.0, "learning_rate": 0.1, "scale": 4.0, "neighbours": neighbours, "seed": 2}
    after = online_map(sp.csr_array(X), Y, V, new, steps=4, **given)
    gradients = []
    for _, _, anchors, others, *_ in batches:
        assert sorted(anchors) == new.tolist() and len(others) == 5
        assert (dense[anchors] * dense[others[:3]]).any(axis=1).all()
        apart = dense[anchors] @ dense[others].T == 0
        gradients.append(lambda V, a=anchors, o=others, apart=apart: naive.cosine_gradient(X, V, a, o, apart, 4.0, 3.0))
    size = np.sqrt(np.mean(V**2))
    rates = [0.1 * size * left for left in (1.0, 0.75, 0.5, 0.25)]
    np.testing.assert_allclose(after, naive.adam(V, gradients, rates), atol=1e-8)


def test_online_steps_without_a_partner_or_to_infinity(grouped, rng):
    X, V = sp.csr_array(rng.random((60, 20))), rng.normal(size=(20, 4))
    assert (online_map(X, as_csr(np.eye(60), "Y"), V, np.array([3]), steps=2, neighbours=4) == V).all()
    with pytest.raises(DivergedError, match="lower learning_rate"), np.errstate(all="ignore"):
        online_map(X, grouped[1], V, np.arange(5), steps=9, learning_rate=1e200)


def test_nearest_rows_of_some_rows_are_those_of_all(grouped):
    Y, some = grouped[1], np.array([7, 3, 41])
    assert (nearest_rows(Y, 5, some).toarray() == nearest_rows(Y, 5).toarray()[some]).all()


def test_end_to_end_separates_groups_better_than_its_start(grouped, rng):
    group, Y = grouped
    X = sp.csr_array((rng.random((60, 20)) < 0.3) + 1.0 * (np.eye(20)[group] > 0))
    start = rng.normal(size=(20, 4))
    V = end_to_end_map(X, Y, start, iterations=30, learning_rate=0.05)
    before, after = (np.subtract(*within_and_between(X @ map_, group)) for map_ in (start, V))
    assert after > before + 0.3
    assert (end_to_end_map(X, Y, start, iterations=30, learning_rate=0.05) == V).all()


def test_the_weighted_embedding_fits_its_weighted_objective_better_than_the_svd(grouped):
    """Measured by how well a best linear reading of the embedding rebuilds SPPMI under the weights."""
    _, Y = grouped
    found = distinct_sets(Y)
    target = label_space_sppmi(found).toarray()
    shared = (found.sets @ found.sets.T).toarray()
    weight = np.where(target > 0, 1 + np.log(np.maximum(shared, 1)), 0.3) * np.outer(found.count, found.count)

    def misfit(Z):
        Z, total = Z[[np.flatnonzero(found.of_row == a)[0] for a in range(len(found.count))]], 0.0
        for b in range(len(found.count)):
            root = np.sqrt(weight[:, b])
            total += np.linalg.lstsq(root[:, None] * Z, root * target[:, b], rcond=None)[1].sum()
        return total

    weighted = weighted_embedding(Y, 3, iterations=60)
    assert misfit(weighted) <= misfit(sppmi_embedding(Y, 3)) * 1.001
    assert np.isfinite(weighted).all()


def test_nearest_rows_are_those_of_the_largest_cosines(rng):
    dense = (rng.random((15, 6)) < 0.4).astype(float)
    near = nearest_rows(as_csr(dense, "Y"), 3)
    length = np.maximum(np.linalg.norm(dense, axis=1), 1e-9)
    cosine = dense @ dense.T / np.outer(length, length)
    np.fill_diagonal(cosine, -1.0)
    for row in range(15):
        found = near.indices[near.indptr[row] : near.indptr[row + 1]]
        assert row not in found
        best = np.sort(cosine[row][cosine[row] > 0])[::-1][:3]
        np.testing.assert_allclose(np.sort(cosine[row, found])[::-1], best, atol=1e-6)


@pytest.mark.parametrize("tables", [1, 2])
def test_skipgram_by_neighbours_equals_the_slow_twin(rng, tables):
    """Each row draws among its nearest rows, has a vector of its own, and with one table contexts share it."""
    dense = (rng.random((12, 4)) < 0.4).astype(float)
    Y = as_csr(dense, "Y")
    Z = skipgram_embedding(Y, 3, contexts=2, negatives=2, iterations=1, neighbours=3, tables=tables, seed=7)
    draws = np.random.default_rng(7)
    slow = (0.1 / np.sqrt(3) * draws.standard_normal((12, 3))).astype(np.float32)
    contexts = slow if tables == 1 else np.zeros_like(slow)
    random = naive.SplitMix(int(draws.integers(2**63, size=1).astype(np.uint64)[0]))
    near = nearest_rows(Y, 3).toarray() > 0
    order = draws.permutation(np.flatnonzero(near.any(axis=1)))
    naive.skipgram_by_neighbours(order, near, 2, 2, 0.2, slow, contexts, random)
    np.testing.assert_allclose(Z, slow, atol=1e-6)


def test_one_table_climbs_the_printed_objective(grouped):
    """Eq. 4 with z on both sides: the mean of log σ(⟨z_i, z_j⟩) over neighbours rises, and groups come apart."""
    group, Y = grouped
    Z = skipgram_embedding(Y, 6, contexts=5, negatives=2, iterations=30, neighbours=5, tables=1)
    within, between = within_and_between(Z, group)
    assert within > between + 0.3


def test_end_to_end_by_neighbours_draws_only_them(grouped, rng):
    """Groups come apart as with partners drawn by labels, by other draws; rows without neighbours are refused."""
    group, Y = grouped
    X = sp.csr_array((rng.random((60, 20)) < 0.3) + 1.0 * (np.eye(20)[group] > 0))
    start = rng.normal(size=(20, 4))
    V = end_to_end_map(X, Y, start, iterations=30, learning_rate=0.05, neighbours=4)
    before, after = (np.subtract(*within_and_between(X @ map_, group)) for map_ in (start, V))
    assert after > before + 0.3
    assert not np.allclose(V, end_to_end_map(X, Y, start, iterations=30, learning_rate=0.05))
    alone = as_csr(np.eye(60), "Y")
    with pytest.raises(InputError, match="no two rows share a label"):
        end_to_end_map(X, alone, start, neighbours=4)
    with pytest.raises(InputError, match="no two rows share a label"):
        skipgram_embedding(alone, 4, neighbours=4)
