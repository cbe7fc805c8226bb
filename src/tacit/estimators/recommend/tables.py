"""What the files of the recommenders hold."""

from typing import Any

import numpy as np

from tacit.checks import STEEPEST
from tacit.errors import ModelFileError
from tacit.estimators.members import NamedInner
from tacit.estimators.recommend import col_index
from tacit.estimators.recommend.settings import CONTEXT_MODELS
from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import Array, Csr, Ids, Members, Proof, Repeated
from tacit.estimators.values import (
    SEED,
    Either,
    Flag,
    History,
    Many,
    Number,
    Plain,
    Record,
    Since,
    Text,
    Whole,
    Word,
)
from tacit.objective.losses import LOSSES
from tacit.solvers import registry

LOSS = Word(*LOSSES)
POSITIVE_WEIGHT = Word("log", "value", "one")

FREQUENCY_WEIGHT = Record(
    {"total": Number(0.5), "scale": Number(0.0), "exponent": Number(-STEEPEST, most=STEEPEST)}
)  # fmt: skip
SIDE = Record(
    {
        "weight": FREQUENCY_WEIGHT,
        "others": Number(0.0),
        "ridge": Number(0.0),
        "ridge_exponent": Number(-STEEPEST, most=STEEPEST),
    }
)
RECIPE = Record(
    {
        "rows": SIDE,
        "cols": SIDE,
        "loss": LOSS,
        "unlabelled_target": Number(),
        "positive_weight": POSITIVE_WEIGHT,
        "smallest_value": Number(above=0.0),
    }
)


FORGOTTEN = Since(Whole(0), before=0)


def _no_more_forgotten(proof: Proof, parts: dict[str, Any]) -> str | None:
    return "more rows are forgotten than there are" if proof.facts["forgotten_rows"] > proof.sizes["rows"] else None


def _consistent(proof: Proof, parts: dict[str, Any]) -> str | None:
    model, contexts = proof.model, proof.facts["contexts"]
    pairwise = bool(contexts) and model.context_model == "pairwise"
    if proof.sizes["col width"] != proof.sizes["row width"] + pairwise:
        return "its rows and columns have factors of different lengths"
    if proof.sizes["row width"] != model.factors + 2 * model.biases:
        return f"its factors have {proof.sizes['row width']} numbers, which are not those of its parameters"
    if len(set(contexts)) != len(contexts):
        return "its contexts are not distinct"
    if proof.facts["joined_cols"] > proof.sizes["cols"]:
        return "more columns have joined than there are"
    if not contexts and len(parts["row_weight"]) != proof.sizes["rows"]:
        return "its weights do not fit its rows"
    return None


def _permuted(proof: Proof, parts: dict[str, Any]) -> str | None:
    for index in parts["col_index"]:
        if np.bincount(index["order"], minlength=proof.sizes["cols"]).max() > 1:
            return "its index lists a column twice"
        if index["probes"].max() > len(index["centres"]):
            return "its index searches more lists than there are"
    return None


FACTOR = Schema(
    Ids("row_ids", "rows", personal=True),
    Ids("col_ids", "cols"),
    Array("row_factors", "f4", ("rows", "row width"), halves=True),
    Array("col_factors", "f4", ("cols", "col width"), halves=True),
    # With contexts, what is weighed is a (row, contexts) pair.
    Array("row_weight", "f4", ("weighed rows",), least=0.0),
    Array("col_weight", "f4", ("cols",), least=0.0),
    Array("row_gram", "f4", ("row width", "row width"), least=-1e24, most=1e24),
    Array("row_total", "f4", ("row width",), least=-1e24, most=1e24),
    Csr("seen", "rows", "cols", least=0.0, personal=True),
    Repeated(
        "context",
        lambda proof: len(proof.facts["contexts"]),
        (Ids("ids", "ids"), Array("factors", "f4", ("ids", "row width"))),
        shared=("row width",),
    ),
    col_index.PART,
    Array("row_feature_factors", "f4", ("row features", "row width"), optional=True),
    Array("col_feature_factors", "f4", ("col features", "col width"), optional=True),
    # Files of 0.1.0 have neither: theirs are made of the histories.
    Array("popular_row", "f8", ("row width",), least=-1e24, most=1e24, optional=True),
    Array("rows_alone", "i8", ("rows alone",), below="rows", ascending=True, optional=True),
    parameters={
        "factors": Whole(1),
        "loss": LOSS,
        "solver": Word(*registry.WITH_AUTO),
        "unlabelled_weight": Either(None, Number(above=0.0)),
        "unlabelled_target": Number(),
        "frequency_exponent": Either(
            None, Number(-STEEPEST, most=STEEPEST), Many(Number(-STEEPEST, most=STEEPEST), count=2)
        ),
        "positive_weight": POSITIVE_WEIGHT,
        "unlabelled": Word("all", "sampled", "same_loss"),
        "biases": Flag(),
        "context_model": Word(*CONTEXT_MODELS),
        "graph_weight": Number(0.0),
        "nonnegative": Flag(),
        "learning_rate": Either(None, Number(above=0.0)),
        "trust_steps": Either(None, Whole(1)),
        "trust_radius": Either(None, Number(above=0.0)),
        "exact_rows": Flag(),
        "ids": Flag(),
        "regularization": Either(None, Number(0.0), Many(Number(0.0), count=2)),
        "ridge_exponent": Either(None, Number(-STEEPEST, most=STEEPEST)),
        "iterations": Either(None, Whole(1)),
        "tolerance": Number(0.0),
        "held_out": Number(0.0, most=1.0),
        "patience": Whole(1),
        "random_state": SEED,
    },
    facts={
        "history": History(),
        "solver": Word(*registry.NAMES),
        "recipe": RECIPE,
        "contexts": Many(Text()),
        "graphs": Many(Word("row_graph", "col_graph")),
        "given": Many(Word("row_weight", "col_weight", "targets")),
        "joined_cols": Whole(0),
        "has_col_index": Flag(),
        "forgotten_rows": FORGOTTEN,
    },
    rules=(_consistent, _permuted, _no_more_forgotten),
)


