"""What pages ask of the service beside its own questions: a name, what a request says, and who answers."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from tacit.service.pages.explore import About, Explorer, Places, Search, Taken
from tacit.service.pages.review import Decided, Review, Reviews
from tacit.service.served import Served

PAGES = ("explore", "review", "watch", "grade")
Answerer = Callable[[Served, Any], dict[str, Any]]


class Desk:
    """All that pages keep in memory; models and events are the service's."""

    def __init__(self, reviews: Mapping[str, str | os.PathLike[str]]) -> None:
        explorer, self.reviews = Explorer(), Reviews(reviews)
        self.asks: dict[str, tuple[type, Answerer]] = {
            "search": (Search, explorer.search),
            "about": (About, explorer.about),
            "history": (Taken, explorer.history),
            "map": (Places, explorer.map),
            "review": (Review, self.reviews.review),
            "decided": (Decided, self.reviews.decided),
        }

    def facts(self, name: str) -> dict[str, bool]:
        """Which pages have something to do for a model."""
        return {"reviews": name in self.reviews.queues}
