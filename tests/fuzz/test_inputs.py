"""Generated inputs to every public call: what was once found stays refused, and a short run finds nothing new."""

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import tacit
from tacit.errors import InputError
from tests.fuzz.driver import campaign

TABLE = {"u": [1, 2], "i": [1, 2]}
X, Y = np.eye(6), np.eye(6)
DATED = pd.DataFrame({"n": [1, 2], "d": pd.to_datetime(["2024-01-01", "2024-01-02"])})


def recommender():
    return tacit.FactorRecommender(2, iterations=1).fit(np.eye(6))


def broken_matrix():
    """SciPy ends the process when the rows of this are listed."""
    made = sp.csc_array(np.eye(3))
    made.indices[0] = 10**9
    return made


def falling_matrix():
    """From 2 to −2³¹ is a step up where 32 bits overflow."""
    made = sp.csc_array(np.ones((5, 2)))
    made.indptr[:] = [0, 2, -(2**31)]
    return made


FINDINGS = {
    "ids that are lists": lambda: tacit.data.Ids([[1], [2]]),
    "users that are one number": lambda: tacit.RatingStream(2).fit(1.5, [1], [1]),
    "a rating that is a list": lambda: tacit.RatingStream(2).learn_one(1, 2, [3]),
    "items that are a number": lambda: tacit.RatingStream(2).fit([1], [1], [1]).rank(1, 2.5),
    "clip of one number": lambda: tacit.RatingStream(2, clip=3).fit([1], [1], [1]),
    "experts that are a number": lambda: tacit.ExpertRatingStream(experts=3).fit([1], [1], [1]),
    "a bandwidth that is a date": lambda: tacit.FactorTagger(bandwidth=pd.Timestamp(0), landmarks=2).fit(X, Y),
    "top_k that is text": lambda: tacit.FactorTagger(top_k="many").fit(X, Y),
    "partitions of text": lambda: tacit.NeighbourTagger(partitions="two").fit(X, Y),
    "labels that are a number": lambda: tacit.FactorTagger().fit(X, 3.5),
    "members that are a number": lambda: tacit.BlendRecommender(members=3).fit(np.eye(4)),
    "a non-negative that is a word": lambda: tacit.FactorRecommender(2, nonnegative="x").fit(np.eye(4)),
    "factors beyond all indices": lambda: tacit.FactorRecommender(2**70).fit(np.eye(4)),
    "grades from text features": lambda: tacit.OrdinalRanker().fit([["a"], ["b"]], [0, 1]),
    "priors that are a type": lambda: tacit.OrdinalRanker("linear", class_priors=object).fit(X, [0, 1, 0, 1, 0, 1]),
    "a decimal sign that is a table": lambda: tacit.Interactions.from_table(
        TABLE, row="u", col="i", decimal=pd.DataFrame(TABLE)
    ),
    "missing that is a list": lambda: tacit.Interactions.from_table(TABLE, row="u", col="i", missing=["drop"]),
    "pandas' NA among objects": lambda: tacit.Interactions.from_table(
        pl.DataFrame({"u": pl.Series([pd.NA, (1,)], dtype=pl.Object), "i": [1, 2]}), row="u", col="i"
    ),
    "a Decimal that is no number": lambda: tacit.Interactions.from_table(
        {"u": [Decimal("NaN"), Decimal(1)], "i": [1, 2]}, row="u", col="i"
    ),
    "texts that are one number": lambda: tacit.TextTagger().fit(1.5, Y),
    "phrases of text": lambda: tacit.TextTagger(phrases="two").fit(["red ball", "blue sea"], [["r"], ["b"]]),
    "words in many texts, as a date": lambda: tacit.TextTagger(min_count=pd.Timestamp(0)).fit(["red"], [["r"]]),
    "members that hold one name": lambda: tacit.BlendTagger().set_params(members=["near"]).fit(X, Y),
    "weights that are a number": lambda: tacit.BlendTagger(weights=2).fit(X, Y),
    "a tolerance that is a Decimal": lambda: tacit.FactorTagger(tolerance=Decimal(1)).fit(X, Y),
    "a power beyond all cosines": lambda: tacit.NeighbourTagger(vote_power=2**70).fit(X, Y),
    "pandas' NA for a flag": lambda: tacit.FactorRecommender(2, biases=pd.NA).fit(np.eye(4)),
    "a loss that is a list": lambda: tacit.FactorRecommender(2, loss=[]).fit(np.eye(4)),
    "experts that are numbers": lambda: tacit.ExpertRatingStream(experts=[3]).fit([1], [1], [1]),
    "a window of 2**40 words": lambda: tacit.WordVectors(2, window=2**40).fit(["a b c"] * 9),
    "a smoothing in bytes": lambda: tacit.WordVectors(2, context_smoothing=b"x").fit(["a b c"] * 9),
    "counts of a new word in a list": lambda: tacit.WordVectors(2, progress=False).fit(["a b"] * 9).fold_in({"c": [1]}),
    "a bandwidth near nothing": lambda: tacit.FactorTagger(bandwidth=1e-300, landmarks=2).fit(X, Y),
    "grades that cannot be compared": lambda: tacit.OrdinalRanker(classes=[1, 2]).fit(X, [{}, 1.5, {}, 1.5, {}, 1]),
    "times beyond 64 bits": lambda: tacit.Interactions.from_table(
        {**TABLE, "t": [2**70, 1]}, row="u", col="i", time="t"
    ),
    "lines that are a broken matrix": lambda: (
        tacit.WordVectors(2, progress=False).fit(["a b"] * 9).analogies(broken_matrix())
    ),
    "words that are a broken matrix": lambda: (
        tacit.WordVectors(2, progress=False).fit(["a b"] * 9).most_similar(broken_matrix())
    ),
    "text that is a broken matrix": lambda: tacit.WordVectors(2).fit(broken_matrix()),
    "an indptr whose differences overflow": lambda: tacit.Interactions.from_matrix(falling_matrix()),
    "a list of 2**40 labels": lambda: tacit.FactorTagger(2).fit(X, Y).predict_topk(X, 2**40),
    "labels that are lists": lambda: tacit.FactorTagger(2).fit(X, [[[1]]] * 6),
    "grades of text beside a table": lambda: tacit.OrdinalRanker().fit(X, np.array(["a", {}] * 3, dtype=object)),
    "a table of numbers and dates for ids": lambda: tacit.Interactions.from_matrix(np.eye(2), row_ids=DATED),
    "a table of numbers and dates for a row": lambda: recommender().recommend(DATED),
    "dates beside nullable numbers": lambda: tacit.OrdinalRanker("linear").fit(
        DATED.assign(n=pd.array([1, None], dtype="Int64")), [0, 1]
    ),
    "weights of rows that are dates": lambda: tacit.OrdinalRanker("linear").fit(
        X, [0, 1, 0, 1, 0, 1], sample_weight=DATED.assign(n=pd.array([1, None], dtype="Int64"))
    ),
    "two columns of one name": lambda: tacit.OrdinalRanker("linear").fit(
        pd.DataFrame(np.eye(2), columns=["a", "a"]), [0, 1]
    ),
    "a weight that is two columns": lambda: tacit.Interactions.from_table(
        pd.DataFrame([[1, 2, 3, 4]], columns=["u", "i", "n", "n"]), row="u", col="i", weight="n"
    ),
    "a table that is one column": lambda: tacit.Interactions.from_table(pd.Series([1, 2]), row="u", col="i"),
    "missing that is a table": lambda: tacit.Interactions.from_table(TABLE, row="u", col="i", missing=DATED),
    "the name of a column that is a table": lambda: tacit.Interactions.from_table(TABLE, row=DATED, col="i"),
    "exclude_seen that is a table": lambda: recommender().recommend(0, exclude_seen=DATED),
    "contexts that are a matrix": lambda: recommender().recommend(0, context=sp.dok_array(np.eye(2))),
    "unknown that is an array": lambda: recommender().similar_cols(0, unknown=np.eye(2)),
    "add that is an array": lambda: recommender().fold_in(np.eye(6), add=np.eye(2)),
    "replace that is missing": lambda: recommender().fold_in(np.eye(6), add=True, replace=pd.NA),
    "scores that are a table": lambda: tacit.FactorTagger(2).fit(X, Y).predict_topk(X, return_scores=DATED),
    "so many neighbours, as a table": lambda: tacit.NeighbourTagger(factors=2).fit(X, Y).kneighbors(X, {}),
    "folds that are a table": lambda: tacit.FactorTagger(2).missing_labels(X, Y, folds=DATED),
    "rejections that are numbers": lambda: tacit.FactorTagger(2).missing_labels(X, Y, rejected=[1, 2]),
    "classes that are columns": lambda: tacit.OrdinalRanker(classes=[pl.Series([1]), pl.Series([2])]).fit(X, Y[0]),
    "grades that are records": lambda: tacit.OrdinalRanker().fit(X, np.rec.array([(1, 2.0)] * 6)),
    "case that is an array": lambda: tacit.WordVectors(2, progress=False).fit(["a b"] * 9).analogies(["a b a b"], X),
    "a least count that is a table": lambda: tacit.WordVectors(2, progress=False).fit(["a b"] * 9).fold_in(["a c"], {}),
    "2**31 - 1 labels": lambda: tacit.FactorTagger(2).fit(X, Y).predict_topk(X, 2**31 - 1),
    "2**31 - 1 neighbours": lambda: tacit.NeighbourTagger(factors=2).fit(X, Y).kneighbors(X, 2**31 - 1),
    "2**31 - 1 columns": lambda: recommender().recommend(0, k=2**31 - 1),
    "2**31 - 1 columns by scores": lambda: tacit.LinearRecommender().fit(np.ones((6, 4))).recommend(0, k=2**31 - 1),
    "2**31 - 1 similar rows": lambda: recommender().similar_rows(0, k=2**31 - 1),
    "2**31 - 1 similar columns": lambda: tacit.LinearRecommender().fit(np.ones((6, 4))).similar_cols(0, k=2**31 - 1),
    "2**31 - 1 items": lambda: tacit.RatingStream(2).fit([1], [1], [1]).recommend(1, k=2**31 - 1),
    "2**31 - 1 items of a topic": lambda: tacit.RatingStream(2).fit([1], [1], [1]).topics(k=2**31 - 1),
    "users that are a table": lambda: tacit.RatingStream(2).fit([1], [1], [1]).predict(pl.DataFrame(DATED), [1]),
    "2**31 - 1 factors of rows": lambda: tacit.FactorRecommender(2**31 - 1).fit(np.eye(6)),
    "2**31 - 1 factors of labels": lambda: tacit.FactorTagger(2**31 - 1).fit(X, Y),
    "2**31 - 1 factors of voters": lambda: tacit.NeighbourTagger(factors=2**31 - 1).fit(X, Y),
    "2**31 - 1 factors of words": lambda: tacit.WordVectors(2**31 - 1, progress=False).fit(["a b c"] * 9),
    "2**31 - 1 factors of a stream": lambda: tacit.RatingStream(2**31 - 1).fit([1], [1], [1]),
    "full matrices of 10,000 factors": lambda: tacit.RatingStream(10_000, adaptation="full").fit([1], [1], [1]),
    "a test of 2**70": lambda: tacit.Interactions.from_table(TABLE, row="u", col="i").split(test=2**70),
}


