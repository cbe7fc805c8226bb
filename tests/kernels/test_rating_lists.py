"""The best items of a rating stream in one kernel, against sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import RatingStream
from tacit.kernels.rating_lists import best_of
from tests import naive


@given(st.lists(st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 3.0]), max_size=30), st.integers(1, 12))
def test_the_largest_come_first_and_ties_go_to_the_lower_place(values, k):
    order = np.empty(k, dtype=np.int64)
    size = best_of(np.array(values), order)
    assert order[:size].tolist() == naive.best_places(values, k)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # counters wrap round, which NumPy remarks on
@pytest.mark.parametrize("kind", [int, str])
def test_lists_are_those_of_sorted_predictions(kind):
    rng = np.random.default_rng(0)
    users, items = ([kind(number) for number in rng.integers(0, count, 400)] for count in (30, 25))
    model = RatingStream(4).partial_fit(users, items, rng.integers(1, 6, 400).astype(float))
    model.clip = None
    asked, known = [users[0], kind(99), users[5]], model.item_ids_.all().tolist()
    ranked = model.recommend(asked, 30, exclude=[items[0], kind(77)])
    for index, user in enumerate(asked):
        i = model.user_ids_.number(user)
        scores = model.stream_.answer(np.full(25, i if i >= 0 else len(model.user_ids_)), np.arange(25), in_range=False)
        scores[known.index(items[0])] = -np.inf
        best = naive.best_places(scores, 30)
        assert ranked.ids[index].tolist() == [known[place] for place in best] + [-1 if kind is int else None] * 6
        assert ranked.scores[index, : len(best)].tolist() == scores[best].tolist()
        assert ranked.filled[index].tolist() == [True] * len(best) + [False] * 6
        single = model.recommend([user], 30, exclude=[items[0]])
        assert single.ids[0].tolist() == ranked.ids[index].tolist()
