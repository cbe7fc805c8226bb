"""What pages ask of the service beside its own questions: a name, what a request says, and who answers."""

from collections.abc import Callable
from typing import Any

from tacit.service.pages.explore import About, Explorer, Places, Search, Taken
from tacit.service.served import Served

PAGES = ("explore", "review", "watch", "grade")
Answerer = Callable[[Served, Any], dict[str, Any]]


class Desk:
    """All that pages keep in memory; models and events are the service's."""

    def __init__(self) -> None:
        explorer = Explorer()
        self.asks: dict[str, tuple[type, Answerer]] = {
            "search": (Search, explorer.search),
            "about": (About, explorer.about),
            "history": (Taken, explorer.history),
            "map": (Places, explorer.map),
        }
