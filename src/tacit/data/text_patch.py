"""A text table with a few cells changed and every other sign as it stands: quotes, zeros, decimals, line ends.

Reading a table and writing it again would turn ``0042`` into 42 and ``3.50`` into 3.5, and a semicolon into a comma.
"""

import csv
import io
from collections.abc import Iterator, Mapping

from tacit.data.compressed import read_bytes
from tacit.data.text_files import TextForm
from tacit.errors import InputError

_MARK = "\ufeff"
"""What some programs write before the header, to say that a file is UTF-8."""


def patched_text(path: str, usual: str, form: TextForm, column: str, cells: Mapping[int, tuple[str, str]]) -> bytes:
    """The bytes of a table in which records have other cells in one column.

    usual : the separator that the file's name says
    cells : record (from 0, below the header) → the cell as it was read and as it shall be
    """
    separator, encoding = form.of(path, usual), form.encoding or "utf-8"
    text = read_bytes(path).decode(encoding)
    records = _records(text.removeprefix(_MARK), separator)
    head, names = next(records)
    number = names.index(column)
    result = [_MARK * text.startswith(_MARK) + head]
    for index, (raw, values) in enumerate(records):
        if index in cells:
            old, new = cells[index]
            if (values[number] if number < len(values) else "") != old:
                raise InputError(
                    f"line ends or quotes of {path!r} do not say where record {index + 1} stands; write another kind "
                    "of table, such as .jsonl."
                )
            raw = _with_cell(raw, separator, number, len(values), new)
        result.append(raw)
    try:
        return "".join(result).encode(encoding)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object[error.start : error.end]!r} cannot be written in {encoding}, the encoding of {path!r}; "
            "write another kind of table, such as .jsonl."
        ) from None


def _records(text: str, separator: str) -> Iterator[tuple[str, list[str]]]:
    """Every record as it is written, line ends included, and its values."""
    lines: list[str] = []

    def remembered() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            lines.append(line)
            yield line

    # A text may be longer than what the module csv takes for a value, which is a setting of the whole process.
    usual = csv.field_size_limit(max(len(text), 1))
    try:
        for values in csv.reader(remembered(), delimiter=separator):
            yield "".join(lines), values
            lines.clear()
    finally:
        csv.field_size_limit(usual)


def _with_cell(raw: str, separator: str, number: int, width: int, cell: str) -> str:
    """A record with another cell; one that ends before it is filled up with empty ones."""
    body = raw.rstrip("\r\n")
    start = 0
    if width <= number:
        body += separator * (number - max(width, 1) + 1)
    for _ in range(number):
        start = _end(body, start, separator) + 1
    end = _end(body, start, separator)
    if body[start : start + 1] == '"' or any(sign in cell for sign in (separator, '"', "\n", "\r")):
        doubled = cell.replace('"', '""')
        cell = f'"{doubled}"'
    return body[:start] + cell + body[end:] + raw[len(raw.rstrip("\r\n")) :]


def _end(body: str, start: int, separator: str) -> int:
    """Where the value that begins at ``start`` ends; separators within quotes belong to it."""
    at = start
    if body[at : at + 1] == '"':
        at = body.find('"', at + 1)
        while at >= 0 and body[at + 1 : at + 2] == '"':
            at = body.find('"', at + 2)
        if at < 0:
            return len(body)
    end = body.find(separator, at)
    return len(body) if end < 0 else end
