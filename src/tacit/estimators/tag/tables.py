"""What the files of the taggers hold."""

from typing import Any

import numpy as np

from tacit.checks import STEEPEST
from tacit.estimators.members import Inner, NamedInner
from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import Array, Borders, Csr, Ids, Members, Proof, Repeated
from tacit.estimators.tag.factor_fit import SOLVERS
from tacit.estimators.tag.kernel_choice import KERNELS
from tacit.estimators.values import SEED, Either, Flag, History, Many, Number, Since, Value, Whole, Word
from tacit.features.nystrom import MOST_LANDMARKS
from tacit.objective.losses import LOSSES
from tacit.solvers.label_maps import METHODS, REGRESSIONS

LABELS = (Ids("labels", "labels"), Array("label_frequency", "i8", ("labels",), least=0))
MOST_PHRASES = 100
"""Words in a phrase. A text has as many phrases as words for each length."""
SCALES = Array("scales", "f4", ("features",), least=0.0)

FACTS: dict[str, Value] = {
    "form": Word("matrix", "lists"),
    "features": Whole(1, size="features"),
    "rows": Whole(1),
    "labels_per_row": Number(0.0),
    "history": History(),
}

CONVENTIONS: dict[str, Value] = {
    "top_k": Either(None, Whole(1)),
    "threshold": Either(None, Number()),
    "propensity_weighted": Flag(),
    "random_state": SEED,
}
"""Parameters that all taggers have."""

WEIGHING: dict[str, Value] = {"idf_power": Number(0.0, most=STEEPEST), "normalize": Flag()}
"""How features are weighed, where a tagger sees them itself."""


def _landmarks_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    asked = proof.model.landmarks
    if any((parts[name] is not None) != bool(asked) for name in ("landmarks", "landmark_weights")):
        return "its landmarks do not fit its parameters"
    return "it has too many landmarks" if asked and len(parts["landmarks"]) > asked else None


def _intercept_fits(proof: Proof, parts: dict[str, Any]) -> str | None:
    agree = (parts["intercept"] is not None) == proof.model.intercept
    return None if agree else "its intercept does not fit its parameters"


FACTOR = Schema(
    *LABELS,
    SCALES,
    Array("weights", "f4", ("features", "factors")),
    Array("intercept", "f4", ("factors",), optional=True),
    Array("label_factors", "f4", ("labels", "factors")),
    Array("landmarks", "f8", ("landmarks", "features"), optional=True),
    Array("landmark_weights", "f4", ("landmark features", "factors"), optional=True),
    parameters={
        "factors": Whole(1, size="factors"),
        "loss": Word(*LOSSES),
        "unlabelled_weight": Either(None, Number(above=0.0)),
        "unlabelled_target": Either(None, Number()),
        "frequency_exponent": Number(-STEEPEST, most=STEEPEST),
        "unlabelled": Word("all", "sampled", "same_loss"),
        "regularization": Either(None, Number(0.0)),
        "intercept": Flag(),
        "landmarks": Whole(0, most=MOST_LANDMARKS),
        "bandwidth": Number(above=0.0),
        "graph_weight": Number(0.0),
        "solver": Word(*SOLVERS),
        "iterations": Whole(1),
        "tolerance": Number(0.0),
        "inner_steps": Either(None, Whole(1)),
        "trust_steps": Either(None, Whole(1)),
        "trust_radius": Either(None, Number(above=0.0)),
        **WEIGHING,
        **CONVENTIONS,
    },
    facts=FACTS,
    rules=(_landmarks_fit, _intercept_fits),
)


def _terms_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    if parts["points"] is None and len(parts["coefficients"]) != proof.sizes["features"] + 1:
        return "its coefficients do not fit its features"
    if proof.facts["kernel"] == "linear" and proof.facts["bandwidth"] < 1:
        return "its linear kernel has a bandwidth below 1"
    return None


def _first_model_fits(proof: Proof, parts: dict[str, Any]) -> str | None:
    has = proof.facts["label_similarity"] > 0
    if any((parts[name] is not None) != has for name in ("first_coefficients", "profiles")):
        return "its first model does not fit its label similarity"
    cosine = proof.facts["unit_rows"] and proof.facts["kernel"] == "gaussian" and parts["points"] is not None
    return "its first model has no use for its kernel" if has and not cosine else None


KERNEL = Schema(
    *LABELS,
    SCALES,
    Array("shifts", "f4", ("features",), optional=True),
    Array("coefficients", "f4", ("terms", "labels")),
    Array("label_targets", "f4", ("labels",), least=0.0),
    Csr("points", "terms", "features", optional=True),
    Array("first_coefficients", "f4", ("terms", "compared labels"), optional=True),
    # Lengths are 1, but for rounding.
    Array("profiles", "f4", ("terms", "compared labels"), least=0.0, most=1.01, optional=True),
    parameters={
        "kernel": Word(*KERNELS),
        "bandwidth": Either(None, Number(above=0.0)),
        "regularization": Either(None, Number(above=0.0)),
        "unlabelled_weight": Number(above=0.0),
        "frequency_exponent": Number(-STEEPEST, most=STEEPEST),
        "landmarks": Either(None, Whole(0)),
        "impute": Flag(),
        "iterations": Whole(1),
        "inner_steps": Whole(1),
        "value_power": Either(None, Number(0.0, most=1.0)),
        "label_power": Either(None, Number(0.0, most=1.0)),
        "idf_power": Number(0.0, most=STEEPEST),
        "relevance_power": Either(None, Number(0.0, most=STEEPEST)),
        "label_similarity": Either(None, Number(0.0, most=1.0)),
        **CONVENTIONS,
    },
    facts=FACTS
    | {
        "kernel": Word("gaussian", "linear"),
        "unit_rows": Flag(),
        "bandwidth": Number(above=0.0),
        "regularization": Number(above=0.0),
        "value_power": Number(0.0, most=1.0),
        "label_power": Number(0.0, most=1.0),
        "label_similarity": Since(Number(0.0, most=1.0), before=0.0),
    },
    rules=(_terms_fit, _first_model_fits),
)


