"""How well a stream predicts, beside two running means: running errors, a curve of bounded length, drift."""

import math
from collections import deque
from typing import Any

from tacit.service.events import Id

_POINTS = 256
"""Points of the curve at most; when it is full every other one is dropped."""
_RECENT = 200
_MOST_MEANS = 1_000_000


class StreamRecord:
    """Absolute errors of predictions made just before their ratings were learned.

    ``overall`` predicts the mean of all ratings so far, ``item`` that of the item's (of all, for a new item).

    >>> record = StreamRecord()
    >>> for predicted, rating in ((3.0, 5.0), (4.0, 5.0), (5.0, 5.0)):
    ...     record.add("tea", predicted, rating)
    >>> record.running()
    {'model': 1.0, 'overall': 0.0, 'item': 0.0}
    """

    def __init__(self) -> None:
        self.count = 0
        self.curve: list[dict[str, Any]] = []
        self._sums = {"model": 0.0, "overall": 0.0, "item": 0.0}
        self._total, self._squares, self._every = 0.0, 0.0, 1
        self._items: dict[Id, tuple[int, float]] = {}
        self._latest: deque[float] = deque(maxlen=_RECENT)

    def add(self, item: Id, predicted: float, rating: float) -> None:
        """One rating and what was predicted; the baselines predict nothing better than the first rating itself."""
        overall = self._total / self.count if self.count else rating
        count, total = self._items.get(item, (0, 0.0))
        error = abs(predicted - rating)
        self._sums["model"] += error
        self._sums["overall"] += abs(overall - rating)
        self._sums["item"] += abs((total / count if count else overall) - rating)
        self._squares += error * error
        self._latest.append(error)
        self.count, self._total = self.count + 1, self._total + rating
        if count or len(self._items) < _MOST_MEANS:
            self._items[item] = count + 1, total + rating
        if self.count % self._every == 0:
            self.curve.append({"count": self.count, **self.running(), "recent": self.recent()})
            if len(self.curve) == _POINTS:
                del self.curve[::2]
                self._every *= 2

    def running(self) -> dict[str, float]:
        """Mean absolute errors over all."""
        return {name: total / max(self.count, 1) for name, total in self._sums.items()}

    def recent(self) -> float | None:
        """Mean absolute error over the latest ratings."""
        return sum(self._latest) / len(self._latest) if self._latest else None

    def drift(self) -> float | None:
        """By how many standard errors the latest errors lie above those before them; None while there are too few.

        Above 3 the world has probably changed.
        """
        before = self.count - len(self._latest)
        if before < _RECENT:
            return None
        mean = (self._sums["model"] - sum(self._latest)) / before
        variance = max(self._squares / self.count - (self._sums["model"] / self.count) ** 2, 0.0)
        spread = math.sqrt(variance * (1 / len(self._latest) + 1 / before))
        recent = self.recent()
        return None if recent is None or spread == 0 else (recent - mean) / spread
