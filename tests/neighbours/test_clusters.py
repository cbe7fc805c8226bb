import numpy as np
import scipy.sparse as sp

from tacit.neighbours.clusters import bounded_kmeans, nearest_centre, spherical_kmeans, unit_rows


def test_separate_groups_are_found(rng):
    group = np.repeat(np.arange(3), 20)
    X = np.zeros((60, 12))
    for row, g in enumerate(group):
        X[row, 4 * g : 4 * g + 4] = rng.random(4) + 0.1
    centres, of_row = spherical_kmeans(sp.csr_array(X), 3, np.random.default_rng(5))
    assert len({(g, c) for g, c in zip(group, of_row)}) == 3
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-6)


def test_no_cluster_is_empty_even_when_rows_are_equal():
    X = sp.csr_array(np.ones((6, 2), dtype=np.float32))
    _, of_row = spherical_kmeans(X, 4, np.random.default_rng(0))
    assert set(of_row) == {0, 1, 2, 3}


def test_large_clusters_are_clustered_again(rng):
    group = np.repeat(np.arange(4), [70, 10, 10, 10])
    X = np.zeros((100, 16))
    for row, g in enumerate(group):
        X[row, 4 * g : 4 * g + 4] = rng.random(4) + 0.1
    centres, of_row = bounded_kmeans(sp.csr_array(X), 4, 20, np.random.default_rng(5))
    size = np.bincount(of_row, minlength=len(centres))
    assert size.max() <= 20
    assert size.min() >= 1
    for cluster in range(len(centres)):
        assert len(set(group[of_row == cluster])) == 1
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-6)


def test_clusters_are_bounded_even_when_rows_are_equal():
    X = sp.csr_array(np.ones((50, 2), dtype=np.float32))
    centres, of_row = bounded_kmeans(X, 1, 8, np.random.default_rng(0))
    assert np.bincount(of_row, minlength=len(centres)).max() <= 8


def test_rows_go_to_the_centre_of_largest_product(rng):
    X, centres = rng.normal(size=(30, 5)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32)
    of_row, fit = nearest_centre(sp.csr_array(X), centres)
    assert (of_row == (X @ centres.T).argmax(axis=1)).all()
    np.testing.assert_allclose(fit, (X @ centres.T).max(axis=1), rtol=1e-5)


def test_unit_rows_leaves_the_input_alone():
    X = sp.csr_array([[3.0, 4.0], [0.0, 0.0]])
    assert unit_rows(X).toarray().tolist() == [[0.6, 0.8], [0.0, 0.0]]
    assert X.toarray().tolist() == [[3.0, 4.0], [0.0, 0.0]]
