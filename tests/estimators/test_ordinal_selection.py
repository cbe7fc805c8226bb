"""Choosing an ordinal ranker's parameters: folds, the two rounds, and scores in a model's own units."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import OrdinalRanker
from tacit.estimators.grade.folds import area, make_folds, pair_weights
from tacit.estimators.grade.selection import (
    MAPS_KEPT,
    MapSource,
    Plan,
    Trials,
    cross_validate,
    standardised,
    still_open,
)
from tacit.estimators.grade.settings import Candidate
from tacit.features.linear import LinearFeatures
from tacit.features.scaling import Scaling
from tacit.metrics.ordinal import ordinal_auc
from tacit.progress import Run
from tacit.solvers.all_threshold import solve_logistic_path
from tests import naive


def graded(n=120, labelled=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    truth = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n), [-0.5, 0.5])
    return X, np.where(np.arange(n) < labelled, truth, -1), rng.integers(1, 4, n).astype(float)


def trials(candidates, maps=1, cv=3):
    X, codes, weights = graded()
    rows = np.flatnonzero(codes >= 0)
    begin, more = make_folds(codes, rows, cv, 0)
    scaling = Scaling(np.zeros(4), np.ones(4), np.ones(4))
    every = [MapSource(lambda fold: LinearFeatures(scaling))] * maps
    tried = Trials(X, codes, weights, 3, every, candidates, [0.01, 1.0], rows, begin + more)
    return tried, Plan(len(begin), maps)


LOGISTIC = Candidate("logistic", np.ones(2))
SQUARED = [Candidate("square", np.full(2, gamma)) for gamma in (1.0, 0.5)]


@given(st.integers(0, 1000), st.integers(2, 5))
def test_folds_hold_every_row_out_once_and_once_again_otherwise(seed, cv):
    codes = np.repeat([0, 1, 2, -1], 10)
    rows = np.flatnonzero(codes >= 0)
    rounds = make_folds(codes, rows, cv, seed)
    for folds in rounds:
        assert sorted(np.concatenate([test for _, test in folds])) == list(range(30))
        for train, test in folds:
            assert not set(train) & set(test) and len(train) + len(test) == 30
            shares = np.bincount(codes[rows[test]], minlength=3)
            assert np.ptp(shares) <= 1
    first, second = ([tuple(test) for _, test in folds] for folds in rounds)
    assert first != second


def test_listed_folds_are_not_added_to():
    codes = np.array([0, 1, 0, 1, -1])
    begin, more = make_folds(codes, np.arange(4), [([0, 1], [2, 3, 4])], 0)
    assert [side.tolist() for side in begin[0]] == [[0, 1], [2, 3]]
    assert more == []


@given(st.integers(0, 1000), st.floats(0.01, 100), st.floats(-100, 100))
def test_own_units_are_the_oracles_and_forget_scale_and_place(seed, scale, place):
    rng = np.random.default_rng(seed)
    scores, weights = rng.standard_normal(7), rng.integers(1, 4, 7)
    found, middle, spread = standardised(scores[:, None], weights.astype(float))
    np.testing.assert_allclose(found[:, 0], naive.in_own_units(scores, weights), atol=1e-12)
    np.testing.assert_allclose(middle + spread * found[:, 0], scores, atol=1e-12)
    moved = standardised((place + scale * scores)[:, None], weights.astype(float))[0]
    np.testing.assert_allclose(moved, found, atol=1e-9)


def test_equal_scores_have_finite_units():
    found, _, spread = standardised(np.ones((3, 1)), np.ones(3))
    assert not found.any() and spread.tolist() == [1.0]


def test_held_out_scores_are_those_of_models_that_never_saw_the_rows():
    tried, plan = trials([LOGISTIC])
    with Run("choose", plan.steps, progress=False) as run:
        choice = cross_validate(tried, plan, run)
    known = tried.table[tried.rows]
    expected = []
    for train, test in tried.folds:
        w = solve_logistic_path(known[train], tried.labels[train], tried.label_weights[train], [0.01, 1.0], 1e-12)
        scores = known @ w[:, choice.place[2]]
        expected.append(naive.in_own_units(scores, tried.label_weights)[test])
    np.testing.assert_allclose(choice.held_out, np.concatenate(expected), atol=0.02)
    assert np.bincount(choice.rows, minlength=90).tolist() == [2] * 90


def test_unlabelled_pairs_wait_for_the_second_round():
    tried, plan = trials(SQUARED, maps=MAPS_KEPT + 1)
    tried.take(0, [(0, f) for f in range(plan.begin)])
    assert np.isfinite(tried.areas[: plan.begin, 0, 0]).all() and np.isnan(tried.areas[:, :, 1]).all()
    with Run("choose", plan.steps, progress=False) as run:
        choice = cross_validate(tried, plan, run)
    assert np.isfinite(choice.scores).all(axis=(1, 2)).sum() == MAPS_KEPT
    assert len(run.history) == MAPS_KEPT + 2
    assert choice.report()["candidates"] == 2 * (2 * MAPS_KEPT + 1)


@pytest.mark.parametrize(
    ("leads", "level", "mixed"),
    [
        ([0.03, -0.02, 0.01, 0.02, 0.0, 0.02], 0.8, True),
        # Clearly behind by its errors, and by too much whatever these say.
        ([0.03, 0.03, 0.04, 0.03, 0.03, 0.04], 0.8, False),
        ([0.2, -0.02, 0.2, 0.1, 0.0, 0.1], 0.8, False),
    ],
)
def test_a_linear_score_joins_unless_it_is_clearly_behind(leads, level, mixed):
    tried, plan = trials([LOGISTIC], maps=2)
    choice = cross_validate(tried, plan, Run("choose", plan.steps, progress=False))
    other = 1 - choice.place[0]
    tried.areas[:, choice.place[0]], tried.areas[:, other] = level, level - np.array(leads)[:, None, None]
    choice = replace(choice, area=level)
    found = tried.with_linear(choice, other)
    assert (found.linear is not None) == mixed
    if mixed:
        m, g, r = found.linear
        parts = [tried.held_out[choice.place[0], choice.place[1], f][:, choice.place[2]] for f in range(6)]
        linear = [tried.held_out[m, g, f][:, r] for f in range(6)]
        np.testing.assert_allclose(found.held_out, (np.concatenate(parts) + np.concatenate(linear)) / 2)
        assert (m, g) == (other, 0)
    else:
        assert found is choice
    assert tried.with_linear(choice, choice.place[0]) is choice


class ScriptedTrees:
    """Trees whose score of every row is 1, beside a kernel's 0: a mixture's score is the trees' share."""

    def __init__(self, rows):
        self.rows, self.grown = rows, set()

    def prepare(self, folds, threads):
        self.grown |= set(folds)

    def held_out(self, fold):
        return np.ones(self.rows)


