"""Labels and ids that are probably one: written in several ways, or misspelt by one letter."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

SHORTEST = 5
"""Letters of a label at least: cat and car are both words."""
TIMES_AS_OFTEN = 20
"""A label that is so much rarer than one a letter away from it is probably a slip."""
_JOINTS = re.compile(r"[\s_-]+")
_DIGIT = re.compile(r"\d")


def plain_id(text: str) -> str:
    """An id without capitals, and without blanks around it or more than one inside.

    >>> plain_id(" Ann  Lee")
    'ann lee'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def respelled(ids: Iterable[str]) -> list[tuple[str, str]]:
    """Ids that differ from an earlier one by capitals or blanks alone, each with that one.

    >>> respelled(["ann", "bob", "Bob "])
    [('Bob ', 'bob')]
    """
    first: dict[str, str] = {}
    return [(one, first[plain_id(one)]) for one in ids if first.setdefault(plain_id(one), one) != one]


def several_spellings(times: Mapping[str, int]) -> list[list[str]]:
    """Groups of labels that differ by capitals, blanks, hyphens and underscores alone, the most frequent first.

    >>> several_spellings({"Sport": 9, "sport": 2, "sci fi": 1, "sci-fi": 7, "art": 3})
    [['Sport', 'sport'], ['sci-fi', 'sci fi']]
    """
    written: dict[str, list[str]] = {}
    for label in times:
        written.setdefault(_plain(label), []).append(label)
    groups = [sorted(forms, key=lambda form: -times[form]) for forms in written.values() if len(forms) > 1]
    return sorted(groups, key=lambda forms: -times[forms[0]])


def slips(times: Mapping[str, int]) -> list[tuple[str, str]]:
    """Pairs of a rare label and a frequent one that it differs from by one letter too many, too few, other or swapped.

    >>> slips({"football": 90, "fotball": 1, "footbal": 2, "tennis": 50, "tenins": 1, "python2": 1, "python3": 80})
    [('footbal', 'football'), ('fotball', 'football'), ('tenins', 'tennis')]
    >>> slips({"games": 90, "game": 2, "sport": 60, "sports": 1})
    []
    """
    # Two words one edit apart share a form with at most one letter taken away; two swapped letters as well.
    frequent: dict[str, list[str]] = {}
    for label, count in times.items():
        if count >= TIMES_AS_OFTEN and len(label) >= SHORTEST:
            for form in _shortened(label):
                frequent.setdefault(form, []).append(label)
    found = {}
    for label, count in times.items():
        near = {one for form in _shortened(label) for one in frequent.get(form, ())}
        meant = [one for one in near if times[one] >= TIMES_AS_OFTEN * count and _is_slip(label, one)]
        if meant:
            found[label] = min(meant, key=lambda one: (-times[one], one))
    return sorted(found.items(), key=lambda pair: (-times[pair[1]], pair[0]))


def _plain(label: str) -> str:
    return _JOINTS.sub("", label.casefold())


def _shortened(label: str) -> Iterator[str]:
    yield label
    for place in range(len(label)):
        yield label[:place] + label[place + 1 :]


def _is_slip(label: str, meant: str) -> bool:
    """Labels that differ in a number (python2, python3) or by one at the end (game, games) may both be meant."""
    if _plain(label) == _plain(meant):
        return False
    if _DIGIT.findall(label) != _DIGIT.findall(meant) or label.startswith(meant) or label + "s" == meant:
        return False
    if len(label) != len(meant):
        return abs(len(label) - len(meant)) == 1
    places = [place for place, (a, b) in enumerate(zip(label, meant)) if a != b]
    if len(places) == 1:
        return True
    return len(places) == 2 and places[1] == places[0] + 1 and label[places[0]] == meant[places[1]]