EXPONENT = Number(-STEEPEST, most=STEEPEST)
SEEN = (
    Ids("row_ids", "rows", personal=True),
    Ids("col_ids", "cols"),
    Csr("seen", "rows", "cols", least=0.0, personal=True),
)


def _one_form_of_weights(proof: Proof, parts: dict[str, Any]) -> str | None:
    dense = proof.facts["method"] == "dense"
    if (parts["weights"] is None) == dense or (parts["sparse_weights"] is None) != dense:
        return "its weights are not those of its method"
    narrow = proof.facts["sharpening"] == 0
    ridged = proof.facts["method"] != "sparse"
    if (parts["left"] is None) != narrow or (parts["right"] is None) != narrow or (ridged and not narrow):
        return "its narrow matrices are not those of its sharpening"
    if len(proof.facts["exponents"]) != (2 if ridged else 3) or (proof.facts["regularization"] is None) == ridged:
        return "its settings are not those of its method"
    return None


LINEAR = Schema(
    *SEEN,
    Array("average", "f4", ("cols",)),
    Array("weights", "f4", ("cols", "cols"), optional=True),
    Csr("sparse_weights", "cols", "cols", optional=True),
    Array("left", "f4", ("cols", "components"), optional=True),
    Array("right", "f4", ("cols", "components"), optional=True),
    parameters={
        "method": Word("auto", "dense", "sparse", "local"),
        "regularization": Either(None, Number(above=0.0)),
        "dense_exponents": Either(None, Many(EXPONENT, count=2)),
        "sparse_exponents": Either(None, Many(EXPONENT, count=3)),
        "sharpening": Either(None, Number(0.0)),
        "keep": Either(None, Whole(1)),
        "positive_weight": POSITIVE_WEIGHT,
        "random_state": SEED,
    },
    facts={
        "method": Word("dense", "sparse", "local"),
        "exponents": Many(EXPONENT),
        "regularization": Either(None, Number(above=0.0)),
        "sharpening": Number(0.0),
        "smallest": Number(above=0.0),
        "validation": History(),
        "forgotten_rows": FORGOTTEN,
    },
    rules=(_one_form_of_weights, _no_more_forgotten),
)


def _with_a_weight(proof: Proof) -> list[Any]:
    weights, model = proof.facts["weights"], proof.model
    members = model.unfitted_members(proof.facts["factors"])
    if len(weights) > len(members):
        members = model.unfitted_members(proof.facts["factors"], local=True)
    if len(weights) != len(members) or not any(weights):
        raise ModelFileError("its weights do not fit its members")
    return [member for member, weight in zip(members, weights) if weight]


def _one_knowledge(proof: Proof, parts: dict[str, Any]) -> str | None:
    """Members are asked by the blend's numbers, and answer for the positives that it knows."""
    for member in parts["members"]:
        if member.row_ids_ != parts["row_ids"] or member.col_ids_ != parts["col_ids"]:
            return "a member knows other rows or columns than the blend"
        own, seen = member.seen_, parts["seen"]
        if not (np.array_equal(own.indptr, seen.indptr) and np.array_equal(own.indices, seen.indices)):
            return "a member knows other positives than the blend"
    return None


BLEND = Schema(
    *SEEN,
    Members("members", _with_a_weight, shared=("rows", "cols")),
    Array("popularity", "f4", ("cols",), optional=True),
    parameters={
        "members": Either(None, Many(NamedInner("FactorRecommender", "LinearRecommender"), least=1, form=list)),
        "weights": Either(None, Many(Number(0.0), least=1, form=list)),
        "seconds": Either(None, Number(above=0.0)),
        "random_state": SEED,
    },
    facts={
        "weights": Many(Number(0.0), least=1),
        "factors": Whole(1),
        "row_exponent": Number(-8.0, most=8.0),
        "usual_positives": Number(above=0.0),
        "validation": Plain(),
        "forgotten_rows": FORGOTTEN,
    },
    rules=(_one_knowledge, _no_more_forgotten),
)
