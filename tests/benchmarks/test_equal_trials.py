"""All methods of a paper's table are chosen among the same number of points."""

import numpy as np
import pytest

from benchmarks import results
from benchmarks.papers import engine_quality, grade_methods, label_formulations, stream, tag, tag_methods
from benchmarks.papers.engine_tasks import Search
from tacit.errors import DivergedError


class Untrained(Search):
    """A search that makes its trials without training."""

    def _train(self, point):
        return 0.0, 1


def trials(start, stages):
    search = Untrained(None, None)
    search.best(start, stages)
    return len(search.tried)


@pytest.mark.parametrize("pairs", [False, True])
def test_fbgd_beside_its_baselines(pairs):
    made = engine_quality.methods(quick=False, pairs=pairs)
    assert {trials(start, stages) for _, start, stages in made.values()} == {8}


def test_formulations_of_one_class_factorization():
    made = engine_quality.formulations(quick=False)
    assert {trials(start, stages) for _, start, stages in made.values()} == {9}
    assert {len(points) for _, points in label_formulations.METHODS.values()} == {4}


def test_streams():
    assert {len(one.grid) + len(one.last) for one in stream.methods(quick=False).values()} == {19}


def test_taggers():
    ours = {"KernelTagger", "label frequency"}  # one has little to choose, the other nothing
    assert {len(tag_methods.points(name)) for name in tag_methods.NAMES if name not in ours} == {4}
    ours = {"KernelTagger imputed", "KernelTagger and joint"}  # fewer trials than the others have
    assert {len(points) for name, (_, points, _) in tag.HIDDEN_METHODS.items() if name not in ours} == {6}


class Stopped(Exception):
    """A method has chosen, and is to go no further."""


@pytest.fixture
def draw(rng):
    X = rng.standard_normal((60, 3))
    return grade_methods.Draw.of(X, np.arange(60) % 5, 30, 20, 0)


def recorder(tried):
    """A model without learning that notes its parameters."""

    class Model:
        def __init__(self, *point):
            tried.append(point)

        def fit(self, X, y):
            return self

        def rank_score(self, X):
            return np.zeros(len(X))

        def split_scores(self, X):
            return np.zeros((len(X), 4))

        def predict(self, X):
            return np.zeros(len(X))

    return Model


def test_rivals_of_qs3orao(draw, monkeypatch):
    tried = []
    monkeypatch.setattr(grade_methods, "SVOREX", recorder(tried))
    grade_methods.svorex(draw)
    assert len(set(tried)) == 16
    tried = []
    grade_methods.kernel_rival(recorder(tried), (0.0, 0.5, 1.0))(draw)
    assert len({point for point in tried if point[2] == 0.5}) == 16


def test_qs3orao_itself(draw, monkeypatch):
    tried = []

    def diverging(rows, codes, width, strength, mix, seed):
        tried.append((width, strength))
        raise DivergedError("no step is taken here")

    def stopping(*_):
        raise Stopped

    monkeypatch.setattr(grade_methods, "fresh_frequencies", diverging)
    monkeypatch.setattr(grade_methods, "ExactFold", stopping)
    with pytest.raises(Stopped):
        grade_methods.as_printed(draw)
    assert len(set(tried)) == 16


def rows_with_trials(figures):
    """Numbers of trials of the rows of every table in a results file."""
    if "trials" in figures:
        return [figures["trials"]]
    return [count for one in figures.values() if isinstance(one, dict) for count in rows_with_trials(one)]


@pytest.mark.parametrize("table", ["table4", "table5", "table6", "ocmf"])
def test_measured_rows_had_the_same_number(table):
    assert len(set(rows_with_trials(results.read("engine-quality")["figures"][table]))) == 1


def test_no_measured_row_of_a_stream_is_of_an_earlier_search():
    for rows in results.read("stream")["figures"]["table_2"].values():
        assert all("measured" in row for row in rows)
