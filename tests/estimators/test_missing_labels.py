import numpy as np
import polars as pl
import pytest

from tacit import NeighbourTagger
from tacit.errors import InputError
from tacit.estimators.tag.audit_report import MissingLabels, Suggestion, read_decisions
from tests.report.pages import checked


@pytest.fixture
def half_tagged(rng):
    """Rows of four topics with three labels each, of which a part was never given."""
    topic = rng.integers(4, size=100)
    X = rng.poisson(8 * rng.dirichlet(np.full(20, 0.1), size=4)[topic]).astype(float) + np.eye(4)[topic].repeat(
        5, axis=1
    )
    truth = np.eye(4)[topic].repeat(3, axis=1)
    return X, truth, truth * (rng.random(truth.shape) < 0.7)


@pytest.fixture
def tagger():
    return NeighbourTagger(factors=6, neighbours=9)


def test_suggestions_are_unlabelled_cells_that_are_true(half_tagged, tagger):
    X, truth, known = half_tagged
    found = tagger.missing_labels(X, known, n=40)
    assert len(found) == 40
    assert len(set(found.cells())) == 40
    assert all(known[cell] == 0 for cell in found.cells())
    assert np.mean([truth[cell] for cell in found.cells()]) > 0.95
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert not hasattr(tagger, "learners_")


def test_a_row_is_scored_by_models_that_never_saw_it(half_tagged, tagger):
    """A label that one row alone carries cannot be suggested for it, nor by it for itself."""
    X, _, known = half_tagged
    lonely = np.concatenate((known, np.zeros((100, 1))), axis=1)
    lonely[0, 12] = 1
    twin = np.concatenate((X, X[:1])), np.concatenate((lonely, np.zeros((1, 13))))
    with_twin = tagger.missing_labels(*twin, n=600, folds=101, per_row=13)
    assert (100, 12) in with_twin.cells()
    assert not any(row == 0 and label == 12 for row, label in tagger.missing_labels(X, lonely, n=600).cells())


def test_known_labels_speak_for_those_that_go_with_them(rng, tagger):
    """Features are noise: only the labels beside it can tell that a label is missing."""
    X, topic = rng.random((200, 8)), rng.integers(5, size=200)
    truth = np.eye(5)[topic].repeat(4, axis=1)
    known = truth * (rng.random(truth.shape) < 0.8)
    found = tagger.missing_labels(X, known, n=60)
    alone = tagger.missing_labels(X, known, n=60, companions=False)
    assert np.mean([truth[cell] for cell in found.cells()]) > 0.9
    assert np.mean([truth[cell] for cell in alone.cells()]) < 0.5
    for one in found:
        assert {int(label) for label in one.companions} <= set(np.flatnonzero(known[one.row]))
    assert sum(len(one.companions) > 0 for one in found) > 50
    assert not any(one.companions for one in alone)


def test_propensities_weigh_what_companions_say(half_tagged):
    X, _, known = half_tagged
    plain = NeighbourTagger(factors=6, neighbours=9).missing_labels(X, known, n=100)
    rare = NeighbourTagger(factors=6, neighbours=9, propensity_weighted=True).missing_labels(X, known, n=100)
    assert all(known[cell] == 0 for cell in rare.cells())
    assert min(one.score for one in rare) > 0
    assert max(one.score for one in rare) > max(one.score for one in plain)


def test_evidence_names_carriers_and_the_features_they_share(half_tagged, tagger):
    X, _, known = half_tagged
    names, words = [f"row {i}" for i in range(100)], [f"word {j}" for j in range(20)]
    texts = [f"text of {name}" for name in names]
    tags = [f"tag {j}" for j in range(12)]
    found = tagger.missing_labels(X, known, n=10, labels=tags, row_ids=names, feature_names=words, texts=texts)
    for one in found:
        row, label = names.index(one.row), tags.index(one.label)
        assert one.text == texts[row]
        assert set(one.carries) == {tags[j] for j in np.flatnonzero(known[row])}
        assert 1 <= len(one.nearest) <= 3
        for name, cosine, text in one.nearest:
            assert known[names.index(name), label] == 1
            assert text == f"text of {name}"
            assert -1 <= cosine <= 1.0001
        assert [c for _, c, _ in one.nearest] == sorted((c for _, c, _ in one.nearest), reverse=True)
        assert all(X[row, words.index(word)] > 0 for word in one.features)


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "html"])
def test_every_file_holds_every_suggestion(half_tagged, tagger, tmp_path, ending):
    X, _, known = half_tagged
    found = tagger.missing_labels(X, known, n=7, labels=[f"<tag> & {j}" for j in range(12)])
    path = tmp_path / f"audit.{ending}"
    found.write(path)
    if ending == "csv":
        assert pl.read_csv(path)["label"].to_list() == [one.label for one in found]
    elif ending == "parquet":
        assert pl.read_parquet(path)["row"].to_list() == [one.row for one in found]
    else:
        text = path.read_text(encoding="utf-8")
        assert text.count("<article") == (7 if ending == "html" else 0)
        assert ("<tag>" in text) == (ending == "json")
        assert "http" not in text
        if ending == "html":
            assert checked(text, scripts=1).count("+ <tag> & ") == 7


def test_accepted_lines_are_read_back(tmp_path):
    found = MissingLabels(tuple(Suggestion(f"r{i}", "a, b", 0.5, "", (), (), ()) for i in range(3)))
    found.to_polars().with_columns(accept=pl.Series(["yes", "no", "Accept"])).write_csv(tmp_path / "reviewed.csv")
    assert read_decisions(tmp_path / "reviewed.csv").accepted == [("r0", "a, b"), ("r2", "a, b")]
    (tmp_path / "other.csv").write_text("row,label\n1,2\n")
    found.to_polars().with_columns(accept=pl.Series(["yes", "no", "x"])).write_csv(tmp_path / "ticked.csv")
    with pytest.raises(InputError, match="says 'x' under accept, which is neither yes nor no"):
        read_decisions(tmp_path / "ticked.csv")
    with pytest.raises(InputError, match="lacks the column 'accept'"):
        read_decisions(tmp_path / "other.csv")


def test_bad_calls_are_named(half_tagged, tagger, tmp_path):
    X, _, known = half_tagged
    for options, words in (
        ({"folds": 1}, "folds must be between 2"),
        ({"n": 0}, "n must be a whole number of at least 1, not 0"),
        ({"per_row": 0}, "per_row must be a whole number of at least 1, not 0"),
        ({"row_ids": ["a"]}, "row_ids has 1 entries"),
        ({"texts": ["a"]}, "texts has 1 entries"),
    ):
        with pytest.raises(InputError, match=words):
            tagger.missing_labels(X, known, **options)
    with pytest.raises(InputError, match=r"use \.csv"):
        tagger.missing_labels(X, known, n=1).write(tmp_path / "audit.pdf")
