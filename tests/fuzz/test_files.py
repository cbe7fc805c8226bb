"""Model files from strangers: what was once found stays refused, and a short run finds nothing new."""

import json
import os
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import model_file
from tacit.errors import InputError, ModelFileError
from tacit.estimators.tag.audit_report import read_suggestions
from tacit.kernels import running_means
from tests.fuzz.driver import campaign
from tests.fuzz.files import as_file, prepare

RNG = np.random.default_rng(0)
X = sp.random_array((30, 8), density=0.5, rng=RNG, format="csr")
LABELS = [[f"l{k}" for k in np.unique(RNG.integers(0, 4, 2))] for _ in range(30)]
TEXTS = [" ".join(f"word{k}" for k in RNG.integers(0, 9, 5)) for _ in range(30)]
SENTENCES = [[f"w{k}" for k in RNG.integers(0, 9, 8)] for _ in range(40)]
RATINGS = (RNG.integers(0, 6, 50), RNG.integers(0, 5, 50), RNG.integers(1, 6, 50))

MODELS = {
    "recommender": lambda: tacit.FactorRecommender(factors=2, iterations=2).fit(X),
    "linear": lambda: tacit.LinearRecommender(regularization=1.0, method="dense").fit(X),
    "blend": lambda: tacit.BlendRecommender(
        [("low", tacit.FactorRecommender(factors=2, iterations=2)), ("full", tacit.LinearRecommender())], weights=[1, 1]
    ).fit(X),
    "words": lambda: tacit.WordVectors(factors=2, min_count=1, iterations=2, keep_counts=True, progress=False).fit(
        SENTENCES
    ),
    "factor tagger": lambda: tacit.FactorTagger(factors=2, iterations=2).fit(X, LABELS),
    "neighbour tagger": lambda: tacit.NeighbourTagger(factors=2).fit(X, LABELS),
    "blend tagger": lambda: tacit.BlendTagger([("near", tacit.NeighbourTagger(factors=2))], weights=[1.0]).fit(
        X, LABELS
    ),
    "text tagger": lambda: tacit.TextTagger(tacit.NeighbourTagger(factors=2), min_count=1).fit(TEXTS, LABELS),
    "factor text tagger": lambda: tacit.TextTagger(tacit.FactorTagger(factors=2), min_count=1).fit(TEXTS, LABELS),
    "stream": lambda: tacit.RatingStream(factors=2).partial_fit(*RATINGS),
    "experts": lambda: tacit.ExpertRatingStream(experts=[{"factors": 2}, {"factors": 3}]).partial_fit(*RATINGS),
    "grades": lambda: tacit.OrdinalRanker(kernel="linear", progress=False).fit(X.toarray(), np.arange(30) % 3),
    "grades of text": lambda: tacit.OrdinalRanker(kernel="linear", classes=["bad", "good"], progress=False).fit(
        X.toarray(), np.array(["bad", "good"])[np.arange(30) % 2]
    ),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Every model in a file, once."""
    folder = tmp_path_factory.mktemp("seeds")
    for name, make in MODELS.items():
        make().save(folder / name)
    return folder


def forged(saved, tmp_path, name, change):
    """The file of a model after a change of its state and arrays, as a container sound."""
    kind, state, arrays = model_file.read(saved / name)
    arrays = {key: np.array(array) for key, array in arrays.items()}
    change(state, arrays)
    (tmp_path / "forged").write_bytes(as_file(kind, state, arrays))
    return tmp_path / "forged"


def ending(arrays, end):
    """The array whose name ends so."""
    (name,) = (key for key in arrays if key.replace("/", ".").endswith(end))
    return arrays[name]


def arrays_of(path):
    return model_file.read(path)[2]


def put(end, place, value):
    def change(state, arrays):
        ending(arrays, end)[place] = value

    return change


def cut(end, length):
    def change(state, arrays):
        (name,) = (key for key in arrays if key.endswith(end))
        arrays[name] = arrays[name][:length]

    return change


def fact(*path, to):
    def change(state, arrays):
        table = state["facts"]
        for step in path[:-1]:
            table = table[step][0] if isinstance(table[step], list) else table[step]
        table[path[-1]] = to

    return change


def parameter(**given):
    return lambda state, arrays: state["parameters"].update(given)


def no_width(state, arrays):
    """2³¹ − 1 columns that take no byte."""
    for key in list(arrays):
        if key.endswith(("row_factors", "col_factors")):
            arrays[key] = np.zeros((2**31 - 1 if key.startswith("col") else 30, 0), np.float32)
        if key.startswith("col_ids"):
            arrays[key] = np.array([2**31 - 1])
    if "shape" in state["facts"]:
        state["facts"]["shape"] = [30, 2**31 - 1]


def other_history(state, arrays):
    """A member lacks the last positive that the blend knows."""
    arrays["members1.seen.indptr"][-1] -= 1
    for part in ("indices", "data"):
        arrays[f"members1.seen.{part}"] = arrays[f"members1.seen.{part}"][:-1]


def named_labels(state, arrays):
    """A member of a blend has names for its labels, where it must know them by number."""
    arrays["members0.labels.whole"] = np.arange(int(arrays.pop("members0.labels.range")[0]))[::-1].copy()


FINDINGS = {
    "a user's ratings are fewer than none": ("stream", put("users", (0, 0), -1e9)),
    "an item's ratings are no whole number": ("experts", put("items", (0, 0), 0.5)),
    "1: a bias of -K moves the next expert before the row": (
        "experts", parameter(experts=[{"factors": 0, "biases": -3}, {"factors": 8}])),
    "2: indptr of the positives overflows": ("recommender", put("seen.indptr", -1, -(2**63))),
    "2: indptr of the labels overflows": ("neighbour tagger", put("Y.indptr", -1, -(2**63))),
    "2: indptr of the counts overflows": ("words", put("counts.indptr", -1, -(2**63))),
    "2: indptr falls": ("recommender", put("seen.indptr", 3, 10**6)),
    "3: a voting row out of range": ("neighbour tagger", put("learner0.rows", 0, 10**6)),
    "3: a negative voting row": ("neighbour tagger", put("learner0.rows", 0, -1)),
    "3: a voting row of a member": ("blend tagger", put("learner0.rows", 0, 2**40)),
    "3: a voting row of a text tagger": ("text tagger", put("learner0.rows", 0, 2**40)),
    "3: a feature out of range": ("neighbour tagger", put("learner0.features", 0, 10**6)),
    "4: more features than weights": ("factor tagger", fact("features", to=10**6)),
    "4: more features than weights inside a text tagger": ("factor text tagger", fact("tagger", "features", to=10**6)),
    "4: short totals of contexts": ("words", cut("context_totals", 3)),
    "4: short totals of words": ("words", cut("word_totals", 3)),
    "9: a range of ids without rows": ("stream", lambda state, arrays: (
        arrays.pop("user_ids.whole"), arrays.update({"user_ids.range": np.array([2**27])}))),
    "9: classes of 200 million letters": ("grades of text", fact("classes_kind", to="<U200000000")),
    "9: factors without width": ("recommender", no_width),
    "9: an interval that never comes": ("experts", fact("interval", to=-1)),
    "9: a number that does not fit": ("grades", fact("classes", to=[0, 1, 10**30])),
    "9: a seed that does not fit": ("stream", fact("seed", to=10**300)),
    "9: factors by the billion": ("stream", parameter(factors=10**9)),
    "a log weight that overflows": ("experts", put("memory", running_means.HEAD + 1, 1e20)),
    "a jump after the last rating": ("stream", put("memory", running_means.EARLIER, 1e6)),
    "shifts beyond all ratings": ("stream", put("memory", running_means.LOW_SHIFT, 1e9)),
    "a range that varies without width": ("stream", put("memory", running_means.HIGHEST, -1e9)),
    "14: a checkpoint": ("recommender", parameter(checkpoint="/tmp/forged")),
    "14: threads": ("factor tagger", parameter(threads=10**5)),
    "14: threads of a member": ("blend tagger", parameter(members=[{"tagger": "neighbour", "threads": 9}])),
    "a member that knows other positives": ("blend", other_history),
    "a member that knows other columns": ("blend", lambda state, arrays: arrays.update(
        {"members0.col_ids.whole": np.arange(int(arrays.pop("members0.col_ids.range")[0])) + 1})),
    "a member that knows other labels": ("blend tagger", named_labels),
    "16: NaN among the factors": ("recommender", put("col_factors", (0, 0), np.nan)),
    "16: NaN among the words": ("words", put("word_factors", (0, 0), np.nan)),
    "16: NaN among the labels": ("factor tagger", put("label_factors", (0, 0), np.nan)),
    "16: NaN among the coefficients": ("grades", put("coefficients", 0, np.nan)),
    "16: NaN in a stream": ("stream", put("items", (0, 1), np.nan)),
}  # fmt: skip


@pytest.mark.parametrize("finding", FINDINGS)
def test_what_was_found_is_refused_in_one_sentence(saved, tmp_path, finding):
    name, change = FINDINGS[finding]
    with pytest.raises(ModelFileError) as caught:
        tacit.load(forged(saved, tmp_path, name, change))
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value.__cause__, MemoryError)


def test_a_weight_of_zero_is_no_positive(saved, tmp_path):
    """A blend whose member has a weight where its own is zero: ``why`` raised KeyError."""
    model = tacit.load(forged(saved, tmp_path, "blend", put("members1.seen.data", 0, 2.0)))
    places = arrays_of(saved / "blend")["seen.indptr"][:2]
    zero = tacit.load(
        forged(saved, tmp_path, "blend", lambda state, arrays: arrays["seen.data"].put(range(*places), 0))
    )
    assert len(zero.why(0, 0)) == len(model.why(0, 0)) == places[1]


def test_a_smallest_value_near_nothing_leaves_answers_finite(saved, tmp_path):
    """A file may say that the smallest value was 1e-300: ``why`` answered infinity."""
    model = tacit.load(forged(saved, tmp_path, "linear", fact("smallest", to=1e-300)))
    assert np.isfinite(model.why(0, 0).contributions).all()


def test_more_neighbours_than_rows_ask_for_no_more_memory(saved, tmp_path):
    """A file may name any number of neighbours: ``why`` held a place for each of them."""
    model = tacit.load(forged(saved, tmp_path, "neighbour tagger", parameter(neighbours=2**31 - 1)))
    assert np.isfinite(model.why(X[[0]], "l1").contributions).all()


def test_a_number_below_the_least_is_refused_in_words(saved, tmp_path):
    """Where only one bound is stated: the sentence had no word for the other, and TypeError came out of ``save``."""
    with pytest.raises(ModelFileError, match="lies outside 0 to …"):
        tacit.load(forged(saved, tmp_path, "factor tagger", put("label_frequency", 0, -1)))


def test_a_header_of_ninety_megabytes_costs_next_to_nothing(tmp_path):
    """Finding 9: parsed, it took 2.3 GB."""
    with (tmp_path / "forged").open("wb") as file:
        file.write((90 << 20).to_bytes(8, "little") + b'{"__metadata__":{"tacit":"')
        file.truncate(91 << 20)
    with pytest.raises(ModelFileError):
        tacit.load(tmp_path / "nothing")  # imports what loading needs
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="is not a Tacit model"):
            tacit.load(tmp_path / "forged")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["recommender", "words", "neighbour tagger", "stream"])
def test_a_model_outlives_its_file(saved, tmp_path, name):
    """Finding 15: a smaller file copied over a loaded one was SIGBUS, an equal one changed the answers."""
    path = tmp_path / "model"
    path.write_bytes((saved / name).read_bytes())
    model = tacit.load(path)
    os.truncate(path, 0)
    path.write_bytes(b"\xff" * (saved / name).stat().st_size)
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (saved / name).read_bytes()


def test_no_number_of_any_model_may_be_anything_but_finite(tmp_path):
    """Finding 16, for every array of floats and every number in the header of every kind of model."""
    context = prepare()
    for name, (kind, state, arrays) in zip(context["names"], context["parts"]):
        for key, array in arrays.items():
            if array.dtype.kind == "f" and array.size:
                wrong = array.copy()
                wrong.reshape(-1)[-1] = np.nan
                (tmp_path / "forged").write_bytes(as_file(kind, state, arrays | {key: wrong}))
                with pytest.raises(ModelFileError, match="not finite"):
                    tacit.load(tmp_path / "forged")
        for place in ("parameters", "facts"):
            for key, value in state[place].items():
                if type(value) is float:
                    wrong_state = state | {place: state[place] | {key: float("nan")}}
                    (tmp_path / "forged").write_bytes(as_file(kind, wrong_state, arrays))
                    with pytest.raises(ModelFileError):
                        tacit.load(tmp_path / "forged")
        assert json.dumps(state, allow_nan=False), name


@pytest.mark.parametrize("spoilt", ["[" * 100_000, '{"row": 1}', "\xff"])
def test_an_audit_that_is_none_is_refused_in_one_sentence(tmp_path, spoilt):
    """One that nests deeper than a parser can follow was RecursionError."""
    (tmp_path / "audit.json").write_text(spoilt, encoding="latin-1")
    with pytest.raises(InputError, match=r"is not what tacit audit -o audit\.json writes"):
        read_suggestions(tmp_path / "audit.json")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "cases"), [("files", 1000), ("other_files", 2000)])
def test_a_short_run_of_the_fuzzer_finds_nothing(kind, cases):
    """By number and not by time: the same cases on any machine."""
    cases = int(os.environ.get("TACIT_FUZZ_CASES", cases))
    assert campaign(kind, cases=cases, workers=1, seed=0) == (cases, [])
