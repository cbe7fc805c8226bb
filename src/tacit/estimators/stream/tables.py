"""What the files of the rating streams hold."""

from typing import Any

import numpy as np

from tacit.estimators.schema import Schema
from tacit.estimators.schema_parts import Array, Ids, Proof
from tacit.estimators.values import SEED, Either, Flag, Many, Named, Number, Record, Value, Whole, Word
from tacit.solvers.hedge import PRESETS
from tacit.solvers.passive_aggressive import AIMS, VARIANTS, Stream
from tacit.solvers.weight_record import RECORDS

LARGEST = 1e15
"""Of what belongs to one user or item; products of two of them stay within float32."""
LARGEST_SUM = 1e30
COUNTS = ("SEEN", "USERS", "ITEMS", "RUN", "EARLIER")
"""Places of the memory that hold whole numbers."""

ROWS = (
    Ids("user_ids", "users", personal=True),
    Ids("item_ids", "items"),
    Array("users", "f4", ("users", "width"), least=-LARGEST, most=LARGEST),
    Array("items", "f4", ("items", "width"), least=-LARGEST, most=LARGEST),
    Array("memory", "f8", ("memory",), least=-LARGEST_SUM, most=LARGEST_SUM),
)

FACTS: dict[str, Value] = {"seed": Whole(0, most=2**128), "journal": Named(Named(Number()))}

CLIP = Either(None, Word("seen"), Many(Number(), count=2))

SETTING: dict[str, Value] = {
    "factors": Whole(0),
    "variant": Word(*VARIANTS),
    "adaptation": Either(None, Word("diagonal", "full")),
    "aggressiveness": Number(above=0.0),
    "delta": Number(0.0),
    "epsilon": Number(0.0),
    "nonnegative": Flag(),
    "projection": Word("exact", "plain"),
    "biases": Either(None, Word("means", "learned")),
    "forgetting": Number(above=0.0, most=1.0),
    "start": Either(None, Number(above=0.0)),
}

SHARED: dict[str, Value] = {
    "cold_start": Word("average", "random"),
    "shrinkage": Number(0.0),
    "aim": Word(*AIMS),
    "clip": CLIP,
    "random_state": SEED,
}


def _rows_fit(proof: Proof, parts: dict[str, Any]) -> str | None:
    """Rows as wide as the settings say: kernels find their way in them by the settings alone."""
    from tacit.kernels import passive_aggressive, running_means

    model, memory = proof.model, parts["memory"]
    model.check_clip()
    settings = model.settings()
    width = passive_aggressive.SEGMENTS + sum(setting.width for setting in settings)
    if proof.sizes["width"] != width:
        return f"its rows have {proof.sizes['width']} numbers, and its settings ask for {width}"
    if len(memory) > 2 * width:
        # As many numbers are in the memory, whether or not anybody has rated.
        proof.backed.add("width")
    proof.require_backed()
    if len(memory) != len(Stream(settings, model.rules(proof.facts["seed"])).memory):
        return "its memory does not fit its settings"
    for side in ("users", "items"):
        rated = parts[side][:, passive_aggressive.COUNT]
        if rated.min(initial=0) < 0 or np.any(rated % 1):
            return f"how often its {side} have rated or been rated are not counts"
    counts = memory[[getattr(running_means, name) for name in COUNTS]]
    if (
        counts.min() < 0
        or counts.max() > 2**53
        or np.any(counts % 1)
        or not 0 <= memory[running_means.LARGEST] <= LARGEST
    ):
        return "its counts of ratings, users and items are not counts"
    if memory[running_means.EARLIER] + memory[running_means.RUN] > memory[running_means.SEEN]:
        return "it has seen fewer ratings than those before and after its last jump"
    lowest, highest, varied = memory[[running_means.LOWEST, running_means.HIGHEST, running_means.VARIED]]
    if lowest > highest or varied not in (0, 1) or (varied and lowest == highest):
        return "its range of ratings is none"
    if np.abs(memory[[running_means.LOW_SHIFT, running_means.HIGH_SHIFT]]).max() > highest - lowest:
        return "its predictions are shifted by more than the range of its ratings"
    if memory[[running_means.VARIANCE, running_means.ERROR]].min() < 0:
        return "its mean squares are negative"
    if memory[running_means.HEAD : running_means.HEAD + len(settings)].max() != 0:
        return "the largest log weight of its experts is not 0"
    return None


def _record_fits(proof: Proof, parts: dict[str, Any]) -> str | None:
    if proof.sizes["records"] >= RECORDS or proof.sizes["experts"] != len(proof.model.settings()):
        return "its record of weights does not fit its experts"
    return None


RATING = Schema(
    *ROWS,
    parameters=SETTING | SHARED,
    facts=FACTS,
    may_be_zero=("users", "items"),
    rules=(_rows_fit,),
)

EXPERT = Schema(
    *ROWS,
    Array("record.n_seen", "i8", ("records",), least=0),
    Array("record.weights", "f8", ("records", "experts"), least=0.0, most=1.0 + 1e-9),
    parameters={
        **SHARED,
        "experts": Either(None, Word(*PRESETS), Many(Record(SETTING, partial=True), least=1)),
        "combine": Word("hedge", "uniform"),
        "beta": Number(above=0.0, most=1.0),
        "exploration": Either(None, Number(0.0, most=1.0)),
        "forgetting": Number(above=0.0, most=1.0),
    },
    facts=FACTS | {"interval": Whole(1, most=2**62)},
    may_be_zero=("users", "items", "records"),
    rules=(_rows_fit, _record_fits),
)
