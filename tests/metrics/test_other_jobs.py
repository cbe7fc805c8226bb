"""``evaluate`` measures taggers, rankers, streams and word vectors by their calls, as their own measures would."""

from types import SimpleNamespace

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.estimators.ranked import Ranked
from tacit.metrics import analogies, evaluate, mae, ordinal_metrics, rmse, similarities


def tagger():
    """Suggests the same labels, best first, for every row."""

    def predict_topk(X, k, return_scores):
        ids = np.full((len(X), k), None, dtype=object)
        ids[:, : min(k, 3)] = ["red", "blue", "round"][:k]
        return Ranked(np.arange(len(X)), ids, np.zeros(ids.shape), ids != np.array(None))

    return SimpleNamespace(predict_topk=predict_topk, classes_=np.array(["blue", "red", "round"], dtype=object))


def test_labels_are_measured_over_the_rows_that_carry_some():
    found = evaluate(tagger(), np.zeros((3, 1)), [["red"], [], ["round", "new"]], k=[1, 4])
    assert dict(found) == pytest.approx(
        {
            "precision@1": 0.5, "recall@1": 0.5, "ndcg@1": 0.5,
            "precision@4": (1 / 4 + 1 / 4) / 2, "recall@4": (1 + 1 / 2) / 2,
            "ndcg@4": (1 + 0.5 / (1 + 1 / np.log2(3))) / 2,
        }
    )  # fmt: skip
    assert str(found).endswith("(2 rows with labels, 1 without were left out)")


def test_grades_are_measured_over_the_rows_that_have_one():
    scores, predicted = np.array([0.1, 0.4, 0.3, 0.9]), np.array(["bad", "fair", "fair", "good"])
    model = SimpleNamespace(
        classes_=np.array(["bad", "fair", "good"]), rank_score=lambda X: scores, predict=lambda X: predicted
    )
    found = evaluate(model, np.zeros((4, 1)), ["bad", None, "good", "fair"])
    assert dict(found) == pytest.approx(ordinal_metrics([0, 2, 1], scores[[0, 2, 3]], [0, 1, 2]))
    assert (found.users, found.left_out) == (3, 1)
    with pytest.raises(InputError, match="'great' is no grade that the model knows"):
        evaluate(model, np.zeros((4, 1)), ["bad", "great", "good", "fair"])
    with pytest.raises(InputError, match="equally long, not 4 and 1"):
        evaluate(model, np.zeros((4, 1)), ["bad"])


def test_a_stream_is_measured_without_learning():
    model = SimpleNamespace(predict_then_learn=None, predict=lambda users, items: np.array([4.0, 2.0]))
    table = {"user": ["ann", "bob"], "item": ["tea", "rye"], "rating": [5, 2]}
    found = evaluate(model, table["user"], table["item"], table["rating"])
    assert dict(found) == {"mae": mae([5, 2], [4, 2]), "rmse": rmse([5, 2], [4, 2])} == dict(evaluate(model, table))
    assert str(found).endswith("(2 ratings)")


def test_words_are_measured_by_analogies_and_similarities():
    words = ["he", "she", "king", "queen"]
    vectors = np.array([[1.0, 0, 1], [0, 1, 1], [1, 0, -1], [0, 1, -1]])
    model = SimpleNamespace(most_similar=None, words=words, vectors=vectors)
    questions, pairs = [": family", "he she king queen", "he she king prince"], ["he king 7", "he she 6", "he queen 1"]
    found = evaluate(model, questions, pairs)
    assert list(found) == ["analogies", "semantic", "similarity"]
    assert found["analogies"] == analogies(vectors, words, questions).total.accuracy == 1
    assert found["similarity"] == similarities(vectors, words, pairs).correlation
    assert (found.users, found.left_out) == (4, 1)
    assert list(evaluate(model, None, pairs)) == ["similarity"]


def test_data_go_by_position_or_by_name():
    X, Y = np.zeros((2, 1)), [["red"], ["round"]]
    assert dict(evaluate(tagger(), X, Y)) == dict(evaluate(tagger(), X=X, Y=Y)) == dict(evaluate(tagger(), X, Y=Y))
    factors = SimpleNamespace(row_factors_=np.ones((2, 1)), col_factors_=np.array([[3.0], [2.0], [1.0]]))
    train, test = np.array([[1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 0], [0, 0, 1]])
    assert dict(evaluate(factors, test=test, train=train, k=1)) == dict(evaluate(factors, train, test, k=1))
    with pytest.raises(InputError, match="measures a SimpleNamespace on train, test"):
        evaluate(factors, train, test, labels=test)


def test_data_that_do_not_fit_the_job_get_a_sentence():
    with pytest.raises(InputError, match="measures a SimpleNamespace on X, Y; give these"):
        evaluate(tagger(), np.zeros((3, 1)))
    with pytest.raises(InputError, match="on train, test; give these, by position or by name"):
        evaluate(SimpleNamespace(recommend=None), np.eye(2))
    with pytest.raises(InputError, match="are for recommenders"):
        evaluate(tagger(), np.zeros((1, 1)), [["red"]], metrics=("mrr",))
