"""Coordinates of words in the plane, for maps on pages."""

from collections.abc import Mapping, Sequence
from typing import Any


def word_places(model: Any, groups: Mapping[Any, Sequence[Any]]) -> dict[str, list[tuple[str, float, float]]]:
    """Each word with its place in the plane, by group; a word of two groups stays in the first."""
    from tacit.report.word_map import plane

    group_of: dict[Any, Any] = {}
    for name, words in groups.items():
        for word in words:
            group_of.setdefault(word, name)
    places = plane(model.unit_vectors[model.words_.require(list(group_of))])
    result: dict[str, list[tuple[str, float, float]]] = {str(name): [] for name in groups}
    for (word, name), (x, y) in zip(group_of.items(), places.tolist()):
        result[str(name)].append((str(word), x, y))
    return result
