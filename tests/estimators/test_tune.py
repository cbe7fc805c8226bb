"""The search: seeded, within its budget, never worse than where it began."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tacit import FactorRecommender, Interactions
from tacit.errors import InputError
from tacit.estimators.recommend import held_out, whole_data_fit
from tacit.estimators.recommend.sensitivity import sensitivity
from tacit.estimators.recommend.tune import MIXED, SPACE, BudgetWarning, tune
from tacit.objective.default_exponents import default_exponents
from tacit.objective.default_ridge import default_ridge
from tacit.objective.recipes import unlabelled_total


@pytest.fixture(scope="module")
def positives():
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, 5, 150), rng.integers(0, 5, 100)
    return sp.csr_array(((rows[:, None] == cols[None, :]) & (rng.random((150, 100)) < 0.3)).astype(np.float32))


def search(positives, **options):
    start = FactorRecommender(factors=8)
    return tune(positives, model=start, fixed=("factors",), progress=False, **options)


def timeless(table):
    return [{name: value for name, value in record.items() if name != "seconds"} for record in table]


def test_same_seed_same_table_and_more_budget_only_adds(positives):
    short, again, longer = (search(positives, trials=trials, seed=3) for trials in (4, 4, 7))
    assert timeless(short.table) == timeless(again.table)
    assert timeless(longer.table)[:4] == timeless(short.table)
    assert short.model.row_factors_.tobytes() == again.model.row_factors_.tobytes()


def test_best_is_the_best_of_the_table_and_the_model_has_it(positives):
    found = search(positives, trials=6)
    assert found.score == max(record["score"] for record in found.table) >= found.table[0]["score"]
    assert found.model.regularization == found.best["regularization"]
    assert found.model.factors == 8 and set(found.best) == set(SPACE)
    assert found.to_polars().height == 6
    assert found.model.recommend([0], k=3).ids.shape == (1, 3)


class Clock:
    """A clock that goes on by a second with every sweep, so that budgets do not depend on the machine."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def sweep(self, fit):
        def timed(settings, data, **options):
            told = settings.callback

            def after_sweep(record):
                self.now += 1.0
                return told is not None and told(record)

            return fit(replace(settings, callback=after_sweep), data, **options)

        return timed


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("tacit.estimators.recommend.tune.time", clock)
    monkeypatch.setattr(whole_data_fit, "fit", clock.sweep(whole_data_fit.fit))
    return clock


@pytest.mark.parametrize("seconds", [40, 90, 200])
def test_a_budget_of_seconds_is_kept_and_used(positives, clock, seconds):
    found = search(positives, seconds=seconds)
    assert 0.6 * seconds < clock.now <= seconds
    assert len(found.table) > 1
    assert found.model.recommend([0], k=3).ids.shape == (1, 3)


def test_a_search_that_tried_nothing_but_its_start_says_so_and_keeps_its_budget(positives, clock):
    with pytest.warns(BudgetWarning, match=r"nothing but its start, whose trial took .* of 7 seconds; give seconds="):
        found = search(positives, seconds=7)
    assert len(found.table) == 1
    assert clock.now <= 7


def test_one_trial_that_was_asked_for_needs_no_warning(positives):
    with warnings.catch_warnings():
        warnings.simplefilter("error", BudgetWarning)
        search(positives, trials=1)


@given(st.integers(2, 40), st.integers(2, 40), st.floats(0.02, 1.0), st.integers(0, 10), st.sampled_from([1, 16, 64]))
def test_the_ranges_contain_what_the_defaults_take(rows, cols, density, seed, factors):
    positives = (np.random.default_rng(seed).random((rows, cols)) < density).astype(np.float32)
    positives[0, 0] = 1.0
    positives = sp.csr_array(positives)
    low, high = SPACE["regularization"]
    assert low <= default_ridge(positives, factors) < high
    low, high = SPACE["unlabelled_share"]
    assert low <= unlabelled_total(positives) < high
    frequency, ridge = default_exponents(positives)
    taken = zip(("row_exponent", "col_exponent", "ridge_exponent"), (*frequency, ridge))
    assert all(SPACE[name][0] <= value < SPACE[name][1] for name, value in taken)


def test_on_dense_data_the_search_starts_at_the_weight_of_the_defaults():
    dense = sp.csr_array((np.random.default_rng(0).random((40, 30)) < 0.5).astype(np.float32))
    found = search(dense, trials=1)
    assert found.table[0]["unlabelled_share"] == 1200 / dense.nnz


