"""Text tables as people save them: the separator, the encoding, the decimal sign, and which line went wrong.

polars reads UTF-8 with one separator, fast. A file of another encoding or a packed one is made that first. What polars
refuses is read again line by line, so that one sentence names the file, the line as an editor counts it, the value and
the remedy.
"""

import codecs
import csv
import io
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from tacit import checks
from tacit.data.compressed import cut_is_said, open_bytes, read_bytes
from tacit.errors import InputError

_OTHERS = ";\t|,"
_SHOWN = 60


@dataclass(frozen=True)
class TextForm:
    """How a text table is written.

    separator : between columns; None takes what the name says (``.csv`` a comma, ``.tsv`` a tab), unless the first
        line has none of that and one of ``; | tab ,`` instead
    encoding : as Python names it, such as ``"latin-1"``; None is UTF-8
    decimal : ``"."`` or ``","``
    """

    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        if self.separator is not None:
            if not isinstance(self.separator, str):
                raise InputError(f"separator must be one sign, such as ';' or '\\t', not {self.separator!r}.")
            object.__setattr__(self, "separator", {"\\t": "\t", "tab": "\t"}.get(self.separator, self.separator))
            if len(self.separator) != 1 or not self.separator.isascii():
                raise InputError(f"separator must be one sign, such as ';' or '\\t', not {self.separator!r}.")
            if self.separator in '"\n\r':
                raise InputError(f"separator must not be a quote or a line end, but is {self.separator!r}.")
        checks.choice("decimal", self.decimal, (".", ","))
        try:
            text = self.encoding is None or codecs.lookup(self.encoding)._is_text_encoding
        except (LookupError, TypeError, ValueError):
            text = False
        if not text:
            raise InputError(
                f"encoding={self.encoding!r} is unknown; take one such as 'latin-1', 'cp1252' or 'utf-16'."
            )

    @property
    def is_utf8(self) -> bool:
        return self.encoding is None or codecs.lookup(self.encoding).name in {"utf-8", "ascii"}

    @property
    def is_ascii_based(self) -> bool:
        """Whether lines can be told apart before they are decoded."""
        return "\n".encode(self.encoding or "utf-8") == b"\n"

    def of(self, path: str, usual: str) -> str:
        """The separator of a file whose name says ``usual``."""
        if self.separator is not None:
            return self.separator
        with cut_is_said(path), open_bytes(path) as file:
            head = file.read(4096)
        _refuse_utf16(path, head, self)
        text = head.decode(self.encoding or "utf-8", "replace")
        return separator_in(next((line for line in text.splitlines() if line.strip()), ""), usual)


def separator_in(line: str, usual: str) -> str:
    """What stands between the columns of a table by its first line: the usual sign, unless only another one occurs.

    >>> separator_in("user;item;rating", ","), separator_in("user,item|name", ",")
    (';', ',')
    """
    bare = "".join(line.split('"')[::2])
    others = [sign for sign in _OTHERS if sign != usual and sign in bare]
    return others[0] if usual not in bare and len(others) == 1 else usual


def utf8_source(path: str, packed: bool, form: TextForm) -> Any:
    """What polars can read: the path itself, or the text in memory, unpacked and in UTF-8."""
    by_polars = not packed or (path.lower().endswith(".zst") and find_spec("pyarrow") is None)
    if by_polars and form.is_utf8:
        return path
    data = read_bytes(path)
    if not form.is_utf8:
        data = _without_mark(path, data, form)
        try:
            data = data.decode(form.encoding or "utf-8").encode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{path!r} is not {form.encoding}: line {line} holds the byte 0x{data[error.start]:02x}, which that "
                "does not have; pass another encoding='...'."
            ) from None
    return io.BytesIO(data)


def _without_mark(path: str, data: bytes, form: TextForm) -> bytes:
    """Some programs put the mark of UTF-8 before whatever they write: it would become part of the first name."""
    if not data.startswith(codecs.BOM_UTF8):
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.removeprefix(codecs.BOM_UTF8)
    if codecs.lookup(form.encoding or "utf-8").name == "utf-8-sig":
        return data
    raise InputError(f"{path!r} is UTF-8, as its first bytes say, and not {form.encoding}; leave encoding out.")


# -- when something is wrong -----------------------------------------------------------------------------------


def what_is_wrong(paths: Sequence[str], usual: str | None, form: TextForm) -> str | None:
    """One sentence on the first line of these files that cannot be read; None where nothing is found.

    usual : the separator that the files' name says; None for JSON lines
    """
    for path in paths:
        try:
            result = _wrong_json(path, form) if usual is None else _wrong_csv(path, form.of(path, usual), form)
        except _Undecodable as bad:
            return str(bad)
        if result:
            return result
    return None


