"""Progressive validation against a plain loop."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit.baselines
import tacit.data
import tacit.metrics
from tacit import RatingStream
from tacit.errors import InputError
from tacit.metrics.stream_validation import progressive

# Hashes and random numbers wrap around on purpose; without the JIT NumPy remarks on it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def stream(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, n), rng.integers(0, 9, n), rng.integers(1, 6, n).astype(float)


def test_errors_and_curves_equal_a_plain_loop():
    users, items, ratings = stream()
    model, errors = RatingStream(3), []
    for user, item, rating in zip(users.tolist(), items.tolist(), ratings):
        errors.append(rating - model.predict_one(user, item))
        model.learn_one(user, item, rating)
    errors = np.array(errors)
    reports = list(progressive(RatingStream(3), users, items, ratings, every=50))
    assert [at.ratings for at in reports] == [50, 100, 120]
    for at, start in zip(reports, (0, 50, 100)):
        assert at.mae == pytest.approx(np.abs(errors[: at.ratings]).mean())
        assert at.rmse == pytest.approx(np.sqrt((errors[: at.ratings] ** 2).mean()))
        assert at.recent_mae == pytest.approx(np.abs(errors[start : at.ratings]).mean())
        assert at.ranked == 0


def test_ranking_equals_a_plain_loop_and_does_not_change_learning():
    users, items, ratings = stream()
    model, seen, ranks, relevant = RatingStream(3), {}, [], 0
    for user, item, rating in zip(users.tolist(), items.tolist(), ratings):
        if rating >= 4:
            relevant += 1
            if relevant % 2 == 0:
                fresh = [j for j in model.item_ids_.all().tolist() if j not in seen.get(user, ())]
                order = sorted(fresh, key=lambda j, u=user: -model.predict_one(u, j))[:3]
                ranks.append(order.index(item) + 1 if item in order else np.inf)
        model.learn_one(user, item, rating)
        seen.setdefault(user, set()).add(item)
    ranks = np.array(ranks)
    table = pl.DataFrame({"user": users, "item": items, "rating": ratings})
    *_, last = progressive(RatingStream(3), table, every=7, relevant=4, k=3, rank_every=2)
    assert last.ranked == len(ranks)
    assert last.hit_rate == pytest.approx(np.isfinite(ranks).mean())
    assert last.ndcg == pytest.approx((1 / np.log2(ranks + 1)).mean())
    assert last.reciprocal_rank == pytest.approx((1 / ranks).mean())
    *_, plain = progressive(RatingStream(3), table)
    assert plain.mae == pytest.approx(last.mae)


def test_wrong_intervals_are_refused():
    with pytest.raises(InputError, match="every"):
        next(progressive(RatingStream(3), *stream(), every=0))


def test_no_lazy_name_is_hidden_by_a_module_of_the_same_name():
    """Once ``tacit.metrics.x`` is imported as a module, the package's ``x`` is that module."""
    for package in (tacit.metrics, tacit.data, tacit.baselines):
        modules = {path.stem for folder in package.__path__ for path in Path(folder).iterdir()}
        assert not modules & set(getattr(package, "_HOMES", ()))
