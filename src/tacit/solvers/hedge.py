"""The settings that run side by side in an ``ExpertRatingStream``.

Either a preset by name, or a list of settings given by the caller. Hedge weighs their predictions (in the kernel).
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from tacit import checks
from tacit.errors import InputError
from tacit.solvers.passive_aggressive import Setting

REFERENCE = 5.0
"""Settings without running means are stated for ratings up to 5; other scales are converted by the largest rating."""

DEFAULT = (
    Setting(factors=0),
    Setting(factors=10),
    Setting(factors=20),
    Setting(factors=40),
    Setting(factors=20, aggressiveness=0.2),
    Setting(factors=20, aggressiveness=0.05),
)
"""Running means alone, and with factors of three lengths and three step sizes. They share their biases, so all of them
start as well as the best one."""


def _as_in_the_paper(sizes: Sequence[float], ranks: Sequence[int]) -> tuple[Setting, ...]:
    return tuple(
        Setting(factors=k, aggressiveness=c, biases=None, nonnegative=True, delta=0.05) for c in sizes for k in ranks
    )


PAPER = _as_in_the_paper((0.01, 0.05, 0.4, 0.8, 5.0), (5, 10, 15))
"""The paper's fifteen experts for small data sets (section 5.1.3)."""

PAPER_MEDIUM = _as_in_the_paper((0.02, 0.1, 0.8, 1.6, 10.0), (10, 15, 20))
"""And those for medium-sized ones."""

PRESETS = {"paper": PAPER, "paper medium": PAPER_MEDIUM}


def as_settings(experts: Sequence[Mapping[str, Any] | Setting]) -> list[Setting]:
    """Settings from mappings of ``RatingStream``'s parameters; what is left out keeps its default."""
    known = {field.name for field in fields(Setting)}
    settings = []
    for number, expert in enumerate(checks.listed("experts", experts)):
        if isinstance(expert, Setting):
            settings.append(expert)
            continue
        if not isinstance(expert, Mapping):
            raise InputError(f"experts: number {number} must be a table of settings, not {checks.shown(expert)}.")
        strange = set(expert) - known
        if strange:
            raise InputError(
                f"experts: number {number} has {', '.join(sorted(map(str, strange)))}, which a setting does not know; "
                f"use {', '.join(sorted(known))}."
            )
        settings.append(replace(Setting(), **expert))
    if not settings:
        raise InputError("experts is empty; give at least one setting, or None for the default ones.")
    return settings
