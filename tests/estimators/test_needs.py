"""What does nothing beside the other parameters is refused in one sentence; what is left at its default never is."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import tacit
from tacit.errors import UnsoundCombinationError
from tacit.estimators import needs
from tests.contract.registry import CASES

PATH = sp.csr_array(np.eye(40, k=1) + np.eye(40, k=-1))
"""A graph of the rows of the registry's recommenders and taggers."""

ONES = np.ones

REFUSED = [
    ("RatingStream", {"adaptation": None, "delta": 0.5}, {}, "delta"),
    ("RatingStream", {"adaptation": None, "forgetting": 0.9}, {}, "forgetting"),
    ("RatingStream", {"projection": "plain"}, {}, "projection"),
    ("RatingStream", {"projection": "plain", "adaptation": "full"}, {}, "projection"),
    ("RatingStream", {"variant": "PA", "aggressiveness": 0.3}, {}, "aggressiveness"),
    ("RatingStream", {"biases": None, "shrinkage": 5.0}, {}, "shrinkage"),
    ("RatingStream", {"biases": "learned", "shrinkage": 5.0}, {}, "shrinkage"),
    ("RatingStream", {"biases": None, "aim": "mean"}, {}, "aim"),
    ("RatingStream", {"cold_start": "random"}, {}, "cold_start"),
    *(
        ("RatingStream", {"factors": 0, name: value}, {}, name)
        for name, value in {
            "variant": "PA-I", "adaptation": "full", "aggressiveness": 0.3, "delta": 0.5, "epsilon": 0.1,
            "forgetting": 0.9, "nonnegative": True, "start": 0.2,
        }.items()
    ),
    ("RatingStream", {"factors": 0, "biases": "learned", "start": 0.2}, {}, "start"),
    ("ExpertRatingStream", {"combine": "uniform", "beta": 0.9}, {}, "beta"),
    ("ExpertRatingStream", {"combine": "uniform", "exploration": 0.3}, {}, "exploration"),
    ("ExpertRatingStream", {"combine": "uniform", "forgetting": 0.9}, {}, "forgetting"),
    ("ExpertRatingStream", {"experts": "paper", "shrinkage": 5.0}, {}, "shrinkage"),
    ("ExpertRatingStream", {"experts": "paper", "aim": "mean"}, {}, "aim"),
    ("ExpertRatingStream", {"cold_start": "random"}, {}, "cold_start"),
    ("ExpertRatingStream", {"experts": [{"factors": 2}, {"adaptation": None, "delta": 0.5}]}, {}, "delta"),
    ("OrdinalRanker", {"kernel": "linear", "bandwidth": 2.0}, {}, "bandwidth"),
    ("OrdinalRanker", {"kernel": "linear", "n_components": 9}, {}, "n_components"),
    ("OrdinalRanker", {"kernel": "linear", "features": "fourier"}, {}, "features"),
    *(
        ("OrdinalRanker", {"solver": solver, name: value}, {}, name)
        for solver in ("auto", "exact")
        for name, value in {"iterations": 7, "batch_size": 5, "step": "decay"}.items()
    ),
    ("FactorRecommender", {"patience": 5}, {}, "patience"),
    ("FactorRecommender", {"regularization": 0.0, "ridge_exponent": 0.5}, {}, "ridge_exponent"),
    ("FactorRecommender", {"regularization": (0.0, 0.0), "ridge_exponent": 0.5}, {}, "ridge_exponent"),
    ("FactorRecommender", {"context_model": "pairwise"}, {}, "context_model"),
    ("FactorRecommender", {"graph_weight": 2.0}, {}, "graph_weight"),
    (
        "FactorRecommender",
        {"frequency_exponent": 1.0},
        {"row_weight": ONES(40), "col_weight": ONES(30)},
        "frequency_exponent",
    ),
    ("LinearRecommender", {"method": "dense", "sparse_exponents": (1.0, 1.0, 0.0)}, {}, "sparse_exponents"),
    ("LinearRecommender", {"method": "dense", "sharpening": 0.5}, {}, "sharpening"),
    ("LinearRecommender", {"method": "dense", "keep": 5}, {}, "keep"),
    ("LinearRecommender", {"method": "sparse", "regularization": 0.5}, {}, "regularization"),
    ("LinearRecommender", {"method": "sparse", "dense_exponents": (0.0, 0.0)}, {}, "dense_exponents"),
    ("FactorTagger", {"landmarks": 0, "bandwidth": 2.0}, {}, "bandwidth"),
    ("FactorTagger", {"graph_weight": 2.0}, {}, "graph_weight"),
    ("FactorTagger", {"unlabelled": "sampled", "unlabelled_target": -0.5}, {}, "unlabelled_target"),
    ("KernelTagger", {"kernel": "linear", "bandwidth": 2.0}, {}, "bandwidth"),
    ("KernelTagger", {"kernel": "gaussian", "value_power": 0.5}, {}, "value_power"),
    ("KernelTagger", {"kernel": "gaussian", "relevance_power": 0.5}, {}, "relevance_power"),
    ("KernelTagger", {"kernel": "gaussian", "idf_power": 0.5}, {}, "idf_power"),
    ("KernelTagger", {"inner_steps": 2}, {}, "inner_steps"),
    ("KernelTagger", {"kernel": "linear", "label_similarity": 0.2}, {}, "label_similarity"),
    ("KernelTagger", {"kernel": "gaussian", "label_similarity": 0.2}, {}, "label_similarity"),
    ("KernelTagger", {"impute": True, "label_similarity": 0.2}, {}, "label_similarity"),
    ("KernelTagger", {"unlabelled_weight": 0.5, "label_similarity": 0.2}, {}, "label_similarity"),
    ("KernelTagger", {"kernel": "cosine", "landmarks": 5, "label_similarity": 0.2}, {}, "label_similarity"),
    ("NeighbourTagger", {"method": "skipgram", "shift": 2.0}, {}, "shift"),
    ("NeighbourTagger", {"method": "skipgram", "max_partners": 5}, {}, "max_partners"),
    *(
        ("NeighbourTagger", {"method": "end_to_end", "start": "random", name: value}, {}, name)
        for name, value in {"shift": 2.0, "max_partners": 5, "regularization": 2.0, "regression": "admm_l2"}.items()
    ),
    ("WordVectors", {"tokenizer": "words"}, {}, "tokenizer"),
    ("WordVectors", {"sentences": "files"}, {}, "sentences"),
]  # fmt: skip
"""Estimator, parameters, further arguments of ``fit``, and the parameter that is refused."""