@pytest.mark.parametrize("finding", FINDINGS)
def test_what_was_found_is_refused_in_one_sentence(finding):
    with pytest.raises(InputError) as caught:
        FINDINGS[finding]()
    assert "\n" not in str(caught.value)


def test_a_blend_without_a_seed_looks_at_the_same_held_out_cells():
    """Every look drew a split of its own, of another length."""
    positives = sp.random_array((60, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    model = tacit.BlendRecommender(random_state=None, progress=False).fit(positives)
    assert model.recommend([0], k=3).ids.shape == (1, 3)


def test_ids_beyond_64_bits_work():
    made = tacit.Interactions.from_table({"u": [2**70, 5, 2**63 + 1], "i": [1, 2, 1]}, row="u", col="i")
    model = tacit.FactorRecommender(2, iterations=2).fit(made)
    assert model.recommend(2**70, k=1).ids.shape == (1, 1)
    assert model.recommend([2**63 + 1, 5], k=1).ids.shape == (2, 1)


def test_no_more_labels_are_guessed_than_there_are():
    """Memory was taken for all that were asked for."""
    known = tacit.NeighbourTagger(factors=2, n_imputed=6).fit(X, Y).decision_function(X)
    assert np.array_equal(known, tacit.NeighbourTagger(factors=2, n_imputed=2**31 - 1).fit(X, Y).decision_function(X))


def test_a_list_of_words_is_no_longer_than_the_words():
    model = tacit.WordVectors(2, progress=False).fit(["a b c"] * 9)
    assert len(model.most_similar("a", k=2**31 - 1)) == 2


def test_spans_of_time_work_as_ids():
    """NumPy takes them for whole numbers, and Python cannot make any of them."""
    spans = np.array([1, 2], dtype="m8[s]")
    assert tacit.RatingStream(2).fit(spans, [1, 2], [3, 4]).predict(spans, [1, 2]).shape == (2,)


@pytest.mark.slow
def test_a_short_run_of_the_fuzzer_finds_nothing():
    """By number and not by time: the same cases on any machine."""
    cases = int(os.environ.get("TACIT_FUZZ_CASES", "150"))
    assert campaign("inputs", cases=cases, workers=1, seed=0) == (cases, [])