@pytest.mark.parametrize(
    ("leads", "share", "grown"),
    [
        # Unsure in the first folds, sure over all of them.
        ([0.03, -0.02, 0.01, 0.02, 0.02, 0.02], 0.5, 6),
        ([0.02, 0.02, 0.02, 0.01, -0.03, -0.03], 0.0, 6),
        # Behind in the first folds: no more trees are grown, whatever they would have said.
        ([-0.02, 0.01, 0.0, 0.05, 0.05, 0.05], 0.0, 3),
    ],
)
def test_trees_join_where_they_lead_by_a_standard_error_over_all_folds(monkeypatch, leads, share, grown):
    tried, plan = trials([LOGISTIC])
    choice = cross_validate(tried, plan, Run("choose", plan.steps, progress=False))
    length = min(len(test) for _, test in tried.folds)
    tried.held_out = {(0, 0, f): np.zeros((length, 2)) for f in range(6)}
    monkeypatch.setattr(tried, "area", lambda fold, scores: 0.8 + leads[fold] * (scores[0] == 0.5))
    trees = ScriptedTrees(length)
    assert tried.with_trees(choice, trees, plan.begin).tree_share == share
    assert len(trees.grown) == grown


@pytest.mark.parametrize(
    ("leads", "stays"), [((0.0, 0.0, 0.0), True), ((-0.1, 0.05, 0.0), True), ((-0.1, -0.09, -0.1), False)]
)
def test_a_squared_loss_that_is_behind_has_no_second_round(leads, stays):
    areas = np.full((3, 4, 2, 1), 0.5)
    areas[:, :, 1, 0] += [0.1, 0.3, 0.2, 0.0]
    areas[:, :, 0, 0] = 0.6
    areas[:, 3, 0, 0] = 0.8 + np.array(leads)
    left = still_open(areas, ["square", "logistic"])
    assert [m for m, loss in left if loss == "logistic"] == [1, 2]
    assert [m for m, loss in left if loss == "square"] == ([3, 0] if stays else [])


@pytest.mark.parametrize(("lead", "left"), [(0.02, [3, 2, 1]), (0.005, [3, 1]), (0.0, [1, 0]), (-0.05, [1, 0])])
def test_another_preparation_that_does_not_lead_has_no_second_round(lead, left):
    areas = np.full((3, 4, 1, 1), 0.5)
    areas[:, :2, 0, 0] = 0.6, 0.8
    areas[:, 2:, 0, 0] = 0.8 + lead - 0.01, 0.8 + lead
    kept = still_open(areas, ["logistic"], opening=2)
    assert [m for m, _ in kept] == left


@pytest.mark.parametrize("after", [1, 6])
def test_a_choice_cut_short_is_the_best_so_far(after):
    X, y, _ = graded()
    model = OrdinalRanker(callback=lambda record: record["iteration"] == after, progress=False).fit(X, y)
    assert len(model.history_) == after
    assert model.selection_["auc"] == pytest.approx(max(record["auc"] for record in model.history_), abs=0.05)
    assert model.predict(X).shape == (120,)


@given(st.integers(0, 1000))
def test_cuts_are_in_order_and_grades_rise_with_the_score(seed):
    X, y, _ = graded(seed=seed)
    model = OrdinalRanker("linear", regularization=0.1, unlabelled_weight=0.0, cv=2, progress=False, threads=1)
    model.fit(X, y)
    assert np.all(np.diff(model.thresholds_) >= 0)
    assert np.all(np.diff(model.predict(X)[np.argsort(model.rank_score(X))]) >= 0)


@pytest.mark.parametrize("kinds", [2, 5])
def test_the_area_by_pairs_is_the_ordinal_auc(kinds):
    rng = np.random.default_rng(kinds)
    labels, weights = rng.integers(0, kinds, 60), rng.uniform(0.5, 2.0, 60)
    scores = np.round(labels + rng.standard_normal(60), 1)
    assert len(np.unique(scores)) < 60
    expected = ordinal_auc(labels, scores, weights)
    assert area(pair_weights(labels, weights), scores) == pytest.approx(expected, abs=1e-12)
