"""The search: seeded, within its budget, never worse than where it began."""

import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender, Interactions
from tacit.errors import InputError
from tacit.estimators.recommend import held_out, whole_data_fit
from tacit.estimators.recommend.tune import MIXED, SPACE, tune
from tacit.objective.default_ridge import default_ridge


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
    short, again, longer = (search(positives, trials=trials, random_state=3) for trials in (4, 4, 7))
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


def test_seconds_are_kept(positives):
    search(positives, trials=1)
    began = time.perf_counter()
    found = search(positives, seconds=1.0)
    assert time.perf_counter() - began < 3.0
    assert len(found.table) >= 1


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
