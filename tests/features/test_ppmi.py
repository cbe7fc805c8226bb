"""PPMI against the cell-by-cell oracle."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.features import ppmi
from tests import naive


@pytest.fixture
def counts(rng):
    dense = rng.poisson(0.8, (20, 20)) * rng.random((20, 20))
    dense[3], dense[:, 5] = 0, 0
    return sp.csr_array(dense.astype(np.float32))


@pytest.mark.parametrize("shift", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("smoothing", [1.0, 0.75])
def test_values_are_the_oracle(counts, shift, smoothing):
    values, kept = ppmi.ppmi(counts, shift=shift, smoothing=smoothing)
    oracle = naive.ppmi(counts.toarray(), shift, smoothing)
    np.testing.assert_allclose(values.toarray(), oracle, rtol=2e-6, atol=1e-6)
    assert values.nnz == np.count_nonzero(oracle)
    assert values.has_canonical_format
    np.testing.assert_array_equal(kept, counts.toarray()[oracle > 0])


def test_either_side_alone_with_the_totals_of_all(counts):
    """What folding in uses: some rows as words, and the same formula on the transpose as contexts."""
    values, _ = ppmi.ppmi(counts, smoothing=0.75)
    with np.errstate(divide="ignore"):
        word_logs = np.log(ppmi.totals(counts)[0])
    shares = ppmi.log_shares(ppmi.totals(counts)[1], 0.75)
    words, _ = ppmi.associations(counts[7:11], word_logs[7:11], shares)
    np.testing.assert_array_equal(words.toarray(), values[7:11].toarray())
    contexts, _ = ppmi.associations(sp.csr_array(counts[:, 7:11].T), shares[7:11], word_logs)
    np.testing.assert_allclose(contexts.toarray(), values[:, 7:11].toarray().T, atol=1e-6)


def test_positives_may_take_the_place_of_the_counts(rng):
    """To the same bits, and with room for the values alone beside them."""
    cells = np.sort(np.argpartition(rng.random((500, 800)), 200)[:, :200], axis=1)
    values = rng.random(cells.size).astype(np.float32) + np.float32(1e-3)
    ends = np.arange(0, cells.size + 1, 200)
    counts = as_csr(sp.csr_array((values, cells.ravel(), ends), shape=(500, 800)), "counts")
    logs = np.log(ppmi.totals(counts)[0]), ppmi.log_shares(ppmi.totals(counts)[1])
    values, kept = ppmi.associations(counts, *logs, threads=1)
    given = as_csr(counts, "counts")
    tracemalloc.start()
    try:
        given.data, given.indices = given.data.copy(), given.indices.copy()
        before = tracemalloc.get_traced_memory()[0]
        in_place, kept_in_place = ppmi.associations(given, *logs, threads=1, consume=True)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < 4.5 * counts.nnz
    assert 0 < values.nnz < counts.nnz
    for one, other in ((values.indptr, in_place.indptr), (values.indices, in_place.indices), (kept, kept_in_place)):
        np.testing.assert_array_equal(one, other)
    assert values.data.tobytes() == in_place.data.tobytes()
    assert in_place.data.flags.owndata and len(in_place.data) == len(kept_in_place) == in_place.nnz
    assert given.nnz == 0 and given.shape == counts.shape
    assert given.toarray().sum() == 0


def test_counts_in_a_mapped_file_are_written_over_too(counts, tmp_path):
    expected, weights = ppmi.ppmi(counts)
    logs = ppmi.totals(counts)
    with np.errstate(divide="ignore"):
        logs = np.log(logs[0]), ppmi.log_shares(logs[1])
    counts.data.tofile(tmp_path / "counts")
    mapped = np.memmap(tmp_path / "counts", np.float32, mode="r+").view(np.ndarray)
    counts.data = mapped
    found, kept = ppmi.associations(counts, *logs, consume=True)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(kept, weights)
    assert np.shares_memory(kept, mapped)


def test_weights_are_those_of_glove():
    x = np.array([0.125, 1, 50, 100, 101, 1e6], np.float32)
    np.testing.assert_allclose(ppmi.glove_weights(x), np.minimum(1, (x / 100) ** 0.75), rtol=1e-6)
    np.testing.assert_array_equal(ppmi.glove_weights(x, exponent=0), 1)


@pytest.mark.parametrize("options", [{"shift": 0}, {"smoothing": 0}, {"smoothing": 1.5}])
def test_bad_parameters(counts, options):
    with pytest.raises(InputError, match=r"shift|smoothing"):
        ppmi.ppmi(counts, **options)
    with pytest.raises(InputError, match="weight_ceiling"):
        ppmi.glove_weights(counts.data, ceiling=0)
