"""The tables of model files: complete for every estimator, and held to on both ways."""

import inspect
import json
from importlib import import_module

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit.data.ids import Ids as IdList
from tacit.errors import InputError, ModelFileError
from tacit.estimators import model as models
from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import MOST_UNBACKED, Array, Borders, Csr, Ids
from tacit.estimators.values import (
    RUNTIME,
    Either,
    Flag,
    History,
    Many,
    Named,
    Number,
    Plain,
    Record,
    Text,
    Whole,
    Word,
)


@pytest.mark.parametrize("name", models.ESTIMATORS)
def test_every_estimator_declares_all_its_parameters_and_none_of_a_run(name):
    kind = getattr(import_module(models.ESTIMATORS[name]), name)
    stored = set(inspect.signature(kind.__init__).parameters) - {"self"}
    assert set(kind._schema.parameters) == stored - kind._runtime
    assert kind._runtime >= RUNTIME
    defaults = {name: value for name, value in kind().get_params(deep=False).items() if name not in kind._runtime}
    # What a JSON file gives back, lists for tuples, must read as the defaults.
    read = kind._schema.read_parameters(json.loads(json.dumps(defaults)), kind._runtime)
    assert read == defaults


class Example:
    """As little of an estimator as a table needs."""

    factors = 2

    def get_params(self, deep=False):
        return {"factors": self.factors}


SCHEMA = Schema(
    Ids("row_ids", "rows"),
    Ids("col_ids", "cols"),
    Array("factors", "f4", ("rows", "factors")),
    Csr("seen", "rows", "cols", least=0.0),
    Array("chosen", "i8", ("chosen",), below="rows"),
    Borders("starts", "groups", "chosen"),
    Array("extra", "f8", ("cols",), optional=True),
    parameters={"factors": Whole(1, size="factors")},
    facts={"history": History()},
    may_be_zero=("groups",),
)


def packed():
    parts = {
        "row_ids": IdList(["a", "b", "c"]),
        "col_ids": IdList.range(4),
        "factors": np.ones((3, 2)),
        "seen": sp.csr_array(np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0]], dtype=np.float32)),
        "chosen": np.array([2, 0]),
        "starts": np.array([0, 1, 2]),
    }
    return SCHEMA.pack(Example(), {"history": []}, parts)


def test_what_was_packed_opens_to_the_same():
    facts, arrays = packed()
    read, parts = SCHEMA.open(Example(), facts, arrays)
    assert read == {"history": []}
    assert parts["row_ids"].all().tolist() == ["a", "b", "c"]
    assert parts["seen"].toarray().tolist() == [[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0]]
    assert (parts["seen"].indptr.dtype, parts["seen"].indices.dtype) == (np.int64, np.int32)
    assert parts["factors"].dtype == np.float32
    assert parts["extra"] is None


def replaced(name, change):
    def forge(arrays):
        arrays[name] = change(np.array(arrays[name]))

    return forge


def at(place, value):
    def change(array):
        array[place] = value
        return array

    return change


