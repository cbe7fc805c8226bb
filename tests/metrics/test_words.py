"""Analogies and similarities against one question at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tacit.errors import InputError
from tacit.metrics import analogies, similarities
from tests import naive

WORDS = [f"w{number}" for number in range(30)]


@given(seed=st.integers(0, 2**16))
def test_answers_agree_with_one_question_at_a_time(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((30, 6))
    vectors[3] = 0
    given_words = rng.integers(0, 30, size=(20, 3))
    answers = [naive.analogy(vectors, *triple) for triple in given_words]
    # Every other question gets the word after the right one, so that both outcomes are in the count.
    stated = [(answer + place % 2) % 30 for place, answer in enumerate(answers)]
    lines = [": one", *(" ".join(WORDS[w] for w in (*triple, d)) for triple, d in zip(given_words, stated))]
    assert analogies(vectors, WORDS, lines).total.correct == 10


def test_sections_and_both_denominators(rng):
    vectors = rng.standard_normal((30, 4))

    def question(a, b, c):
        return f"w{a} w{b} w{c} w{naive.analogy(vectors, a, b, c)}"

    lines = [
        ": capitals", question(0, 1, 2), "", "w0 w1 w2 nowhere", "w0 nobody w2 w3",
        ": gram1-adjectives", question(4, 5, 6), question(7, 8, 9),
        ": empty",
    ]  # fmt: skip
    found = analogies(vectors, WORDS, lines)
    assert [(s.name, s.correct, s.known, s.asked) for s in found.sections] == [
        ("capitals", 1, 1, 3),
        ("gram1-adjectives", 2, 2, 2),
        ("empty", 0, 0, 0),
    ]
    assert found.semantic.accuracy == 1
    assert found.semantic.accuracy_of_all == pytest.approx(1 / 3)
    assert found.syntactic.asked == 2
    assert found.total.accuracy_of_all == pytest.approx(3 / 5)
    assert [row["section"] for row in found.to_rows()][-3:] == ["semantic", "syntactic", "total"]
    assert "60.0%" in str(found)


def test_case_counts_only_when_asked(rng):
    vectors = rng.standard_normal((4, 3))
    words = ["Athens", "greece", "Oslo", "norway"]
    line = ["athens Greece OSLO Norway"]
    assert analogies(vectors, words, line).total.known == 1
    assert analogies(vectors, words, line, lowercase=False).total.known == 0


def test_similarities_are_spearmans(rng, tmp_path):
    vectors = rng.standard_normal((30, 5))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = [(a, (a + step) % 30, float(rng.integers(0, 10))) for a in range(20) for step in (1, 7)]
    file = tmp_path / "pairs.tsv"
    lines = ["# a comment", *(f"W{a}\tw{b}\t{score}" for a, b, score in pairs), "w1\tunknown\t3"]
    file.write_text("\n".join(lines))
    found = similarities(vectors, WORDS, file)
    expected = spearmanr([unit[a] @ unit[b] for a, b, _ in pairs], [score for *_, score in pairs]).statistic
    assert found.correlation == pytest.approx(expected)
    assert (found.known, found.asked) == (40, 41)


def test_nothing_to_compare_gives_nan_without_a_warning():
    assert np.isnan(similarities(np.eye(2), ["a", "b"], ["a b 1"]).correlation)
    assert np.isnan(similarities(np.eye(2), ["a", "b"], []).correlation)
    assert np.isnan(analogies(np.eye(2), ["a", "b"], []).total.accuracy)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: analogies(np.eye(2), ["a"], []), "2 rows for 1 words"),
        (lambda: analogies(np.eye(2), ["a", "b"], [": x", "a b a"]), "line 2 must hold four words"),
        (lambda: similarities(np.eye(2), ["a", "b"], ["a b high"]), "line 1 must hold two words and a number"),
        (lambda: analogies(np.eye(2), ["a", "b"], "/nowhere/questions"), "there is no file"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
