"""What pages ask of the service beside its own questions: a name, what a request says, and who answers."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tacit.service.pages.explore import About, Explorer, Places, Search, Taken
from tacit.service.pages.grading import Grading, GradingTables
from tacit.service.pages.reports import Reports
from tacit.service.pages.review import Decided, Review, Reviews
from tacit.service.served import Served

Answerer = Callable[[Served, Any], dict[str, Any]]


class Desk:
    """All that pages keep in memory; models and events are the service's."""

    def __init__(
        self,
        reviews: Mapping[str, str | os.PathLike[str]],
        rows: Mapping[str, str | os.PathLike[str]],
        reports: Iterable[str | os.PathLike[str]],
    ) -> None:
        self.reports = Reports(reports)
        explorer, self.reviews, self.grading = Explorer(), Reviews(reviews), GradingTables(rows)
        self.asks: dict[str, tuple[type, Answerer]] = {
            "search": (Search, explorer.search),
            "about": (About, explorer.about),
            "history": (Taken, explorer.history),
            "map": (Places, explorer.map),
            "review": (Review, self.reviews.review),
            "decided": (Decided, self.reviews.decided),
            "grading": (Grading, self.grading.grading),
        }

    def facts(self, name: str) -> dict[str, bool]:
        """Which pages have something to do for a model."""
        return {"reviews": name in self.reviews.queues, "grades": name in self.grading.paths}
