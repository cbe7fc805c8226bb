"""Opening a model for a verb, and finding in it what was typed."""

import difflib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.cli.output import say
from tacit.errors import InputError, UnknownIdError

if TYPE_CHECKING:
    from tacit.data.growing_ids import GrowingIds
    from tacit.data.ids import Ids


def open_model(path: Path, verb: str, needs: str | tuple[str, ...], made_by: str) -> Any:
    """The model in a file, if it can do what the verb asks for.

    needs : the method that it must have, or several
    made_by : the command that makes such models
    """
    from tacit import load

    model = load(path)
    if not all(hasattr(model, one) for one in ((needs,) if isinstance(needs, str) else needs)):
        raise InputError(
            f"{str(path)!r} holds a {type(model).__name__}, with which tacit {verb} can do nothing; "
            f"give it a model made by {made_by}."
        )
    return model


PEOPLE = ("row",)
"""Whose ids are nobody else's business: what is near to a mistyped one is not shown."""


def known_ids(given: Iterable[str], ids: "Ids | GrowingIds", what: str, source: str = "") -> list[Any]:
    """Ids as the model holds them: a shell hands over text where the model may know numbers or dates.

    source : the file that they are from, one id a line
    """
    given = list(given)
    by_text = {str(value): value for value in ids.all().tolist()}
    for one in given:
        if one not in by_text:
            near = difflib.get_close_matches(one, by_text, n=1) if what not in PEOPLE else []
            example = f", such as {next(iter(by_text))!r}" if by_text and not near and what not in PEOPLE else ""
            hint = f"; did you mean {near[0]!r}" if near else "; check its spelling" if what in PEOPLE else ""
            where = f"{source} should hold one {what} a line: " if source else ""
            hint = hint or (f"; take that line out of {source.split()[-1]}" if source else "")
            raise UnknownIdError(
                f"{where}the model knows {len(by_text)} {what}s{example}, but no {what} {one!r}{hint}."
            )
    return [by_text[one] for one in given]


def as_known(given: list[Any], ids: "Ids | GrowingIds") -> list[Any]:
    """Ids of a table as text where the model's are text, and as numbers where they are numbers.

    A file of 0042 and one of 1042 alone are of one shop: the first is read as text, the second as numbers.
    """
    known = ids.all()[:1].tolist()
    if known and isinstance(known[0], str):
        return [str(one) for one in given]
    is_text = [isinstance(one, str) and one.isdecimal() for one in given]
    if known and isinstance(known[0], int) and all(is_text):
        return [int(one) for one in given]
    return given


def say_respelled(given: list[Any], ids: "Ids | GrowingIds", what: str) -> None:
    """Say when ids that are new are known ones in another spelling: other capitals or blanks, or zeros before them.

    what : rows or columns
    """
    from tacit.data.spellings import plain_id

    known = {str(one) for one in ids.all().tolist()}
    new = [str(one) for one in given if str(one) not in known]
    bare = {one.lstrip("0"): one for one in known if one.isdecimal()}
    numbers = {one: bare[one.lstrip("0")] for one in new if one.isdecimal() and one.lstrip("0") in bare}
    plain = {plain_id(one): one for one in known}
    others = {one: plain[plain_id(one)] for one in new if plain_id(one) in plain}
    # A few numbers may be alike by chance; capitals and blanks are not.
    zeros = 2 * len(numbers) > len(new)
    for alike, by, cause in (
        (numbers if zeros else {}, "zeros before them", "did a spreadsheet take them away? They"),
        (others, "capitals or blanks", "they"),
    ):
        if alike:
            one, mine = next(iter(alike.items()))
            example = "" if what == "rows" else f", such as {one!r} for {mine!r}"
            say(
                f"{len(alike):,} of {len(new):,} new {what} are ids of known {what} but for {by}{example}; {cause} "
                "join as new ones: write them as the model has them."
            )


def read_lines(path: Path, what: str = "id") -> list[str]:
    """Ids or texts from a file, one a line; ``-`` is standard input."""
    if str(path) != "-" and not path.is_file():
        raise InputError(f"there is no file {str(path)!r} to read {what}s from.")
    data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{str(path)!r} is not text in UTF-8, first in line {line}; it should hold one {what} a line."
        ) from None
    return [line for line in text.splitlines() if line]