def test_sensitivity_is_what_the_trials_near_the_best_reached(positives):
    found = search(positives, trials=25)
    assert set(found.sensitivity) <= set(SPACE)
    by_ridge = found.sensitivity["regularization"]
    scores = [trial["score"] for trial in found.table]
    assert by_ridge.scores[1] == found.score and min(scores) <= by_ridge.scores[0] <= found.score
    assert by_ridge.trials == len(by_ridge.values) > 1
    assert found.best["regularization"] == by_ridge.values[-1]
    assert "factors" not in found.sensitivity


def test_sensitivity_leaves_out_trials_that_differ_in_more_than_one_parameter():
    trials = [
        {"ridge": 0.5, "share": 0.5, "loss": "square", "score": 0.40},
        {"ridge": 0.9, "share": 0.6, "loss": "square", "score": 0.30},
        {"ridge": 0.1, "share": 0.9, "loss": "square", "score": 0.10},
        {"ridge": 0.6, "share": 0.5, "loss": "logistic", "score": 0.20},
    ]
    best = {name: trials[0][name] for name in ("ridge", "share", "loss")}
    found = sensitivity(trials, best, lambda name, value: None if name == "loss" else value)
    assert found["ridge"].scores == (0.30, 0.40) and found["ridge"].values == (0.9, 0.5)
    assert found["loss"].values == ("logistic", "square") and found["loss"].scores == (0.20, 0.40)
    assert "share" not in found
    assert str(found["ridge"]) == "2 trials at 0.5, 0.9: 0.3000 to 0.4000 (-25.0%)"


def test_trials_start_warm_from_columns_only(positives):
    found = search(positives, trials=5)
    assert [record["warm"] for record in found.table][:2] == [False, True]


def test_choices_are_probed_first_and_alone(positives):
    found = tune(positives, trials=3, model=FactorRecommender(factors=32), progress=False)
    assert [record["factors"] for record in found.table][:2] == [32, 64]
    assert found.table[2]["loss"] == "logistic"


def test_side_features_take_part(positives):
    data = Interactions.from_matrix(positives).with_sides(row_features=sp.eye_array(150, 3))
    found = search(data, trials=2)
    assert found.model.row_feature_factors_.shape == (3, 8)


def test_a_budget_is_needed(positives):
    with pytest.raises(InputError, match="needs a budget"):
        tune(positives)
    with pytest.raises(InputError, match="fixed must be one of"):
        tune(positives, trials=1, fixed=("colour",))


def test_the_smaller_part_has_a_ridge_larger_by_its_noise(positives, monkeypatch):
    ridges = []
    fit = whole_data_fit.fit

    def spy(model, data, **options):
        ridges.append((model.held_out, model.regularization))
        return fit(model, data, **options)

    monkeypatch.setattr(whole_data_fit, "fit", spy)
    found = search(positives, trials=1, held_out=0.36)
    np.testing.assert_allclose(ridges, [(0.36, default_ridge(positives, 8) / 0.8), (0.0, found.best["regularization"])])


def test_a_warm_start_is_judged_after_it_has_left_the_columns_of_another_setting(positives):
    found = search(positives, trials=6)
    assert all(record["sweeps"] > MIXED for record in found.table if record["warm"])
    assert any(record["warm"] for record in found.table)


def test_sweeps_that_are_not_settled_are_never_the_best_and_try_nobodys_patience(positives, monkeypatch):
    scores = iter([0.9, 0.8, 0.1, 0.3, 0.2, 0.1])
    monkeypatch.setattr(held_out, "evaluate_factors", lambda *_, **__: {"ndcg@10": next(scores)})
    watcher = held_out.HeldOut(Interactions.from_matrix(positives), 0.1, patience=2, seed=0, threads=1, unsettled=2)
    ended = []
    for sweep in range(6):
        watcher.watch(np.ones(1), np.ones(1), {"rows": np.array([sweep])})
        ended.append(watcher.exhausted)
    assert (watcher.best, watcher.best_sweep, watcher.kept["rows"][0]) == (0.3, 4, 3)
    assert ended == [False] * 5 + [True]


def test_an_interrupt_before_a_trial_is_judged_keeps_the_trials_before_it(positives, monkeypatch):
    fit = whole_data_fit.fit

    def interrupted(model, data, *, unsettled=0, **options):
        fitted = fit(model, data, unsettled=unsettled, **options)
        return replace(fitted, history=fitted.history[:2]) if unsettled else fitted

    monkeypatch.setattr(whole_data_fit, "fit", interrupted)
    found = search(positives, trials=5)
    assert len(found.table) == 1
    assert found.model.recommend([0], k=3).ids.shape == (1, 3)


def test_a_model_that_stops_by_its_tolerance_is_searched_as_any_other(positives):
    start = FactorRecommender(factors=8, tolerance=0.5)
    found = tune(positives, model=start, fixed=("factors",), trials=3, progress=False)
    assert len(found.table) == 3
    assert found.model.tolerance == 0.5