def _learners_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    for learner in parts["learner"]:
        if learner["centres"].shape[1] > proof.sizes["features"]:
            return "its centres have more features than the model"
        if learner["labels"].shape[1] != (proof.sizes["labels"] if proof.model.method == "joint" else 0):
            return "its vectors of labels do not fit its labels"
        # Within a partition, features ascend.
        rising = learner["features"][1:] > learner["features"][:-1]
        starts = learner["feature_starts"][1:-1]
        rising[starts[(starts > 0) & (starts < len(learner["features"]))] - 1] = True
        if not np.all(rising):
            return "the features of a partition do not ascend"
    return None


def _features_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    kept = parts["X"] is not None
    return None if kept == (proof.model.online_steps is not None) else "its rows' features do not fit its parameters"


NEIGHBOUR = Schema(
    *LABELS,
    SCALES,
    Csr("Y", "rows", "labels", ones=True),
    Csr("X", "rows", "features", optional=True),
    Repeated(
        "learner",
        lambda proof: int(proof.facts["learners"]),
        (
            Array("centres", "f4", ("partitions", "centre features")),
            Array("features", "i4", ("mapped features",), below="features"),
            Borders("feature_starts", "partitions", "mapped features"),
            Array("weights", "f4", ("mapped features", "factors")),
            Array("rows", "i8", ("voting rows",), below="rows"),
            Borders("row_starts", "partitions", "voting rows"),
            Array("points", "f4", ("voting rows", "factors"), least=-2.0, most=2.0),
            Array("labels", "f4", ("partitions", "label vectors", "factors")),
        ),
        shared=("features", "rows"),
        may_be_zero=("mapped features", "label vectors"),
    ),
    parameters={
        "method": Word(*METHODS),
        "factors": Either(None, Whole(1)),
        "neighbours": Whole(1),
        "vote_power": Number(0.0, most=STEEPEST),
        "regularization": Number(above=0.0),
        "regression": Word(*REGRESSIONS),
        "shift": Number(above=0.0),
        "partitions": Either(None, Whole(1)),
        "learners": Whole(1),
        "max_partners": Either(None, Whole(1)),
        "n_imputed": Whole(0),
        "graph_weights": Either(None, Many(Number(0.0), count=3)),
        "contexts": Either(None, Whole(1)),
        "negatives": Either(None, Whole(1)),
        "iterations": Either(None, Whole(1)),
        "learning_rate": Either(None, Number(above=0.0)),
        "context_neighbours": Either(None, Whole(1)),
        "tables": Either(None, Whole(1, most=2)),
        "cosine_scale": Either(None, Number(above=0.0)),
        "start": Either(None, Word("sppmi", "random")),
        "online_steps": Either(None, Whole(1)),
        **WEIGHING,
        **CONVENTIONS,
    },
    facts=FACTS | {"rows": Whole(1, size="rows"), "learners": Whole(1)},
    rules=(_learners_fit, _features_fit),
)


def _members_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    if len(proof.facts["weights"]) != len(parts["members"]):
        return "its weights do not fit its members"
    # Members learn from matrices and know the labels by the numbers of their columns.
    numbers = np.arange(proof.sizes["labels"])
    if not all(np.array_equal(member.classes_, numbers) for member in parts["members"]):
        return "a member knows other labels than the blend"
    return None


INNER = ("FactorTagger", "KernelTagger", "NeighbourTagger")
"""Taggers that others may hold."""

BLEND = Schema(
    *LABELS,
    Members("members", lambda proof: proof.model.unfitted_members(), shared=("labels", "features")),
    parameters={
        "members": Either(None, Many(NamedInner(*INNER), least=1, form=list)),
        "weights": Either(None, Many(Number(0.0), least=1, form=list)),
        **CONVENTIONS,
    },
    facts=FACTS | {"weights": Many(Number(0.0), least=1), "validation": Many(Number(0.0, most=1.0))},
    rules=(_members_fit,),
)


def _words_are_text(proof: Proof, parts: dict[str, Any]) -> str | None:
    return None if all(type(word) is str for word in parts["words"].all().tolist()) else "its words are not text"


TEXT = Schema(
    Array("frequency", "i8", ("features",), least=0),
    Ids("words", "features"),
    Members("tagger", lambda proof: [proof.model.unfitted_tagger()], shared=("features",)),
    parameters={
        "tagger": Either(None, Inner(*INNER)),
        "min_count": Whole(1),
        "phrases": Whole(1, most=MOST_PHRASES),
    },
    facts={"texts": Whole(1)},
    rules=(_words_are_text,),
)
