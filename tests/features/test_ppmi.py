"""PPMI against the cell-by-cell oracle."""

import numpy as np
import pytest
import scipy.sparse as sp

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
