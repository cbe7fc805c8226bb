"""What the file of ``WordVectors`` holds."""

from typing import Any

from tacit.checks import STEEPEST
from tacit.estimators.recommend.tables import FREQUENCY_WEIGHT
from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import Array, Csr, Ids, Proof
from tacit.estimators.values import SEED, Either, Flag, History, Number, Whole, Word
from tacit.features.cooccurrence import WIDEST_WINDOW
from tacit.solvers import registry

LEARNED = (
    Array("context_factors", "f4", ("words", "factors"), optional=True),
    Array("word_counts", "i8", ("words",), least=0, optional=True),
    Array("word_totals", "f8", ("words",), least=0.0, optional=True),
    Array("context_totals", "f8", ("words",), least=0.0, optional=True),
    Array("context_weights", "f4", ("words",), least=0.0, optional=True),
)
"""What vectors from a foreign file lack."""


def _consistent(proof: Proof, parts: dict[str, Any]) -> str | None:
    learned = [parts[part.name] is not None for part in LEARNED] + [proof.facts["weight_rule"] is not None]
    if any(learned) != all(learned):
        return "it has a part of what training leaves, but not all of it"
    if proof.model.output != "word" and not all(learned):
        return f"it has no contexts for output={proof.model.output!r}"
    if parts["counts"] is not None and (not all(learned) or proof.sizes["counted words"] > proof.sizes["words"]):
        return "its counts do not fit its words"
    return None


SCHEMA = Schema(
    Ids("words", "words"),
    Array("word_factors", "f4", ("words", "factors")),
    *LEARNED,
    # Words that were folded in have no counts.
    Csr("counts", "counted words", "counted words", least=0.0, optional=True),
    parameters={
        "factors": Whole(1, size="factors"),
        "window": Whole(1, most=WIDEST_WINDOW),
        "weighting": Word("inverse", "linear", "flat"),
        "side": Word("both", "left", "right"),
        "min_count": Either(None, Whole(1)),
        "max_words": Either(None, Whole(2)),
        "tokenizer": Word("split", "words"),
        "sentences": Word("lines", "files"),
        "shift": Number(above=0.0),
        "context_smoothing": Number(-STEEPEST, most=STEEPEST),
        "weight_ceiling": Number(above=0.0),
        "weight_exponent": Number(-STEEPEST, most=STEEPEST),
        "unlabelled_total": Either(None, Number(0.0)),
        "unlabelled_weight": Either(None, Number(0.0)),
        "frequency_exponent": Number(-STEEPEST, most=STEEPEST),
        "unlabelled_target": Number(),
        "regularization": Number(above=0.0),
        "solver": Word(*registry.NAMES),
        "learning_rate": Either(None, Number(above=0.0)),
        "iterations": Either(None, Whole(1)),
        "tolerance": Number(0.0),
        "output": Word("sum", "word", "context"),
        "keep_counts": Flag(),
        "memory": Number(above=0.0),
        "random_state": SEED,
    },
    facts={"history": History(), "weight_rule": Either(None, FREQUENCY_WEIGHT)},
    rules=(_consistent,),
)
