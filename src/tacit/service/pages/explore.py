"""What the explorer asks beside the service's own questions: names as one types, histories, places on a map."""

import threading
from typing import Any, Literal

import msgspec
import numpy as np

from tacit.errors import InputError
from tacit.service.events import Id
from tacit.service.pages.search import SearchIndex
from tacit.service.served import Served

Answer = dict[str, Any]
SIDES = {"rows": ("row_ids_", "user_ids_"), "cols": ("col_ids_", "item_ids_", "words_")}
_SHOWN = 300
"""Characters of a title in a list."""
_GROWN = 1000
"""Ids that may have joined since the index was made, before it is made anew."""
_MAPPED = 60


class Search(msgspec.Struct, forbid_unknown_fields=True):
    """Ids and titles that hold every word of ``q``, as one types it."""

    q: str
    side: Literal["rows", "cols"] = "cols"
    n: int = 12


class About(msgspec.Struct, forbid_unknown_fields=True):
    """What there is to explore: how many of each side, and contexts with their first ids."""


class Taken(msgspec.Struct, forbid_unknown_fields=True):
    """The history of a row."""

    row: Id


class Places(msgspec.Struct, forbid_unknown_fields=True):
    """Places of words on a map of their own: near words stand near each other."""

    ids: list[Id]


class Explorer:
    """Search indices of models, made when they are first asked for."""

    def __init__(self) -> None:
        self._indices: dict[tuple[str, str, str], tuple[SearchIndex, np.ndarray[Any, Any]]] = {}
        self._making = threading.Lock()

    def search(self, served: Served, ask: Search) -> Answer:
        """The best first: the one whose id is asked for, then by how often it occurs."""
        if not 1 <= ask.n <= 100:
            raise InputError(f"n must be between 1 and 100, not {ask.n}.")
        ids = ids_of(served.state.model, ask.side)
        if not ask.q.strip():
            # What a page shows before anybody has typed waits for no index.
            numbers = by_count(served.state.model, ask.side, len(ids))[: ask.n].tolist()
        else:
            index, order = self._index(served, ask.side, ids)
            numbers = order[index.search(ask.q, ask.n)].tolist()
        exact = _number_of(ids, ask.q.strip())
        if exact is not None:
            numbers = [exact, *(one for one in numbers if one != exact)][: ask.n]
        listed = np.asarray(ids.take(np.array(numbers, dtype=np.int64))).tolist()
        return {"results": [{"id": one, "title": short(served.titles.get(one))} for one in listed]}

    def _index(self, served: Served, side: str, ids: Any) -> tuple[SearchIndex, Any]:
        key = served.name, served.state.digest, side
        with self._making:
            known = self._indices.get(key)
            if known is None or len(ids) > len(known[0]) + _GROWN:
                for old in [other for other in self._indices if other[0] == served.name and other[1] != key[1]]:
                    del self._indices[old]
                order = by_count(served.state.model, side, len(ids))
                listed = np.asarray(ids.take(order)).tolist()
                known = SearchIndex(listed, [served.titles.get(one) for one in listed]), order
                self._indices[key] = known
            return known

    def about(self, served: Served, ask: About) -> Answer:
        model = served.state.model
        contexts = getattr(model, "context_ids_", None) or {}
        return {
            "sides": {side: len(ids_of(model, side)) for side in SIDES if has_ids(model, side)},
            "contexts": {name: ids.all()[:200].tolist() for name, ids in contexts.items()},
        }

    def history(self, served: Served, ask: Taken) -> Answer:
        cols, weights = taken_by(served.state.model, ask.row)
        return {"cols": cols, "weights": weights, "titles": [short(served.titles.get(one)) for one in cols]}

    def map(self, served: Served, ask: Places) -> Answer:
        from tacit.report.word_map import plane

        if not 3 <= len(ask.ids) <= _MAPPED:
            raise InputError(f"ids: a map takes 3 to {_MAPPED} words, not {len(ask.ids)}.")
        model = served.state.model
        if not hasattr(model, "unit_vectors"):
            raise InputError(f"a {type(model).__name__} has no map; ask word vectors.")
        return {"places": plane(model.unit_vectors[model.words_.require(ask.ids)]).tolist()}


def has_ids(model: Any, side: str) -> bool:
    """Whether a model has ids of this side."""
    return not hasattr(model, "classes_") and any(hasattr(model, name) for name in SIDES[side])


def ids_of(model: Any, side: str) -> Any:
    """The ids of one side of a model."""
    for name in SIDES[side]:
        if hasattr(model, name):
            return getattr(model, name)
    raise InputError(f"side: a {type(model).__name__} has no {side}.")


def by_count(model: Any, side: str, length: int) -> Any:
    """Numbers of ids, those that occur most often first, as far as the model keeps that."""
    seen = getattr(model, "seen_", None)
    counts = np.zeros(length)
    if seen is not None:
        here = np.bincount(seen.indices, minlength=length) if side == "cols" else np.diff(seen.indptr)
        counts[: len(here)] = here[:length]
    return np.argsort(-counts, kind="stable")


def taken_by(model: Any, row: Id) -> tuple[list[Any], list[float]]:
    """What a row has, with weights."""
    if not hasattr(model, "positives_of"):
        raise InputError(f"a {type(model).__name__} keeps no histories.")
    cols, weights = model.positives_of(row)
    return cols, weights


def short(title: str | None) -> str | None:
    """A title for a list."""
    return title if title is None or len(title) <= _SHOWN else title[:_SHOWN] + "…"


def _number_of(ids: Any, text: str) -> int | None:
    tried = [text, int(text)] if text.isdecimal() and len(text) < 19 else [text]
    for one in tried:
        try:
            number = int(ids.numbers([one])[0])
        except (InputError, TypeError, ValueError):
            continue
        if number >= 0:
            return number
    return None
