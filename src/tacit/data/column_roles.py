"""Guess which column is the row, the column, the weight and the time from their names.

Where two columns would fit, nothing is guessed.
"""

import re
from collections.abc import Sequence

_NAMES: dict[str, str] = {
    "row": "user customer client member person who account visitor session basket order shopper reader listener viewer "
    "patient row",
    "col": "item product article movie film book song track artist page what thing sku goods title tag label col "
    "column",
    "weight": "rating stars score weight count plays clicks quantity amount value times",
    "time": "time timestamp date datetime moment day when",
}
_WORDS = {role: frozenset(names.split()) for role, names in _NAMES.items()}


def guess_roles(columns: Sequence[str]) -> dict[str, str]:
    """Role → column, for every role that exactly one column's name fits.

    Endings such as ``_id`` and upper case do not matter. A table of just two columns needs no telling names: the
    first one is taken for the rows.

    >>> guess_roles(["userId", "movie_id", "rating", "timestamp"])
    {'row': 'userId', 'col': 'movie_id', 'weight': 'rating', 'time': 'timestamp'}
    >>> guess_roles(["from", "to"])
    {'row': 'from', 'col': 'to'}
    >>> guess_roles(["user", "customer", "item"])
    {'col': 'item'}
    """
    words = {column: _bare(column) for column in columns}
    fitting = {role: [column for column in columns if words[column] in names] for role, names in _WORDS.items()}
    result = {role: matches[0] for role, matches in fitting.items() if len(matches) == 1}
    if len(columns) == 2 and not ("row" in result and "col" in result):
        return {"row": columns[0], "col": columns[1]}
    return result


def is_opinion(column: str) -> bool:
    """Whether a column holds what people think, low values included, rather than how often something happened.

    >>> is_opinion("Rating"), is_opinion("plays")
    (True, False)
    """
    return _bare(column) in {"rating", "stars", "score"}


def _bare(column: str) -> str:
    """The telling word of a column name: ``userId``, ``USER_ID`` and ``user ids`` are all ``user``."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", column)
    parts = [part.lower() for part in parts]
    while len(parts) > 1 and parts[-1] in {"id", "ids", "name", "key", "no"}:
        parts.pop()
    word = "".join(parts)
    return word.removesuffix("id") if word.removesuffix("id") in _WORDS["row"] | _WORDS["col"] else word
