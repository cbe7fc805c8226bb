"""Feature maps approximate their kernels, and depend on seed, scale and centring as they should."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.features import fourier
from tacit.features.fourier import FourierFeatures, frequency_block
from tacit.features.nystrom import NystromFeatures, choose_landmarks, kernel_matrix
from tacit.features.scaling import Scaling

FROZEN_NORMAL = [[-0.044811945217110724, -1.6423954417775588], [0.5951714761734049, -0.47855709875016383]]
FROZEN_CAUCHY = [[-0.056203721006040507, -6.281302357439977], [0.849394901313721, -0.6518212433806198]]


def unit(d):
    return Scaling(np.zeros(d), np.ones(d), np.ones(d))


def kernel(name, a, b, width):
    apart = a[:, None, :] - b[None, :, :]
    if name == "gaussian":
        return np.exp(-np.square(apart).sum(-1) / (2 * width**2))
    return np.exp(-np.abs(apart).sum(-1) / width)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
def test_waves_of_random_frequencies_average_to_the_kernel(rng, name):
    X = rng.standard_normal((12, 3))
    mapped = FourierFeatures(name, 20_000, 1.7, 3, unit(3)).transform(X)
    # A mean of 20,000 values in [-1, 1] strays by 1/√20,000 = 0.007; five times that is out of reach.
    np.testing.assert_allclose(mapped @ mapped.T, kernel(name, X, X, 1.7), atol=0.035)


def test_every_mapped_row_has_length_one(rng):
    mapped = FourierFeatures("gaussian", 70, 0.3, 0, unit(4)).transform(rng.standard_normal((5, 4)))
    np.testing.assert_allclose(np.square(mapped).sum(axis=1), 1.0, rtol=1e-12)


def test_regenerated_blocks_are_the_kept_frequencies(rng, monkeypatch):
    X = rng.standard_normal((6, 5))
    kept = FourierFeatures("gaussian", 150, 1.0, 9, unit(5)).transform(X)
    monkeypatch.setattr(fourier, "_KEPT_NUMBERS", 0)
    np.testing.assert_allclose(FourierFeatures("gaussian", 150, 1.0, 9, unit(5)).transform(X), kept, rtol=0, atol=1e-14)


def test_the_frequencies_of_a_seed_never_change():
    """A model file stores the seed alone, so these numbers are part of its format."""
    np.testing.assert_allclose(frequency_block("gaussian", 2, seed=7, block=3, size=2), FROZEN_NORMAL, rtol=1e-12)
    np.testing.assert_allclose(frequency_block("laplacian", 2, seed=7, block=3, size=2), FROZEN_CAUCHY, rtol=1e-12)


def test_fewer_frequencies_are_the_first_of_more(rng):
    X = rng.standard_normal((3, 2))
    few = FourierFeatures("gaussian", 64, 1.0, 1, unit(2)).transform(X)
    many = FourierFeatures("gaussian", 128, 1.0, 1, unit(2)).transform(X)
    np.testing.assert_allclose(few[:, :64], np.sqrt(2) * many[:, :64], rtol=1e-12)


def test_sparse_rows_map_like_dense_ones(rng):
    X = sp.random_array((20, 6), density=0.4, rng=rng, format="csr")
    scaling = Scaling.of(X, np.ones(20))
    dense_scaling = Scaling.of(X.toarray(), np.ones(20))
    np.testing.assert_allclose(scaling.scale, dense_scaling.scale, rtol=1e-10)
    features = FourierFeatures("gaussian", 32, 1.0, 0, scaling)
    np.testing.assert_allclose(features.transform(X), features.transform(X.toarray()), atol=1e-13)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_scaling_is_the_weighted_mean_and_deviation(rng, make):
    X = rng.integers(0, 5, (30, 3)).astype(float)
    X[:, 2] = 4.0
    weights = rng.integers(1, 4, 30).astype(float)
    scaling = Scaling.of(make(X), weights)
    repeated = np.repeat(X, weights.astype(int), axis=0)
    np.testing.assert_allclose(scaling.mean, repeated.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(scaling.scale, np.append(repeated[:, :2].std(axis=0), 1.0), rtol=1e-10)
    np.testing.assert_array_equal(scaling.spread > 0, [True, True, False])


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "linear"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_nystrom_is_exact_at_its_landmarks(rng, name, make):
    X = rng.standard_normal((40, 3))
    features = NystromFeatures(name, 1.5, X[:10])
    mapped = features.transform(make(X))
    expected = X @ X[:10].T if name == "linear" else kernel(name, X, X[:10], 1.5)
    np.testing.assert_allclose(mapped @ mapped[:10].T, expected, atol=1e-7)
    np.testing.assert_allclose(kernel_matrix(name, make(X), X[:10], 1.5), expected, atol=1e-12)


def test_as_many_landmarks_as_rows_are_the_rows(rng):
    X = rng.standard_normal((8, 2))
    np.testing.assert_array_equal(choose_landmarks(X, 8), X)
    assert choose_landmarks(X, 3).shape == (3, 2)


def test_landmarks_are_the_same_bits_at_any_number_of_openmp_threads():
    """K-means sums per OpenMP thread: OMP_NUM_THREADS used to decide on the bits."""
    import sklearn.cluster  # noqa: F401  loads the library that is limited below
    from threadpoolctl import threadpool_limits

    rows = np.random.default_rng(0).standard_normal((4000, 7))
    found = []
    for count in (1, 2, 3, 8):
        with threadpool_limits(limits=count, user_api="openmp"):
            found.append(choose_landmarks(rows, 40, seed=0).tobytes())
    assert len(set(found)) == 1


def test_ranks_do_not_depend_on_the_shape_of_a_column_and_count_weights_as_copies(rng):
    X = rng.integers(0, 9, (40, 2)).astype(float)
    weights = rng.integers(1, 4, 40).astype(float)
    ranks = Scaling.of_ranks(X, weights)
    stretched = Scaling.of_ranks(np.exp(X), weights)
    np.testing.assert_allclose(stretched.dense(np.exp(X)), ranks.dense(X), atol=1e-9)
    copies = Scaling.of_ranks(np.repeat(X, weights.astype(int), axis=0), np.ones(int(weights.sum())))
    np.testing.assert_allclose(copies.dense(X), ranks.dense(X), atol=1e-9)
    order = np.argsort(X[:, 0], kind="stable")
    assert np.all(np.diff(ranks.dense(X)[order, 0]) >= 0)


def test_relevance_multiplies_scaled_columns(rng):
    X = rng.standard_normal((10, 3))
    scaling = Scaling.of(X, np.ones(10))
    weight = np.array([1.0, 0.5, 0.1])
    np.testing.assert_allclose(scaling.weighted(weight).dense(X), scaling.dense(X) * weight, atol=1e-12)
    np.testing.assert_allclose(scaling.weighted(weight).spread, weight, atol=1e-12)


def test_zeros_of_sparse_rows_have_ranks_too():
    """A model fitted to dense rows may be asked about sparse ones."""
    rows = np.random.default_rng(0).poisson(1.0, (60, 3)).astype(float)
    scaling = Scaling.of_ranks(rows, np.ones(60))
    np.testing.assert_array_equal(scaling.divide(sp.csr_array(rows)), scaling.divide(rows))
    assert scaling.knots is not None
