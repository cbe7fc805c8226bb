"""What the files of the rating streams hold."""

from typing import Any

import numpy as np

from tacit.estimators.schema import Array, Ids, Proof, Schema
from tacit.estimators.values import SEED, Either, Flag, Many, Named, Number, Record, Value, Whole, Word
from tacit.solvers.hedge import RECORDS
from tacit.solvers.passive_aggressive import VARIANTS

LARGEST = 1e15
"""Of what belongs to one user or item; products of two of them stay within float32."""
LARGEST_SUM = 1e30

ROWS = (
    Ids("user_ids", "users"),
    Ids("item_ids", "items"),
    Array("users", "f4", ("users", "width"), least=-LARGEST, most=LARGEST),
    Array("items", "f4", ("items", "width"), least=-LARGEST, most=LARGEST),
    Array("memory", "f8", ("memory",), least=-LARGEST_SUM, most=LARGEST_SUM),
)

FACTS: dict[str, Value] = {"seed": Whole(0, most=2**128), "journal": Named(Named(Number()))}

CLIP = Either(None, Many(Number(), count=2))

SETTING: dict[str, Value] = {
    "factors": Whole(0),
    "variant": Word(*VARIANTS),
    "adaptation": Either(None, Word("diagonal", "full")),
    "aggressiveness": Number(above=0.0),
    "delta": Number(0.0),
    "epsilon": Number(0.0),
    "nonnegative": Flag(),
    "projection": Word("exact", "plain"),
    "biases": Flag(),
    "forgetting": Number(above=0.0, most=1.0),
}


def _rows_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    """Rows as wide as the settings say: kernels find their way in them by the settings alone."""
    from tacit.kernels import rating_rounds

    model = proof.model
    model._check_clip()
    settings = model._settings()
    width = 1 + sum(setting.width for setting in settings)
    length = rating_rounds.HEAD + len(settings) + 2 * width
    if proof.sizes["width"] != width or proof.sizes["memory"] != length:
        return f"its rows have {proof.sizes['width']} numbers, and its settings ask for {width}"
    # As many numbers are in the memory, whether or not anybody has rated.
    proof.backed.add("width")
    counts = parts["memory"][[rating_rounds.ROUNDS, rating_rounds.USERS, rating_rounds.ITEMS]]
    largest = parts["memory"][rating_rounds.LARGEST]
    if counts.min() < 0 or counts.max() > 2**53 or np.any(counts % 1) or not 0 <= largest <= LARGEST:
        return "its counts of ratings, users and items are not counts"
    return None


def _record_fits(proof: Proof, parts: dict[str, Any]) -> str | None:
    if proof.sizes["records"] >= RECORDS or proof.sizes["experts"] != len(proof.model._settings()):
        return "its record of weights does not fit its experts"
    return None


RATING = Schema(
    *ROWS,
    parameters={
        **SETTING,
        "cold_start": Word("average", "random"),
        "start": Either(None, Number(above=0.0)),
        "clip": CLIP,
        "random_state": SEED,
    },
    facts=FACTS,
    may_be_zero=("users", "items"),
    rules=(_rows_fit,),
)

EXPERT = Schema(
    *ROWS,
    Array("record.n_seen", "i8", ("records",), least=0),
    Array("record.weights", "f8", ("records", "experts"), least=0.0, most=1.0 + 1e-9),
    parameters={
        "experts": Either(
            None, Word("paper"), Many(Record(SETTING | {"start": Number(above=0.0)}, partial=True), least=1)
        ),
        "combine": Word("hedge", "uniform"),
        "beta": Number(above=0.0, most=1.0),
        "exploration": Number(0.0, most=1.0),
        "cold_start": Word("average", "random"),
        "forgetting": Number(above=0.0, most=1.0),
        "clip": CLIP,
        "random_state": SEED,
    },
    facts=FACTS | {"interval": Whole(1, most=2**62)},
    may_be_zero=("users", "items", "records"),
    rules=(_rows_fit, _record_fits),
)
