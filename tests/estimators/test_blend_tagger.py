import numpy as np
import pytest

import tacit
from tacit import BlendTagger, FactorTagger, NeighbourTagger
from tacit.errors import InputError

MEMBERS = [{"tagger": "neighbour", "factors": 4, "neighbours": 5}, {"tagger": "factor", "factors": 4, "weight": 0.5}]


@pytest.fixture
def made(rng):
    topic = rng.integers(4, size=80)
    X = rng.poisson(12 * rng.dirichlet(np.full(30, 0.1), size=4)[topic]).astype(float)
    X[X.sum(axis=1) == 0, 0] = 1
    Y = (rng.random((80, 10)) < 0.85) & (rng.random((4, 10)) < 0.3)[topic]
    Y[~Y.any(axis=1), 0] = True
    return X, Y.astype(float)


def test_scores_are_scaled_and_added(made):
    X, Y = made
    blend = BlendTagger(MEMBERS).fit(X, Y).decision_function(X)
    votes = NeighbourTagger(factors=4, neighbours=5).fit(X, Y).decision_function(X)
    chance = 1 / (1 + np.exp(-FactorTagger(factors=4).fit(X, Y).decision_function(X)))
    unit = [part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12) for part in (votes, chance)]
    np.testing.assert_allclose(blend, unit[0] + 0.5 * unit[1], atol=1e-5)


def test_save_grow_and_audit(made, tmp_path):
    X, Y = made
    model = BlendTagger(MEMBERS).fit(X[:60], Y[:60])
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    more = np.concatenate((Y[60:], Y[60:, :1]), axis=1)
    assert again.partial_fit(X[60:], more).decision_function(X).shape == (80, 11)
    assert len(BlendTagger(MEMBERS).missing_labels(X, Y, n=5)) == 5


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([], "at least one"),
        ([{"tagger": "tree"}], "must be one of"),
        ([{"tagger": "factor", "depth": 3}], "no parameter"),
    ],
)
def test_members_that_cannot_be_made(made, members, words):
    with pytest.raises(InputError, match=words):
        BlendTagger(members).fit(*made)