def line_of(paths: Sequence[str], usual: str | None, form: TextForm, record: int) -> tuple[str, int]:
    """File and line (from 1, as an editor counts) of a record (from 0, over all files)."""
    for path in paths:
        starts = _json_starts(path, form) if usual is None else _csv_starts(path, form.of(path, usual), form)
        for start in starts:
            if record == 0:
                return path, start
            record -= 1
    return paths[-1], 0


def kinds_of_ids(paths: Sequence[str], column: str, form: TextForm) -> dict[str, tuple[Any, str]]:
    """Of JSON lines: the first number and the first text of a column, each with its place, as far as there are any."""
    found: dict[str, tuple[Any, str]] = {}
    for path in paths:
        try:
            for number, line in enumerate(_lines(path, form), start=1):
                record = json.loads(line) if line.strip() else None
                value = record.get(column) if isinstance(record, dict) else None
                kind = "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else None
                if kind and not isinstance(value, bool):
                    found.setdefault(kind, (value, f"line {number} of {path!r}"))
                if len(found) > 1:
                    return found
        except (_Undecodable, ValueError, RecursionError):
            break  # whoever reads the table says what is wrong with that line
    return found


def refuse_undecodable_header(path: str, form: TextForm) -> None:
    """polars reads names that are not UTF-8 all the same, with marks in the place of letters."""
    if form.is_utf8:
        try:
            next(_lines(path, form), "")
        except _Undecodable as bad:
            raise InputError(str(bad)) from None


def _refuse_utf16(path: str, head: bytes, form: TextForm) -> None:
    """Spreadsheets save "Unicode text" so, and polars would read a zero behind every letter."""
    if form.is_utf8 and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path!r} is not UTF-8 but UTF-16; pass encoding='utf-16'.")


class _Undecodable(Exception):
    """A line that is not in the encoding."""


def _lines(path: str, form: TextForm) -> Iterator[str]:
    if not form.is_utf8:
        yield from io.StringIO(read_bytes(path).decode(form.encoding or "utf-8"), newline="")
        return
    with cut_is_said(path), open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            if number == 1:
                _refuse_utf16(path, line, form)
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                near = line[max(0, error.start - 20) : error.start + 20].decode("latin-1").strip()
                raise _Undecodable(
                    f"{path!r} is not UTF-8: line {number} reads {near!r} in latin-1; if that is right, pass "
                    "encoding='latin-1'."
                ) from None


def _wrong_csv(path: str, separator: str, form: TextForm) -> str | None:
    reader = csv.reader(_lines(path, form), delimiter=separator, strict=True)
    width, start = 0, 0
    try:
        for record in reader:
            line, start = start + 1, reader.line_num
            if not width:
                width = len(record)
            elif len(record) > width:
                text = separator.join(record)[:_SHOWN]
                return (
                    f"line {line} of {path!r} has {len(record)} values where line 1 names {width} columns: {text!r}; "
                    f"put quotes around a value that holds {separator!r}, or pass another separator='...'."
                )
    except csv.Error as error:
        if "unexpected end" in str(error):
            text = next(itertools.islice(_lines(path, form), start, None), "").strip()[:_SHOWN]
            return f'line {start + 1} of {path!r} opens a quote (") that is never closed: {text!r}; close or double it.'
        return f"line {start + 1} of {path!r} cannot be read ({error}); fix its quotes."
    return None


def _wrong_json(path: str, form: TextForm) -> str | None:
    for number, line in enumerate(_lines(path, form), start=1):
        if not line.strip():
            continue
        try:
            sound = isinstance(json.loads(line), dict)
        except (ValueError, RecursionError):
            sound = False
        if not sound:
            return (
                f"line {number} of {path!r} is not an object of JSON: {line.strip()[:_SHOWN]!r}; every line should be "
                'one, such as {"user": "ann", "item": 7}.'
            )
    return None


def _csv_starts(path: str, separator: str, form: TextForm) -> Iterator[int]:
    """Lines in which records begin, without the header; quoted values may hold line ends."""
    reader = csv.reader(_lines(path, form), delimiter=separator)
    start = 1
    try:
        for index, _ in enumerate(reader):
            if index:
                yield start
            start = reader.line_num + 1
    except (csv.Error, _Undecodable):
        return


def _json_starts(path: str, form: TextForm) -> Iterator[int]:
    for number, line in enumerate(_lines(path, form), start=1):
        if line.strip():
            yield number


@dataclass(frozen=True)
class Origin:
    """Where the rows of a frame came from, for sentences about one of them.

    paths : the text files that were read, in order; none where a table or a database was
    usual : see ``line_of``
    """

    paths: Sequence[str] = ()
    usual: str | None = None
    form: TextForm = TextForm()

    def place(self, row: int) -> str:
        """``line 7 of 'plays.csv'``, or ``row 5 (from 0)`` of a table in memory."""
        if not self.paths:
            return f"row {row} (from 0)"
        path, line = line_of(self.paths, self.usual, self.form, row)
        return f"line {line} of {path!r}" if line else f"{path!r}"
