"""Suggestions of an audit, handed out to reviewers; what they decide are events of the tagger."""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Literal

import msgspec

from tacit.errors import InputError
from tacit.estimators.tag.audit_report import Suggestion, read_suggestions
from tacit.service.events import Id
from tacit.service.learners import TaggerLearner
from tacit.service.served import Served

Answer = dict[str, Any]
Cell = tuple[Id, Id]
LENT_SECONDS = 120.0
"""How long a suggestion that one reviewer has in hand is kept from the others."""
_LIKE = 0.05


class Review(msgspec.Struct, forbid_unknown_fields=True):
    """The next open suggestions for one reviewer, without those in ``leave``; or the ones named in ``cells``."""

    who: str
    order: Literal["score", "label", "row"] = "score"
    n: int = 8
    leave: list[Cell] = []
    cells: list[Cell] = []


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    """All decisions about suggestions of the audit."""


class ReviewQueue:
    """The suggestions of one audit, best first."""

    def __init__(self, suggestions: list[Suggestion]) -> None:
        self.by_cell: dict[Cell, Suggestion] = {(one.row, one.label): one for one in suggestions}
        self.orders: dict[str, list[Cell]] = {"score": list(self.by_cell)}
        for part, name in enumerate(("row", "label")):
            first: dict[Id, int] = {}
            for place, cell in enumerate(self.by_cell):
                first.setdefault(cell[part], place)
            self.orders[name] = sorted(self.by_cell, key=lambda cell, part=part, first=first: first[cell[part]])  # type: ignore[misc]
        self.lent: dict[Cell, tuple[str, float]] = {}
        self.lock = threading.Lock()

    def next(self, decided: Mapping[Cell, bool], ask: Review) -> list[Suggestion]:
        """Open ones that nobody else has in hand; they are in this reviewer's hand from here on."""
        left, now = set(ask.leave), time.monotonic()
        with self.lock:
            self.lent = {cell: hand for cell, hand in self.lent.items() if now - hand[1] < LENT_SECONDS}

            def free() -> Iterator[Cell]:
                for cell in self.orders[ask.order]:
                    if cell not in decided and cell not in left and self.lent.get(cell, (ask.who,))[0] == ask.who:
                        yield cell

            cells = list(islice(free(), ask.n))
            self.lent |= dict.fromkeys(cells, (ask.who, now))
        return [self.by_cell[cell] for cell in cells]


class Reviews:
    """Queues by the names of their taggers."""

    def __init__(self, paths: Mapping[str, str | os.PathLike[str]]) -> None:
        self.queues = {name: ReviewQueue(list(read_suggestions(path))) for name, path in paths.items()}

    def review(self, served: Served, ask: Review) -> Answer:
        queue = self._queue(served)
        if not (1 <= ask.n <= 100 and len(ask.leave) <= 10_000 and len(ask.cells) <= 100):
            raise InputError("review: ask for 1 to 100 suggestions and leave out at most 10000.")
        decided = self._decided(served, queue)
        if ask.cells:
            unknown = [cell for cell in ask.cells if cell not in queue.by_cell]
            if unknown:
                raise InputError(f"cells: {unknown[0]!r} is not a suggestion of this audit.")
            suggestions = [queue.by_cell[cell] for cell in ask.cells]
        else:
            suggestions = queue.next(decided, ask)
        right = sum(decided.values())
        return {
            "items": [_shown(one, self._like(queue, decided, one.score)) for one in suggestions],
            "accepted": right,
            "rejected": len(decided) - right,
            "open": len(queue.by_cell) - len(decided),
        }

    def decided(self, served: Served, ask: Decided) -> Answer:
        queue = self._queue(served)
        return {
            "decisions": [
                {"row": row, "label": label, "accepted": right, "carries": queue.by_cell[row, label].carries}
                for (row, label), right in self._decided(served, queue).items()
            ]
        }

    def _queue(self, served: Served) -> ReviewQueue:
        try:
            return self.queues[served.name]
        except KeyError:
            raise InputError(
                f"there is nothing to review for {served.name}: write suggestions with tacit audit -o audit.json and "
                f"start with --review {served.name}=audit.json."
            ) from None

    def _decided(self, served: Served, queue: ReviewQueue) -> dict[Cell, bool]:
        learner = served.state.learner
        if not isinstance(learner, TaggerLearner):
            raise InputError(
                f"{served.name} is a {type(served.state.model).__name__}, not a tagger; it has no tags to review."
            )
        # Copied at once, because the writer goes on meanwhile.
        known = {row: dict(labels) for row, labels in list(learner.decisions.items())}
        return {
            (row, label): right
            for row, labels in known.items()
            for label, right in labels.items()
            if (row, label) in queue.by_cell
        }

    @staticmethod
    def _like(queue: ReviewQueue, decided: Mapping[Cell, bool], score: float) -> list[int]:
        """How many with a like score were decided, and accepted."""
        like = [right for cell, right in decided.items() if abs(queue.by_cell[cell].score - score) <= _LIKE]
        return [len(like), sum(like)]


def _shown(one: Suggestion, like: list[int]) -> Answer:
    return {
        "row": one.row, "label": one.label, "score": one.score, "text": one.text, "carries": one.carries,
        "nearest": one.nearest, "features": one.features, "companions": one.companions, "like": like,
    }  # fmt: skip
