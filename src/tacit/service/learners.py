"""How each kind of model takes in events: ``check`` refuses bad ones before they are stored, ``apply`` learns the rest.

The effect of an event depends only on the events before it, never on how they were grouped, so a replay gives the same
bits.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from tacit.errors import InputError
from tacit.service.events import Event, Id
from tacit.service.stream_record import StreamRecord

LONGEST_ID = 10_000
"""Characters of an id at most."""


class Learner(Protocol):
    """What the writer asks of a model."""

    restarts_from: str
    """Where a restart begins: ``"snapshot"``, or ``"events"`` where all of them are remembered anew."""

    def check(self, event: Event) -> None:
        """One sentence where the event cannot be learned."""

    def apply(self, events: Sequence[Event]) -> None:
        """Learn these in turn: all of them, or none where it fails."""

    def running_error(self) -> float | None:
        """Mean absolute error of what was predicted just before it was learned, where the model predicts."""


def learner_of(model: Any) -> Learner | None:
    """The learner for a model, by the calls that it has; None where it does not learn from events."""
    if hasattr(model, "learn_one"):
        return StreamLearner(model)
    if hasattr(model, "add") and hasattr(model, "recommend"):
        return RecommenderLearner(model)
    if hasattr(model, "predict_topk"):
        return TaggerLearner()
    if hasattr(model, "rank_score"):
        return GradeLearner(model)
    return None


class RecommenderLearner:
    """A positive joins the history of its row, which is placed anew; unknown rows and columns join."""

    restarts_from = "snapshot"

    def __init__(self, model: Any) -> None:
        self.model = model

    def check(self, event: Event) -> None:
        if not (math.isfinite(event.amount) and 0 < event.amount <= 1e30):
            raise InputError(f"weight must be above 0 and at most 1e30, not {event.amount!r}.")
        _check_id("row", event.row, self.model.row_ids_)
        _check_id("col", event.col, self.model.col_ids_)

    def apply(self, events: Sequence[Event]) -> None:
        self.model.add_each(*_columns(events))

    def running_error(self) -> float | None:
        return None


class StreamLearner:
    """``weight`` is the rating; it is predicted, then learned."""

    restarts_from = "snapshot"

    def __init__(self, model: Any) -> None:
        self.model = model
        self.record = StreamRecord()

    def check(self, event: Event) -> None:
        lowest = 0.0 if getattr(self.model, "nonnegative", False) and not self.model.biases else -1e30
        if event.weight is msgspec.UNSET:
            raise InputError('weight is the rating and is absent; give it, such as "weight": 4.')
        if not (math.isfinite(event.amount) and lowest <= event.amount <= 1e30):
            raise InputError(f"weight is the rating, from {lowest:g} to 1e30, not {event.amount!r}.")
        for name, value in (("row", event.row), ("col", event.col)):
            _check_length(name, value)

    def apply(self, events: Sequence[Event]) -> None:
        rows, cols, ratings = _columns(events)
        predicted = self.model.predict_then_learn(rows, cols, ratings).tolist()
        for told, col, rating in zip(predicted, cols, ratings):
            self.record.add(col, told, rating)

    def running_error(self) -> float | None:
        return self.record.running()["model"] if self.record.count else None


class TaggerLearner:
    """Decisions about tags: accepted ones come first in answers about their row, rejected ones never come back.

    The tagger itself learns from them when it is trained anew.
    """

    restarts_from = "events"

    def __init__(self) -> None:
        self.decisions: dict[Id, dict[Id, bool]] = {}
        self.texts: dict[Id, str] = {}

    def check(self, event: Event) -> None:
        for name, value in (("row", event.row), ("col", event.col)):
            _check_length(name, value)

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.accepted is None:
                self.decisions.get(event.row, {}).pop(event.col, None)
            else:
                self.decisions.setdefault(event.row, {})[event.col] = event.accepted
            if event.text is not None:
                self.texts[event.row] = event.text

    def running_error(self) -> float | None:
        return None


class GradeLearner:
    """Grades that people give: ``row`` is the row's own id, ``col`` the grade; ``accepted`` None takes it back.

    A ranker is fitted anew to rows and their grades; these are kept for that.
    """

    restarts_from = "events"

    def __init__(self, model: Any) -> None:
        self.names = {str(one) for one in model.classes_.tolist()}
        self.grades: dict[Id, Id] = {}

    def check(self, event: Event) -> None:
        _check_length("row", event.row)
        if str(event.col) not in self.names:
            raise InputError(f"col is the grade, one of {', '.join(sorted(self.names))}, not {event.col!r}.")

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            self.grades.pop(event.row, None)
            if event.accepted is not None:
                self.grades[event.row] = event.col

    def running_error(self) -> float | None:
        return None


def _columns(events: Sequence[Event]) -> tuple[list[Id], list[Id], list[float]]:
    return [one.row for one in events], [one.col for one in events], [one.amount for one in events]


def _check_id(name: str, value: Id, ids: Any) -> None:
    _check_length(name, value)
    if len(ids) and ids.is_numeric != isinstance(value, int):
        kind = "whole numbers" if ids.is_numeric else "text"
        raise InputError(f"{name}: the model's ids are {kind}, and {value!r} is not.")


def _check_length(name: str, value: Id) -> None:
    if isinstance(value, str) and not 0 < len(value) <= LONGEST_ID:
        raise InputError(f"{name} must have 1 to {LONGEST_ID} characters, not {len(value)}.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InputError(f"{name} must fit into 64 bits.")
