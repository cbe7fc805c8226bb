import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import tacit
from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger, TextTagger
from tacit.errors import InputError
from tacit.estimators.tag.blend_weights import choose_weights, held_out
from tacit.progress import without_clock
from tests import naive

MEMBERS = [("near", NeighbourTagger(factors=4, neighbours=5)), ("factor", FactorTagger(factors=4))]


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
    blend = BlendTagger(MEMBERS, weights=[1.0, 0.5]).fit(X, Y).decision_function(X)
    votes = NeighbourTagger(factors=4, neighbours=5).fit(X, Y).decision_function(X)
    chance = 1 / (1 + np.exp(-FactorTagger(factors=4).fit(X, Y).decision_function(X)))
    unit = [part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12) for part in (votes, chance)]
    np.testing.assert_allclose(blend, unit[0] + 0.5 * unit[1], atol=1e-5)


def test_save_grow_and_audit(made, tmp_path):
    X, Y = made
    model = BlendTagger(MEMBERS, weights=[1.0, 0.5]).fit(X[:60], Y[:60])
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    more = np.concatenate((Y[60:], Y[60:, :1]), axis=1)
    assert again.partial_fit(X[60:], more).decision_function(X).shape == (80, 11)
    assert len(BlendTagger(MEMBERS, weights=[1.0, 0.5]).missing_labels(X, Y, n=5)) == 5


@pytest.mark.parametrize("weights", [[0.0, 1.0], [0.5, 1.0], [1.0, 1.0], [1.0, 0.0]])
def test_rows_of_an_audit_are_compared_by_the_member_that_counts_most(made, weights):
    X, Y = made
    model, x = BlendTagger(MEMBERS, weights=weights).fit(X, Y), sp.csr_array(X[:1])
    leading = model.members_[weights.index(max(weights))]
    for found, expected in zip(model.linear_map(x), leading.linear_map(x)):
        np.testing.assert_array_equal(found, expected)


def test_grid_search_reaches_inside_a_blend_and_a_text_tagger(made):
    X, Y = made
    blend = BlendTagger(MEMBERS)
    found = GridSearchCV(blend, {"near__neighbours": [1, 5], "weights": [[1, 0], [1, 1]]}, cv=2).fit(X, Y)
    assert set(found.best_params_) == {"near__neighbours", "weights"}
    assert MEMBERS[0][1].neighbours == 5
    texts = [" ".join(f"word{j}" for j in np.flatnonzero(row)) for row in X]
    model = TextTagger(KernelTagger(), min_count=1)
    found = GridSearchCV(model, {"tagger__regularization": [0.1, 10.0]}, cv=2).fit(texts, Y)
    assert found.best_estimator_.tagger_.regularization_ == found.best_params_["tagger__regularization"]


def test_members_are_parameters(made):
    blend = BlendTagger(MEMBERS)
    assert blend.get_params()["near__neighbours"] == 5
    assert "near" not in blend.get_params(deep=False)
    copy = clone(blend).set_params(near__neighbours=3, factor=KernelTagger())
    assert copy.members[0][1].neighbours == 3
    assert isinstance(copy.members[1][1], KernelTagger)
    assert MEMBERS[0][1].neighbours == 5
    copy.fit(*made)
    assert not hasattr(copy.members[0][1], "learners_")


def test_why_names_the_members(made):
    X, Y = made
    model = BlendTagger(MEMBERS).fit(X, Y)
    scores = model.decision_function(X[:3])
    for row in range(3):
        evidence = model.why(X[[row]], 4)
        assert set(evidence.ids.tolist()) == {"near", "factor"}
        assert abs(evidence.total - scores[row, 4]) < 1e-5


def test_history_and_members_survive_a_file(made, tmp_path):
    model = BlendTagger([("kernel", KernelTagger(iterations=3)), *MEMBERS], weights=[1, 0.5, 0.25]).fit(*made)
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert again.history_ == without_clock(model.history_)
    assert [(name, repr(member)) for name, member in again.members] == [
        (name, repr(member)) for name, member in model.members
    ]


def test_a_text_tagger_says_which_words_speak():
    texts = ["a red ball", "red apples", "the blue sea", "blue sky"] * 3
    model = TextTagger(FactorTagger(factors=2), min_count=1).fit(texts, [["red"], ["red"], ["blue"], ["blue"]] * 3)
    evidence = model.why("a blue ball", "blue")
    assert evidence.ids[0] == "blue"
    assert abs(evidence.total - model.decision_function(["a blue ball"])[0, list(model.classes_).index("blue")]) < 1e-5
    assert model.history_