FORGERIES = {
    "missing": (lambda a: a.pop("factors"), "'factors' is missing"),
    "unknown": (lambda a: a.update(more=np.zeros(1)), "unknown array 'more'"),
    "another type": (replaced("factors", lambda x: x.astype("f8")), "must be f4"),
    "another rank": (replaced("factors", lambda x: x[0]), "with 2 dimensions"),
    "another length": (replaced("factors", lambda x: x[:2]), "2 rows, but the model has 3"),
    "another width": (replaced("factors", lambda x: x[:, :1]), "1 factors, but the model has 2"),
    "NaN": (replaced("factors", at((1, 1), np.nan)), "not finite"),
    "infinity": (replaced("factors", at((1, 1), -np.inf)), "not finite"),
    "huge": (replaced("factors", at((1, 1), 1e30)), "outside"),
    "an index too large": (replaced("chosen", at(0, 3)), "outside 0 to 2"),
    "an index too small": (replaced("chosen", at(0, -1)), "outside 0 to 2"),
    "borders that fall": (replaced("starts", at(1, 3)), "without falling"),
    "borders that end late": (replaced("starts", at(2, 3)), "without falling"),
    "borders that begin late": (replaced("starts", at(0, 1)), "without falling"),
    "no borders": (replaced("starts", lambda x: x[:0]), "list of int64"),
    "a border that overflows": (replaced("seen.indptr", at(-1, -(2**63))), "without falling"),
    "a row that ends after the cells": (replaced("seen.indptr", at(-1, 4)), "without falling"),
    "a column outside": (replaced("seen.indices", at(0, 4)), "outside 0 to 3"),
    "a negative column": (replaced("seen.indices", at(0, -1)), "outside 0 to 3"),
    "columns out of order": (replaced("seen.indices", lambda x: x[[1, 0, 2]]), "do not ascend"),
    "a column twice": (replaced("seen.indices", at(1, 1)), "do not ascend"),
    "a negative cell": (replaced("seen.data", at(0, -1.0)), "outside"),
    "a cell that is NaN": (replaced("seen.data", at(0, np.nan)), "not finite"),
    "more cells than columns": (replaced("seen.data", lambda x: x[:2]), "2 cells, but the model has 3"),
    "ids twice": (replaced("row_ids.text", at(1, ord("a"))), "distinct"),
    "a range that is too short": (replaced("col_ids.range", at(0, 3)), "outside 0 to 2"),
    "ids of no kind": (lambda a: [a.pop("row_ids.text"), a.pop("row_ids.offsets")], "damaged"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_does_not_fit_is_refused(forgery):
    facts, arrays = packed()
    change, sentence = FORGERIES[forgery]
    change(arrays)
    with pytest.raises((ModelFileError, InputError), match=sentence):
        SCHEMA.open(Example(), facts, arrays)


def test_a_size_that_no_byte_stands_for_is_refused():
    table = Schema(Ids("ids", "ids"), Array("wide", "f4", ("ids", "width")), parameters={}, may_be_zero=("width",))
    arrays = {"ids.range": np.array([MOST_UNBACKED + 1]), "wide": np.zeros((MOST_UNBACKED + 1, 0), np.float32)}
    with pytest.raises(ModelFileError, match="holds nothing for them"):
        table.open(Example(), {}, arrays)
    small = {"ids.range": np.array([9]), "wide": np.zeros((9, 0), np.float32)}
    assert len(table.open(Example(), {}, small)[1]["ids"]) == 9


def test_facts_and_parameters_are_held_to_the_table():
    arrays = packed()[1]
    for wrong, sentence in (
        ({}, "'history' is missing"),
        ({"history": [], "more": 1}, "unknown fact 'more'"),
        ({"history": [{"loss": float("nan")}]}, "history"),
        (None, "not a table"),
    ):
        with pytest.raises(InputError, match=sentence):
            SCHEMA.open(Example(), wrong, dict(arrays))
    for wrong, sentence in (
        ({"threads": 64}, "threads, which belongs to a run"),
        ({"factors": 0}, "at least 1"),
        ({"factor": 2}, "unknown parameter"),
        ([], "not a table"),
    ):
        with pytest.raises(InputError, match=sentence):
            SCHEMA.read_parameters(wrong, RUNTIME)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Whole(1, most=5), [1, 5], [0, 6, 1.0, True, "1", None, 10**400]),
        (Number(0.0, most=1.0), [0, 0.5, 1], [-1e-9, 1.5, float("nan"), float("inf"), "0", True, 10**400]),
        (Number(above=0.0), [1e-9], [0, 1e31]),
        (Word("a", "b"), ["a"], ["c", 1, None, ["a"]]),
        (Flag(), [True], [1, 0, None, "yes"]),
        (Text(), ["", "x"], [1, None]),
        (
            Plain(),
            [None, [1, {"a": "b"}], -1],
            [float("inf"), {1: 2}, {"a": [float("nan")]}, b"", [[[[[[[[[[]]]]]]]]]]],
        ),
        (Either(None, Whole(1)), [None, 3], [0, "x"]),
        (Many(Whole(0), count=2), [(0, 1)], [[1], 3, [1, -1]]),
        (Record({"a": Whole(0)}), [{"a": 1}], [{}, {"a": 1, "b": 2}, {"a": -1}, []]),
        (Record({"a": Whole(0)}, partial=True), [{}, {"a": 1}], [{"b": 2}]),
        (Named(Whole(0)), [{"x": 1}], [{"x": -1}, [], {1: 1}]),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_values(kind, good, bad):
    for value in good:
        assert kind.read("it", value) == value
    for value in bad:
        with pytest.raises(InputError, match="it") as caught:
            kind.read("it", value)
        assert len(str(caught.value)) < 700


def test_a_model_that_diverged_is_not_saved_over_a_good_one(tmp_path):
    rng = np.random.default_rng(0)
    model = tacit.FactorRecommender(factors=2, iterations=1).fit(sp.random_array((9, 8), density=0.5, rng=rng))
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    model.col_factors_[3, 1] = np.nan
    with pytest.raises(InputError, match="cannot be saved: col_factors holds a value that is not finite"):
        model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before
