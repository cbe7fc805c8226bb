"""What the file of an ``OrdinalRanker`` holds."""

from typing import Any

import numpy as np

from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import Array, Proof
from tacit.estimators.values import Either, Flag, History, Many, Named, Number, Plain, Text, Whole, Word
from tacit.features.fourier import BLOCK
from tacit.features.nystrom import KERNELS
from tacit.features.scaling import KNOTS
from tacit.solvers.stochastic import STEPS
from tacit.solvers.thresholds import RULES

SEED = Whole(0, most=2**64 - 1)
"""Keys of Philox, from which frequencies and batches are drawn."""
GRADE = Either(Flag(), Number(), Text())
KINDS = ("text", "objects", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8", "b1")
"""How the classes are kept in an array; the length of text follows from the classes themselves."""


def kind_of(classes: np.ndarray[Any, Any]) -> str:
    """The word for this array's type.

    >>> kind_of(np.array(["low", "high"])), kind_of(np.arange(3))
    ('text', 'i8')
    """
    return {"U": "text", "O": "objects"}.get(classes.dtype.kind) or classes.dtype.str[1:]


def as_classes(values: tuple[Any, ...], kind: str) -> np.ndarray[Any, Any]:
    """The classes as an array of that type."""
    return np.array(values, dtype={"text": "U", "objects": "O"}.get(kind, kind))


def _consistent(proof: Proof, parts: dict[str, Any]) -> str | None:
    facts, sizes = proof.facts, proof.sizes
    classes = facts["classes"]
    if len(classes) != sizes["thresholds"] + 1 or len(set(classes)) != len(classes):
        return "its classes do not fit its thresholds"
    if len(parts["class_prior"]) != len(classes) or np.any(parts["thresholds"][1:] < parts["thresholds"][:-1]):
        return "its thresholds or class priors do not fit its classes"
    if facts["column_names"] is not None and len(facts["column_names"]) != sizes["columns"]:
        return "its column names do not fit its columns"
    if parts["landmarks"] is None:
        added = [parts[name] is not None for name in ("tree_value", "column_weights")]
        features = _features(facts, sizes["columns"], proof.model) + sum(added)
        if parts["column_weights"] is not None and facts["kernel"] != "linear":
            return "it has weights of columns beside Fourier features"
        # Algorithm 1 adds a block of frequencies with every step and may have been stopped early.
        grown = facts["block"] != BLOCK and sizes["features"] % (2 * facts["block"]) == 0
        if sizes["features"] != features and not (grown and sizes["features"] < features):
            return f"it has {sizes['features']} coefficients for {features} features"
    elif len(parts["landmarks"]) > proof.model.n_components:
        return "it has more landmarks than components"
    return None


def _features(facts: dict[str, Any], columns: int, model: Any) -> int:
    if facts["kernel"] == "linear":
        return columns
    printed = model.solver == "stochastic" and model.features == "fourier" and model.step == "decay"
    return 2 * int(model.n_components) * (int(model.iterations) if printed else 1)


def _sound_ranks_and_trees(proof: Proof, parts: dict[str, Any]) -> str | None:
    knots, trees = parts["knots"], [parts[f"tree_{name}"] for name in ("feature", "threshold", "value")]
    if knots is not None and (len(knots) != KNOTS or np.any(np.diff(knots, axis=0) < 0)):
        return "its knots are not the levels of a distribution"
    if any(part is None for part in trees):
        return None if all(part is None for part in trees) else "its trees lack a part"
    nodes, leaves = trees[0].shape[1], trees[2].shape[1]
    if leaves != nodes + 1 or leaves & nodes:
        return "its trees are not complete"
    if parts["landmarks"] is None and proof.facts["kernel"] != "linear":
        return "it has trees beside Fourier features"
    return None


SCHEMA = Schema(
    Array("coefficients", "f8", ("features",)),
    Array("thresholds", "f8", ("thresholds",)),
    Array("unlabelled_weight", "f8", ("thresholds",), least=0.0, most=1.0),
    Array("class_prior", "f8", ("classes",), least=0.0, most=1.0 + 1e-9),
    Array("mean", "f8", ("columns",)),
    Array("scale", "f8", ("columns",), least=1e-100),
    Array("landmarks", "f8", ("landmarks", "columns"), optional=True),
    Array("knots", "f8", ("levels", "columns"), optional=True),
    Array("column_weights", "f8", ("columns",), optional=True),
    Array("tree_feature", "i4", ("trees", "nodes"), below="columns", optional=True),
    Array("tree_threshold", "f8", ("trees", "nodes"), optional=True),
    Array("tree_value", "f8", ("trees", "leaves"), optional=True),
    parameters={
        "kernel": Word("auto", *KERNELS),
        "loss": Word("auto", "square", "logistic"),
        "features": Word("labelled", "fourier", "nystrom"),
        "n_components": Whole(1),
        "bandwidth": Either(None, Number(above=0.0)),
        "regularization": Either(None, Number(above=0.0)),
        "unlabelled_weight": Either(None, Number(0.0, most=1.0), Many(Number(0.0, most=1.0))),
        "solver": Word("auto", "exact", "stochastic"),
        "iterations": Whole(1),
        "batch_size": Whole(1),
        "step": Word(*STEPS),
        "class_priors": Either(None, Word("matched"), Many(Number(0.0))),
        "threshold_rule": Word(*RULES),
        "classes": Either(None, Many(GRADE, least=2)),
        "unlabelled_mark": Either(None, GRADE),
        "standardize": Either(None, Flag()),
        "trees": Either(None, Flag()),
        "cv": Either(Whole(2), Many(Many(Many(Whole(0)), count=2))),
        "random_state": Either(None, SEED),
    },
    facts={
        "classes": Many(GRADE, least=2),
        "classes_kind": Word(*KINDS),
        "columns": Whole(1, size="columns"),
        "column_names": Either(None, Many(Text())),
        "kernel": Word(*KERNELS),
        "intercept": Number(-1e100, most=1e100),
        "slope": Number(0.0),
        "loss": Word("square", "logistic"),
        "bandwidth": Number(above=0.0),
        "regularization": Number(0.0),
        "seed": SEED,
        "preparation": Word("standard", "raw", "ranks", "relevance"),
        "tree_share": Number(0.0, most=1.0),
        "linear_share": Number(0.0, most=1.0),
        "block": Whole(1),
        "selection": Named(Plain()),
        "history": History(),
    },
    rules=(_consistent, _sound_ranks_and_trees),
)