@pytest.mark.parametrize(
    ("members", "weights", "words"),
    [
        ([], None, "at least one"),
        ([("tree", "oak")], None, "members: tree must be an estimator such as NeighbourTagger"),
        ([FactorTagger()], None, "pairs"),
        ([("one", FactorTagger()), ("one", FactorTagger())], None, "distinct"),
        ([("weights", FactorTagger())], None, "cannot be a name"),
        (MEMBERS, [1.0], "one for each"),
        (MEMBERS, [1.0, -1.0], "weights"),
        (MEMBERS, [0.0, 0.0], "all zero"),
    ],
)
def test_members_that_cannot_be_made(made, members, weights, words):
    with pytest.raises(InputError, match=words):
        BlendTagger(members, weights=weights).fit(*made)


@pytest.mark.parametrize("seed", [-1, 1.5])
@pytest.mark.parametrize("make", [FactorTagger, NeighbourTagger, KernelTagger, BlendTagger])
def test_a_seed_that_is_none_is_named(made, make, seed):
    with pytest.raises(InputError, match="random_state"):
        make(random_state=seed).fit(*made)
    make(random_state=None).fit(*made)


def test_parameters_beyond_the_first_go_by_name():
    for make in (FactorTagger, NeighbourTagger, KernelTagger, BlendTagger, TextTagger):
        kinds = [one.kind for one in list(inspect.signature(make).parameters.values())[1:]]
        assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}


class Told(KernelTagger):
    """Scores that are told, whatever the row."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores

    def block_scores(self, X):
        return self.scores


def test_a_member_gets_the_smallest_weight_within_two_standard_errors_of_the_best(rng):
    Y = sp.csr_array(np.eye(8)[rng.integers(8, size=200)])
    truth = Y.toarray().astype(np.float32)
    blurred = truth + rng.normal(scale=1.0, size=truth.shape).astype(np.float32)
    noise = rng.normal(size=truth.shape).astype(np.float32)
    members = [Told(blurred), Told(noise), Told(truth + rng.normal(scale=1.3, size=truth.shape).astype(np.float32))]
    weights, reached = choose_weights(members, Y, Y)
    assert weights[:2] == [1.0, 0.0]
    assert reached[0] == reached[1] < reached[2]
    unit = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in (blurred, members[2].scores)]
    order = np.argsort(-(unit[0] + weights[2] * unit[1]), axis=1)
    assert abs(reached[2] - naive.label_metrics(truth, order, 5, np.ones(8))["ndcg"]) < 1e-6


def test_a_blend_starts_from_the_member_that_is_best_alone(rng):
    Y = sp.csr_array(np.eye(8)[rng.integers(8, size=200)])
    noise, blurred = rng.normal(size=(2, 200, 8)).astype(np.float32)
    blurred += Y.toarray().astype(np.float32)
    assert choose_weights([Told(noise), Told(blurred)], Y, Y)[0] == [0.0, 1.0]
    assert choose_weights([Told(noise), Told(blurred), Told(noise)], Y, Y)[0] == [0.0, 1.0, 0.0]


def test_members_are_judged_by_the_head_of_the_list_too():
    # All rows have labels 0 and 1. The first member lists 0, 2, 3, 1; the second moves 1 up to the second place, but in
    # three of ten rows puts 4 before all: alone it has more nDCG@5 and less P@1.
    Y = sp.csr_array(np.tile([1.0, 1.0, 0.0, 0.0, 0.0], (100, 1)))
    first = np.tile(np.array([5.0, 2.0, 4.0, 3.0, 0.0], np.float32), (100, 1))
    second = np.tile(np.array([5.0, 4.0, 0.0, 0.0, 0.0], np.float32), (100, 1))
    second[:30] = [5.0, 4.0, 0.0, 0.0, 6.0]
    alone = [naive.label_metrics(Y.toarray(), np.argsort(-one, axis=1), 5, np.ones(5)) for one in (first, second)]
    assert alone[0]["ndcg"] < alone[1]["ndcg"]
    weights, reached = choose_weights([Told(first), Told(second)], Y, Y)
    assert weights[0] == 1.0 and abs(reached[0] - alone[0]["ndcg"]) < 1e-6


def test_rows_that_choose_are_not_learned_from(made):
    learned, asked = held_out(sp.csr_array(made[1]), seed=0)
    assert len(asked) == 16 and sorted([*learned, *asked]) == list(range(80))


def test_weights_are_chosen_where_none_are_given(made, tmp_path):
    X, Y = made
    model = BlendTagger(MEMBERS).fit(X, Y)
    assert model.weights_[0] == 1.0 and 0 < model.validation_[0] <= model.validation_[1] <= 1
    given = BlendTagger(MEMBERS, weights=model.weights_).fit(X, Y)
    np.testing.assert_array_equal(given.decision_function(X), model.decision_function(X))
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert (again.weights_, again.validation_) == (model.weights_, model.validation_)
    assert BlendTagger(MEMBERS).fit(X[:10], Y[:10]).weights_ == [1.0, 1.0]
