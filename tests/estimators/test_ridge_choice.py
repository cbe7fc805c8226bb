"""The ridge of a blend's factors: what is tried, what is chosen, and what is left as it was given."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender
from tacit.estimators.recommend import held_out_choice, ridge_choice
from tacit.estimators.recommend.held_out_choice import Budget
from tacit.metrics.evaluation import evaluate
from tacit.objective.default_ridge import default_ridge


def strong_tags(n=900, groups=40):
    """Pairs of tags that always come together, three pairs in a row: a strong ridge hides that."""
    rng = np.random.default_rng(0)
    chosen = np.argsort(rng.random((n, groups)), axis=1)[:, :3]
    tags = np.zeros((n, groups), dtype=np.float32)
    np.put_along_axis(tags, chosen, 1, axis=1)
    return sp.csr_array(np.repeat(tags, 2, axis=1))


def chance(n=300, m=200, share=0.03):
    """Popular columns and nothing else: whatever factors find beyond that is noise."""
    rng = np.random.default_rng(0)
    return sp.csr_array((rng.random((n, m)) < share * np.linspace(0.1, 3, m)).astype(np.float32))


def chosen(matrix, **budget):
    data = Interactions.from_matrix(matrix)
    parts = held_out_choice.split(data.matrix, 0)
    return ridge_choice.choose(lambda: FactorRecommender(48, progress=False), data, parts, 1, Budget(**budget))


def test_strong_tastes_get_a_smaller_ridge_and_chance_a_larger_one():
    assert chosen(chance()).times > 1
    assert chosen(strong_tags()).times < 1


def test_the_default_stays_where_there_is_no_time():
    assert chosen(chance(), seconds=1e-9).times == 1.0


def test_factors_of_the_choice_are_those_of_the_ridge_that_it_names():
    data = Interactions.from_matrix(chance())
    member = FactorRecommender(8, progress=False)
    found = ridge_choice.RidgeChoice(1.6).fit(member, data)
    ridge = min(1.6 * default_ridge(data.matrix, 8), 0.9)
    plain = FactorRecommender(8, regularization=ridge, progress=False).fit(data)
    assert member.regularization is None
    assert found.col_factors_.tobytes() == plain.col_factors_.tobytes()


def test_a_blend_takes_the_ridge_and_says_so(tmp_path):
    members = [("factors", FactorRecommender(16)), ("linear", LinearRecommender("sparse", sparse_exponents=(1, 1, 0)))]
    train, test = Interactions.from_matrix(chance(600)).split(test=0.25, seed=1)
    one, two = (BlendRecommender(members, threads=threads).fit(train) for threads in (1, 2))
    assert "times the default" in one.validation_["sentence"]
    factors = one.members_[0]
    assert isinstance(factors, FactorRecommender) and factors.regularization is None
    plain = FactorRecommender(16, progress=False).fit(train)
    before, after = (evaluate(model, train, test, metrics=("ndcg",))["ndcg@10"] for model in (plain, factors))
    assert after > before
    assert two.members_[0].col_factors_.tobytes() == factors.col_factors_.tobytes()


@pytest.mark.parametrize("given", [0.3, (0.2, 0.4)])
def test_a_ridge_that_is_given_stays(given):
    data = Interactions.from_matrix(chance())
    assert not ridge_choice.is_free(FactorRecommender(regularization=given), data)
    assert ridge_choice.is_free(FactorRecommender(), data)


def test_much_data_is_left_to_the_default(monkeypatch):
    monkeypatch.setattr(ridge_choice, "MOST_POSITIVES", 100)
    assert not ridge_choice.is_free(FactorRecommender(), Interactions.from_matrix(chance()))