ACCEPTED = [
    ("RatingStream", {"adaptation": "full", "nonnegative": True, "projection": "plain", "delta": 0.5}, {}),
    ("RatingStream", {"factors": 0, "biases": "learned", "delta": 0.5, "cold_start": "random"}, {}),
    ("RatingStream", {"variant": "PA-I", "aggressiveness": 0.3, "shrinkage": 5.0}, {}),
    ("ExpertRatingStream", {"experts": "paper", "cold_start": "random", "beta": 0.9, "exploration": 0.3}, {}),
    ("ExpertRatingStream", {"shrinkage": 5.0, "forgetting": 0.9}, {}),
    ("OrdinalRanker", {"kernel": "linear", "features": "nystrom", "n_components": 9}, {}),
    ("OrdinalRanker", {"kernel": "gaussian", "bandwidth": 2.0, "n_components": 9}, {}),
    ("OrdinalRanker", {"solver": "stochastic", "iterations": 7, "batch_size": 5, "step": "decay"}, {}),
    ("FactorRecommender", {"held_out": 0.2, "patience": 5, "ridge_exponent": 0.5}, {}),
    ("FactorRecommender", {"graph_weight": 2.0, "exact_rows": False}, {"row_graph": PATH}),
    ("FactorRecommender", {"graph_weight": 2.0}, {"row_graph": PATH, "report_gain": True}),
    ("FactorRecommender", {"frequency_exponent": 1.0}, {"row_weight": ONES(40)}),
    ("FactorRecommender", {"frequency_exponent": None}, {"row_weight": ONES(40), "col_weight": ONES(30)}),
    ("LinearRecommender", {"keep": 5, "regularization": 0.5, "sparse_exponents": (1.0, 1.0, 0.0)}, {}),
    ("FactorTagger", {"landmarks": 4, "bandwidth": 2.0, "graph_weight": 2.0}, {"row_graph": PATH}),
    ("FactorTagger", {"unlabelled": "sampled", "loss": "square", "unlabelled_target": -0.5}, {}),
    ("KernelTagger", {"kernel": "cosine", "bandwidth": 2.0, "value_power": 0.5, "idf_power": 0.5}, {}),
    ("KernelTagger", {"frequency_exponent": 0.5, "inner_steps": 2}, {}),
    ("KernelTagger", {"kernel": "cosine", "landmarks": 0, "label_similarity": 0.3}, {}),
    ("KernelTagger", {"kernel": "linear", "label_similarity": 0.0}, {}),
    ("NeighbourTagger", {"method": "joint", "shift": 2.0, "max_partners": 5}, {}),
    ("NeighbourTagger", {"method": "end_to_end", "iterations": 2, "shift": 2.0, "regularization": 2.0}, {}),
]


def _case(name):
    return next(case for case in CASES if case.name == name)


def _fit(name, parameters, further):
    data = _case(name).data(np.random.default_rng(0))
    small = {"FactorRecommender": {"factors": 3, "iterations": 2}, "WordVectors": {"progress": False}}.get(name, {})
    return getattr(tacit, name)(**small | parameters).fit(*data, **further)


def _names(rows):
    return [f"{name} {' '.join(map(str, parameters))}" for name, parameters, *_ in rows]


