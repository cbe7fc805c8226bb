"""Streams that meet what they should not: mistyped ratings, jumps of all of them, numbers that overflow."""

import numpy as np
import pytest

from tacit import ExpertRatingStream, RatingStream
from tacit.errors import DivergedError, InputError
from tests.estimators.test_rating_stream import BOTH, stream


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
def test_a_mistyped_rating_does_not_destroy_a_stream(make):
    users, items, ratings = stream(4000)
    clean, spoiled = make().partial_fit(users, items, ratings), make().partial_fit(users, items, ratings)
    spoiled.learn_one(3, 3, 5e8)
    cells = np.repeat(np.arange(25), 15), np.tile(np.arange(15), 25)
    others = (cells[0] != 3) & (cells[1] != 3)
    assert np.abs(clean.predict(*cells) - spoiled.predict(*cells))[others].max() < 0.02
    assert np.abs(clean.predict(*cells) - spoiled.predict(*cells)).max() < 1.0


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
@pytest.mark.parametrize("at", [0, 1, 9])
def test_a_mistyped_rating_at_the_beginning_is_soon_made_up_for(make, at):
    users, items, ratings = stream(500)
    spoiled = ratings.copy()
    spoiled[at] = 400.0
    clean, found = make().predict_then_learn(users, items, ratings), make().predict_then_learn(users, items, spoiled)
    rest = slice(20, None)
    assert np.abs(found - ratings)[rest].mean() < np.abs(clean - ratings)[rest].mean() + 0.1


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
@pytest.mark.parametrize("jump", [3.0, -60.0])
def test_a_jump_of_the_mean_is_followed(make, jump):
    users, items, ratings = stream(2000)
    jumped = ratings + jump * (np.arange(2000) >= 1000)
    clean, found = make().predict_then_learn(users, items, ratings), make().predict_then_learn(users, items, jumped)
    soon = slice(1100, None)
    assert np.abs(found - jumped)[soon].mean() < np.abs(clean - ratings)[soon].mean() + 0.15


@pytest.mark.parametrize(("aim", "bound"), [("mean", 0.5), ("median", 1.9 * 0.5)])
def test_ratings_of_one_user_in_a_row_are_no_jump(aim, bound):
    """A shift to the median stretches the distance of two predictions by up to 0.9 of it."""
    users, items, ratings = stream(1000)
    model = RatingStream(aim=aim).partial_fit(users, items, ratings)
    before = model.predict(users, items)
    model.partial_fit(["grim"] * 15, np.arange(15), np.full(15, -20.0))
    assert np.abs(model.predict(users, items) - before).max() < bound


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
def test_some_far_ratings_of_two_users_in_turn_are_no_jump(make):
    """Where nearly all ratings are the same, any other lies many deviations away: a few of them prove nothing."""
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 60, 1000), rng.integers(0, 30, 1000)
    model = make().partial_fit(users, items, np.where(rng.random(1000) < 0.04, 3.0, 5.0))
    before = model.predict(users, items)
    model.partial_fit([100, 101] * 6, np.arange(12), [1.0] * 12)
    assert np.abs(model.predict(users, items) - before).mean() < 0.1


@BOTH
def test_a_rating_that_cannot_be_used_is_named_and_the_call_learns_nothing(make, tmp_path):
    model = make().partial_fit(*stream(200))
    model.save(tmp_path / "before")
    for bad in (1e39, -1e300, float("inf")):
        with pytest.raises(InputError, match="number 1 is"):
            model.partial_fit(["new", "newer"], ["one", "two"], [3.0, bad])
    model.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


def test_an_overflow_undoes_the_whole_call(tmp_path):
    """A vector of almost nothing makes an unbounded step overflow; the ids of the same call are forgotten too."""
    model = RatingStream.paper(2, variant="PA", adaptation=None).partial_fit(*stream(200))
    model.stream_.factors_of(model.stream_.items[3:4], 0)[:] = 1e-21
    model.save(tmp_path / "before")
    item = model.item_ids_.all()[3]
    with pytest.raises(DivergedError, match=r"number 2 of this call.*nothing of this call was learned"):
        model.partial_fit([7, "new", 7], ["other", 4, item], [3.0, 4.0, 5.0])
    model.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert model.user_ids_.number("new") == -1


def test_an_overflow_undoes_what_was_left_out_as_mistyped(tmp_path):
    """The correction reaches rows that the call itself does not name."""
    model = RatingStream(2, variant="PA", adaptation=None).partial_fit([0, 1, 2], [0, 1, 2], [4.0, 400.0, 3.0])
    model.save(tmp_path / "before")
    ratings = [3.0, 4.0, 5.0, 4.0, 3.0, 4.0, 2.0, 4.0]
    users, items = np.arange(10, 18), np.arange(10, 18)
    rounds = model.stream_._rounds
    # As if the last rating had made something overflow.
    model.stream_._rounds = lambda *given: rounds(*given) - 1
    with pytest.raises(DivergedError, match="nothing of this call was learned"):
        model.partial_fit(users, items, ratings)
    model.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
