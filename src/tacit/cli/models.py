"""Opening a model for a verb, and finding in it what was typed."""

import difflib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError, UnknownIdError

if TYPE_CHECKING:
    from tacit.data.growing_ids import GrowingIds
    from tacit.data.ids import Ids


def open_model(path: Path, verb: str, needs: str, made_by: str) -> Any:
    """The model in a file, if it can do what the verb asks for.

    needs : the method that it must have
    made_by : the command that makes such models
    """
    from tacit import load

    model = load(path)
    if not hasattr(model, needs):
        raise InputError(
            f"{str(path)!r} holds a {type(model).__name__}, with which tacit {verb} can do nothing; "
            f"give it a model made by {made_by}."
        )
    return model


def known_ids(given: Iterable[str], ids: "Ids | GrowingIds", what: str) -> list[Any]:
    """Ids as the model holds them: a shell hands over text where the model may know numbers or dates."""
    given = list(given)
    by_text = {str(value): value for value in ids.all().tolist()}
    for one in given:
        if one not in by_text:
            near = difflib.get_close_matches(one, by_text, n=1)
            example = f", such as {next(iter(by_text))}" if by_text and not near else ""
            hint = f"; did you mean {near[0]}" if near else ""
            raise UnknownIdError(f"the model knows {len(by_text)} {what}s{example}, but no {what} {one!r}{hint}.")
    return [by_text[one] for one in given]


def read_lines(path: Path) -> list[str]:
    """Ids from a file, one a line; ``-`` is standard input."""
    if str(path) == "-":
        text = sys.stdin.read()
    else:
        if not path.is_file():
            raise InputError(f"there is no file {str(path)!r} to read ids from.")
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{str(path)!r} is not text in UTF-8; it should hold one id a line.") from None
    return [line for line in text.splitlines() if line]
