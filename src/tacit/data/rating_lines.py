"""Ratings from lines as they come: CSV with or without a header, or JSON lines.

Lines come as bytes, so that one that cannot be decoded is one bad line and not the end of the stream.
"""

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO, Any, Literal

from tacit.data.column_roles import guess_rating_columns, guess_said
from tacit.data.text_files import separator_in
from tacit.errors import InputError

LONGEST_LINE = 1 << 20
"""Bytes of a line at most; what is longer is no rating, and must not be held."""
LARGEST = 1e15
"""Ratings beyond this overflow single precision as soon as they are squared and summed."""
_SHOWN = 80


@dataclass(frozen=True)
class LineFormat:
    """How a line is read.

    kind : "csv" or "json"; user, item, rating : names of the columns or keys
    separator : between columns of a CSV; None for what the first line has
    header : whether the first line of a CSV names its columns; if not, the first three columns are taken
    source : what the lines come from, for sentences
    lowest : the smallest rating that the model can learn from, or None
    """

    kind: Literal["csv", "json"] = "csv"
    user: str = "user"
    item: str = "item"
    rating: str = "rating"
    separator: str | None = ","
    header: bool = True
    encoding: str = "utf-8"
    decimal: str = "."
    source: str = "the stream"
    lowest: float | None = None


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Lines of a binary file; of one that is too long only the beginning, and the rest is passed over."""
    while line := file.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        yield line


def read_ratings(
    lines: Iterable[bytes],
    form: LineFormat,
    *,
    skip: int = 0,
    on_bad: Callable[[str], None] | None = None,
    on_guess: Callable[[str], None] | None = None,
) -> Iterator[tuple[int, Any, Any, float]]:
    """Yield (number of lines consumed so far, user, item, rating) for each rating after the first ``skip`` lines.

    An id that is written as a whole number is one, every other id is text. A line that cannot be read is an error
    that gives its number, or is left out: then ``on_bad`` hears the sentence. Where "user", "item" or "rating" is not
    among the names, others are taken that say the same, and ``on_guess`` hears which.

    >>> list(read_ratings([b"user,item,rating", b"ann,7,5"], LineFormat()))
    [(2, 'ann', 7, 5.0)]
    """
    places: list[int] | None = None
    named = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if form.kind == "csv" and places is None:
            first = _text(line, number, form) if form.header else line.decode(form.encoding, "replace")
            if form.separator is None:
                # 3,5 is one number then, not two columns.
                form = replace(form, separator=separator_in(first, ";" if form.decimal == "," else ","))
            if form.header:
                form = _guessed(_cells(first, form), form, on_guess)
                places = _places(first, form)
                continue
            places = [0, 1, 2]
        if form.kind == "json" and not named and (keys := _keys(line, form)):
            named, form = True, _guessed(keys, form, on_guess)
        if number <= skip:
            continue
        try:
            if len(line) > LONGEST_LINE:
                raise _BadLine(f"is longer than {LONGEST_LINE} bytes")
            text = line.decode(form.encoding).strip("\r\n\ufeff")
            user, item, rating = _from_json(text, form) if form.kind == "json" else _from_csv(text, form, places)
            yield number, user, item, _checked(rating, form)
        except (_BadLine, UnicodeDecodeError, ValueError, RecursionError) as error:
            sentence = f"line {number} of {form.source} {_why(error, line, form)}"
            if on_bad is None:
                raise InputError(f"{sentence}; fix it, or leave such lines out with --skip-bad.") from None
            on_bad(sentence)


class _BadLine(Exception):
    """Why a line is no rating."""


def _why(error: Exception, line: bytes, form: LineFormat) -> str:
    if isinstance(error, _BadLine):
        shown = f": {line[:_SHOWN].decode(form.encoding, 'replace').strip()!r}"
        return f"{error}{shown}"
    if isinstance(error, UnicodeDecodeError):
        near = line[max(0, error.start - 20) : error.start + 20].decode("latin-1").strip()
        return f"is not {form.encoding.upper()} near {near!r} (--encoding names another)"
    return f"cannot be read: {line[:_SHOWN].decode(form.encoding, 'replace').strip()!r}"


def _text(line: bytes, number: int, form: LineFormat) -> str:
    try:
        return line.decode(form.encoding).strip("\r\n\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(f"line {number} of {form.source}, the header, {_why(error, line, form)}; fix it.") from None


def _cells(text: str, form: LineFormat) -> list[str]:
    return next(csv.reader([text], delimiter=form.separator or ","))


def _keys(line: bytes, form: LineFormat) -> list[str]:
    """The names in a line of JSON; none where it cannot be read."""
    try:
        record = json.loads(line.decode(form.encoding).strip("\r\n\ufeff"))
    except (ValueError, RecursionError):
        return []
    return list(record) if isinstance(record, dict) else []


def _guessed(present: list[str], form: LineFormat, on_guess: Callable[[str], None] | None) -> LineFormat:
    guessed: dict[str, Any] = guess_rating_columns(
        present, {"user": form.user, "item": form.item, "rating": form.rating}
    )
    if guessed and on_guess is not None:
        on_guess(guess_said(guessed))
    return replace(form, **guessed)


def _places(header: str, form: LineFormat) -> list[int]:
    names = _cells(header, form)
    wanted = {"user": form.user, "item": form.item, "rating": form.rating}
    for parameter, name in wanted.items():
        if name not in names:
            raise InputError(
                f"--{parameter} {name} is not among the columns {', '.join(map(repr, names))} of {form.source}; "
                f"{_remedy(header, names, form)}."
            )
    return [names.index(name) for name in wanted.values()]


def _remedy(header: str, names: list[str], form: LineFormat) -> str:
    others = [sign for sign in ";\t|," if sign != form.separator and sign in header]
    if len(names) == 1 and len(others) == 1:
        sign = "tab" if others[0] == "\t" else repr(others[0])
        return f"if that is what stands between columns, say --separator {sign}"
    return "name the column that holds it, or say --no-header"


def _from_csv(text: str, form: LineFormat, places: list[int] | None) -> tuple[Any, Any, Any]:
    # Quotes are rare and the csv module is slow to start on one line.
    try:
        parts = _cells(text, form) if '"' in text else text.split(form.separator)
    except csv.Error as error:
        raise _BadLine(f"has broken quotes ({error})") from None
    assert places is not None
    if len(parts) <= max(places):
        raise _BadLine(f"has only {len(parts)} value{'s' * (len(parts) != 1)}")
    user, item, rating = (parts[index] for index in places)
    if not user.strip() or not item.strip():
        raise _BadLine(f"has no {'user' if not user.strip() else 'item'}")
    return _as_id(user), _as_id(item), rating


def _from_json(text: str, form: LineFormat) -> tuple[Any, Any, Any]:
    record = json.loads(text)
    if not isinstance(record, dict):
        raise _BadLine("is not an object of JSON")
    for name in (form.user, form.item, form.rating):
        if name not in record:
            raise _BadLine(f"lacks {name!r}")
    for name in (form.user, form.item):
        if not isinstance(record[name], str | int | float):
            raise _BadLine(f"has {record[name]!r} under {name!r}, which cannot be an id")
    return record[form.user], record[form.item], record[form.rating]


def _checked(rating: Any, form: LineFormat) -> float:
    try:
        text = rating.replace(",", ".") if form.decimal == "," and isinstance(rating, str) else rating
        value = float("nan" if isinstance(text, bool) else text)
    except (TypeError, ValueError, OverflowError):
        comma = " (--decimal , reads a decimal comma)" if isinstance(rating, str) and "," in rating else ""
        raise _BadLine(f"has the rating {rating!r}, which is no number{comma}") from None
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise _BadLine(f"has the rating {rating!r}, which is {'too large' if math.isfinite(value) else 'not finite'}")
    if form.lowest is not None and value < form.lowest:
        raise _BadLine(
            f"has the rating {rating!r}, which is below {form.lowest:g}, the least that this model can learn"
        )
    return value


def _as_id(text: str) -> str | int:
    """``7`` is a number; ``007``, ``7.0`` and ``+7`` stay as they are written."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and (digits[0] != "0" or text == "0") and len(digits) < 4000
    return int(text) if plain else text
