"""Where every pair weighs the same, word vectors are the truncated SVD of the PPMI matrix."""

import numpy as np

from tacit import WordVectors
from tacit.features.ppmi import ppmi


def test_equal_weights_give_the_truncated_svd(rng):
    text = [[f"w{word}" for word in rng.zipf(1.4, 15) % 25] for _ in range(200)]
    model = WordVectors(
        4,
        window=3,
        min_count=1,
        weight_exponent=0.0,
        unlabelled_weight=1.0,
        unlabelled_target=0.0,
        frequency_exponent=0.0,
        regularization=1e-6,
        iterations=300,
        keep_counts=True,
        progress=False,
    ).fit(text)
    dense = ppmi(model.counts_)[0].toarray().astype(np.float64)
    u, s, vt = np.linalg.svd(dense)
    best = (u[:, :4] * s[:4]) @ vt[:4]
    ours = model.word_factors_.astype(np.float64) @ model.context_factors_.T.astype(np.float64)
    assert np.linalg.norm(dense - ours) <= np.linalg.norm(dense - best) * (1 + 1e-5)
    np.testing.assert_allclose(ours, best, atol=1e-2 * np.abs(best).max())
