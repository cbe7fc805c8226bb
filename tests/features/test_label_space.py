import numpy as np
import scipy.sparse as sp

from tacit.data.matrix import as_csr
from tacit.features import label_space
from tacit.features.label_space import distinct_sets, shared_labels


def labels(rng, rows, cols, density=0.3):
    return as_csr(sp.csr_array((rng.random((rows, cols)) < density).astype(np.float32)), "Y")


def test_distinct_sets_rebuild_the_matrix(rng):
    Y = labels(rng, 60, 4)
    found = distinct_sets(Y)
    assert (found.sets[found.of_row].toarray() == Y.toarray()).all()
    assert len({tuple(row) for row in found.sets.toarray()}) == found.sets.shape[0] < 60
    assert found.count.sum() == 60
    assert (np.bincount(found.of_row) == found.count).all()


def test_shared_labels_is_the_product(rng):
    Y = labels(rng, 20, 6)
    assert (shared_labels(Y).toarray() == Y.toarray() @ Y.toarray().T).all()


def test_thinned_pairs_are_the_strongest_by_cosine(rng, monkeypatch):
    monkeypatch.setattr(label_space, "_BLOCK", 7)
    Y = labels(rng, 20, 6, 0.5)
    dense = Y.toarray()
    whole = dense @ dense.T
    thin = shared_labels(Y, max_partners=3).toarray()
    assert (thin == thin.T).all()
    assert ((thin == whole) | (thin == 0)).all()
    size = np.sqrt(np.maximum(dense.sum(axis=1), 1))
    kept = np.zeros_like(whole, dtype=bool)
    for row in range(20):
        order = sorted(np.flatnonzero(whole[row]), key=lambda j: (-whole[row, j] / size[j], j))
        kept[row, order[:3]] = True
    assert ((thin > 0) == (kept | kept.T)).all()
