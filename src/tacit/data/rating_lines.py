"""Ratings from lines as they come: CSV with or without a header, or JSON lines."""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tacit.errors import InputError


@dataclass(frozen=True)
class LineFormat:
    """How a line is read.

    kind : "csv" or "json"; user, item, rating : names of the columns or keys
    header : whether the first line of a CSV names its columns; if not, the first three columns are taken
    """

    kind: Literal["csv", "json"] = "csv"
    user: str = "user"
    item: str = "item"
    rating: str = "rating"
    separator: str = ","
    header: bool = True


def read_ratings(
    lines: Iterable[str], form: LineFormat, *, skip: int = 0, skip_bad: bool = False
) -> Iterator[tuple[int, Any, Any, float]]:
    """Yield (number of lines consumed so far, user, item, rating) for each rating after the first ``skip`` lines.

    An id that is written as a whole number is one, every other id is text. A line that cannot be read is an error
    that gives its number, or is left out.

    >>> list(read_ratings(["user,item,rating", "ann,7,5"], LineFormat()))
    [(2, 'ann', 7, 5.0)]
    """
    places: list[int] | None = None if form.header else [0, 1, 2]
    for number, line in enumerate(lines, start=1):
        text = line.strip("\r\n")
        if not text.strip():
            continue
        if form.kind == "csv" and places is None:
            places = _places(text, form)
            continue
        if number <= skip:
            continue
        try:
            yield number, *(_from_json(text, form) if form.kind == "json" else _from_csv(text, form, places))
        except (ValueError, KeyError, IndexError, TypeError) as error:
            if not skip_bad:
                reason = f"lacks {error}" if isinstance(error, KeyError) else "cannot be read"
                raise InputError(
                    f"line {number} {reason}: {text[:80]!r}; mend it, or leave such lines out with --skip-bad."
                ) from None


def _places(header: str, form: LineFormat) -> list[int]:
    names = next(csv.reader([header], delimiter=form.separator))
    wanted = {"user": form.user, "item": form.item, "rating": form.rating}
    for parameter, name in wanted.items():
        if name not in names:
            raise InputError(
                f"--{parameter} {name} is not among the columns {', '.join(map(repr, names))}; name the column that "
                "holds it, or say --no-header."
            )
    return [names.index(name) for name in wanted.values()]


def _from_csv(text: str, form: LineFormat, places: list[int] | None) -> tuple[Any, Any, float]:
    # Quotes are rare and the csv module is slow to start on one line.
    parts = next(csv.reader([text], delimiter=form.separator)) if '"' in text else text.split(form.separator)
    assert places is not None
    user, item, rating = (parts[place] for place in places)
    return _as_id(user), _as_id(item), float(rating)


def _from_json(text: str, form: LineFormat) -> tuple[Any, Any, float]:
    record = json.loads(text)
    return record[form.user], record[form.item], float(record[form.rating])


def _as_id(text: str) -> str | int:
    """``7`` is a number; ``007``, ``7.0`` and ``+7`` stay as they are written."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and (digits[0] != "0" or text == "0")
    return int(text) if plain else text
