import numpy as np
import pytest
import scipy.sparse as sp

from tacit.data.matrix import as_csr
from tacit.neighbours.partitioned import Learner, Partition, vote
from tacit.neighbours.topk import normalise
from tests import naive


@pytest.fixture
def learner(rng):
    """Two partitions with their own maps; the second does not know feature 0."""
    parts = []
    for features, rows in (([0, 1, 2, 3], [4, 0, 2]), ([1, 2, 3], [1, 3])):
        weights = rng.normal(size=(len(features), 3)).astype(np.float32)
        points = normalise(rng.normal(size=(len(rows), 3)))
        parts.append(Partition(np.array(features, np.int32), weights, np.array(rows), points, np.empty((0, 3), "f")))
    return Learner(np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32), tuple(parts))


def test_neighbours_come_from_the_partition_of_the_closest_centre(learner):
    X = as_csr(np.array([[1.0, 0.2, 0.0, 0.5], [0.0, 1.0, 0.3, 0.0]]), "X")
    numbers, cosines = learner.neighbours(X, 3)
    assert set(numbers[0]) == {4, 0, 2}
    assert set(numbers[1]) == {1, 3, -1}
    part = learner.partitions[1]
    z = X.toarray()[1, 1:] @ part.weights
    expected = sorted((part.points @ z / np.linalg.norm(z)).tolist(), reverse=True)
    np.testing.assert_allclose(cosines[1, :2], expected, atol=1e-6)


@pytest.mark.parametrize("power", [0.0, 1.0, 3.0])
def test_votes_equal_the_slow_twin(rng, power):
    points, query = rng.normal(size=(12, 4)), rng.normal(size=4)
    Y = (rng.random((12, 5)) < 0.4).astype(np.float64)
    one = Partition(
        np.arange(4, dtype=np.int32), np.eye(4, dtype="f"), np.arange(12), normalise(points), np.empty((0, 4), "f")
    )
    found = Learner(np.zeros((1, 4), "f"), (one,)).neighbours(as_csr(query[None], "X"), 5)
    votes = vote(*found, as_csr(Y, "Y"), power).toarray()[0]
    np.testing.assert_allclose(votes, naive.neighbour_votes(query, points, Y, 5, power), atol=1e-5)


def test_a_row_without_known_features_gets_no_votes(learner):
    Y = as_csr(np.ones((5, 2)), "Y")
    numbers, cosines = learner.neighbours(sp.csr_array((1, 4), dtype=np.float32), 2)
    assert vote(numbers, cosines, Y).nnz == 0


def test_a_learner_survives_its_arrays(learner):
    again = Learner.from_arrays(learner.to_arrays())
    X = as_csr(np.eye(4), "X")
    for one, two in zip(learner.neighbours(X, 3), again.neighbours(X, 3)):
        assert (one == two).all()