@pytest.mark.parametrize(("name", "parameters", "further", "refused"), REFUSED, ids=_names(REFUSED))
def test_what_does_nothing_is_refused_in_one_sentence(name, parameters, further, refused):
    with pytest.raises(UnsoundCombinationError, match=f"{refused}=.* is of no use .*; leave it out, or ") as told:
        _fit(name, parameters, further)
    assert str(told.value).count(". ") == 0 and "\n" not in str(told.value)


@pytest.mark.parametrize(("name", "parameters", "further"), ACCEPTED, ids=_names(ACCEPTED))
def test_what_does_something_is_accepted(name, parameters, further):
    _fit(name, parameters, further)


def test_every_line_of_the_table_is_tried():
    tried = {(name, refused) for name, _, _, refused in REFUSED}
    listed = {(kind, name) for kind, table in needs.NEEDS.items() for need in table for name in need.names}
    assert listed - tried == set()


def test_every_name_of_the_table_is_a_parameter():
    for kind, table in needs.NEEDS.items():
        known = needs.defaults_of(getattr(tacit, kind))
        assert {name for need in table for name in need.names} <= set(known)


def test_the_step_options_count_in_partial_fit():
    X, y = _case("OrdinalRanker").data(np.random.default_rng(0))
    tacit.OrdinalRanker(batch_size=5, step="decay", progress=False).partial_fit(X, y).partial_fit(X, y)
    with pytest.raises(UnsoundCombinationError, match="iterations=7 is of no use to partial_fit"):
        tacit.OrdinalRanker(iterations=7, progress=False).partial_fit(X, y)


def test_wide_rows_have_a_use_for_features_of_the_linear_kernel():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 600)), np.arange(30) % 2
    tacit.OrdinalRanker("linear", n_components=9, progress=False).fit(X, y)


def test_words_that_come_as_text_have_a_use_for_a_tokenizer():
    lines = ["Bread, cheese and soup", "iron, zinc and copper"] * 10
    tacit.WordVectors(2, tokenizer="words", progress=False).fit(lines)
    with pytest.raises(UnsoundCombinationError, match="sentences='files' is of no use"):
        tacit.WordVectors(2, sentences="files", progress=False).fit(lines)


@pytest.mark.parametrize(("name", "parameters", "further", "refused"), REFUSED, ids=_names(REFUSED))
def test_constructors_only_store(name, parameters, further, refused):
    model = getattr(tacit, name)(**parameters)
    assert clone(model).get_params(deep=False).keys() == model.get_params(deep=False).keys()
    # By keyword as numbers of NumPy, which compare as equal to their defaults.
    defaults = needs.defaults_of(type(model))
    assert needs.changed(defaults, defaults) == {}


def test_a_number_of_numpy_is_its_default():
    assert needs.unused(tacit.RatingStream(adaptation=None, delta=np.float64(0.2))) == {}


def test_files_of_earlier_versions_open_and_answer(tmp_path, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(needs, "NEEDS", {})
        stream = tacit.RatingStream(3, adaptation=None, delta=0.5).partial_fit([1, 2], [3, 4], [5, 1])
        stream.save(tmp_path / "stream")
        case = _case("FactorRecommender")
        model = case.make(patience=5).fit(*case.data(np.random.default_rng(0)))
        model.save(tmp_path / "model")
    opened = tacit.load(tmp_path / "stream")
    assert opened.predict([1], [3]) == stream.predict([1], [3])
    opened.learn_one(1, 4, 2.0)
    again = tacit.load(tmp_path / "model")
    assert again.recommend([0], k=2).ids.tolist() == model.recommend([0], k=2).ids.tolist()
    again.add(0, 5)
    with pytest.raises(UnsoundCombinationError, match="patience=5"):
        clone(again).fit(*case.data(np.random.default_rng(0)))
    assert needs.settled(clone(again), graphs=False).patience == 3


def test_an_audit_fits_its_folds_without_the_graph():
    X, Y = _case("FactorTagger").data(np.random.default_rng(0))
    tacit.FactorTagger(3, iterations=2, graph_weight=2.0).missing_labels(X, Y, 5, folds=2)


def test_the_papers_settings_have_a_use_for_each_of_theirs():
    assert tacit.RatingStream.paper(5, adaptation=None).delta == tacit.RatingStream().delta
    assert tacit.RatingStream.paper(5, variant="PA").aggressiveness == tacit.RatingStream().aggressiveness
    for changed in ({}, {"adaptation": None}, {"variant": "PA"}, {"biases": "means"}, {"nonnegative": False}):
        tacit.RatingStream.paper(5, **changed).partial_fit([1, 2], [3, 4], [5, 1])
    with pytest.raises(UnsoundCombinationError, match=r"delta=0\.7 is of no use with adaptation=None"):
        tacit.RatingStream.paper(5, adaptation=None, delta=0.7).partial_fit([1], [2], [3])
    for name in ("exmlds1", "exmlds2", "exmlds3", "exmlds4"):
        assert needs.unused(tacit.NeighbourTagger.paper(name)) == {}
