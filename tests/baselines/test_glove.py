"""GloVe: the step is Adagrad on the gradient of its loss; the loss falls; threads change nothing."""

import numpy as np
import pytest

from tacit.baselines.glove import GloVe
from tacit.errors import InputError
from tacit.kernels.glove import glove_pass
from tests import naive
from tests.estimators.test_word_vectors import TOPICS, sentences


def test_one_step_follows_the_gradient(rng):
    """Finite differences of the oracle's loss, divided by the root of the squares so far."""
    counts = np.array([[0.0, 7.0], [0.0, 0.0]])
    words, contexts = rng.normal(size=(2, 2, 4))
    word_squares, context_squares = rng.uniform(1, 2, size=(2, 2, 4))
    before = [words.copy(), contexts.copy(), word_squares.copy(), context_squares.copy()]
    cell = (np.array([0], np.int32), np.array([1], np.int32), np.log([7.0]), np.array([0.07**0.75]))
    value = glove_pass(0, 1, *cell, words, contexts, word_squares, context_squares, 0.1)
    assert value == pytest.approx(naive.glove_value(before[0], before[1], counts))
    for place, (new, old, new_squares, old_squares) in enumerate(
        ((words, before[0], word_squares, before[2]), (contexts, before[1], context_squares, before[3]))
    ):
        gradient = np.zeros_like(old)
        for index in np.ndindex(old.shape):
            moved = [[part.copy() for part in before[:2]] for _ in range(2)]
            moved[0][place][index] += 1e-6
            moved[1][place][index] -= 1e-6
            # GloVe's step leaves out the factor 2 of the square.
            gradient[index] = (naive.glove_value(*moved[0], counts) - naive.glove_value(*moved[1], counts)) / 4e-6
        np.testing.assert_allclose(new, old - 0.1 * gradient / np.sqrt(old_squares), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(new_squares, old_squares + (0.1 * gradient) ** 2, rtol=1e-5, atol=1e-8)


def test_it_learns_and_threads_change_nothing():
    one, many = (
        GloVe(factors=6, window=4, iterations=30, threads=threads, progress=False).fit(sentences())
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(one.vectors, many.vectors)
    values = [record["objective"] for record in one.history_]
    assert values[-1] < 0.2 * values[0]
    assert one.doesnt_match(["bread", "soup", "iron"]) == "iron"
    assert set(TOPICS["metal"]) <= set(one.words)


def test_no_pairs_are_refused():
    with pytest.raises(InputError, match="no two words"):
        GloVe(min_count=1).fit([["a"], ["b"]])
