"""The lines of a text table that can be read, for tables with a few that cannot: ``tacit ... --skip-bad``.

Every line is looked at by itself, in Python, and those that are sound are written again, in UTF-8. So a value that
spans lines does not count as sound.
"""

import codecs
import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacit.data.compressed import cut_is_said, open_bytes
from tacit.data.readers import origin_of
from tacit.data.text_files import TextForm
from tacit.errors import InputError

_SHOWN = 60


@dataclass
class LeftOut:
    """How many of the lines were left out, and why the first of them."""

    lines: int = 0
    bad: int = 0
    first: str = ""

    def sentence(self) -> str:
        """For people; nothing where every line is sound."""
        if not self.bad:
            return ""
        return f"{self.bad:,} of {self.lines:,} lines cannot be read and were left out; first, {self.first}"


def write_sound_lines(
    paths: Sequence[str],
    folder: Path,
    form: TextForm,
    usual: str | None,
    columns: Mapping[str, str],
    time_format: str | None = None,
) -> LeftOut:
    """Write the sound lines of these files into files of the same names (unpacked, UTF-8) in ``folder``.

    usual : the separator that the files' names say; None for JSON lines
    columns : role (row, col, weight, rating, time) → name of its column; those of other roles hold ids
    """
    left = LeftOut()
    for number, path in enumerate(paths):
        with _copy_of(number, folder, usual).open("w", encoding="utf-8", newline="") as file:
            file.writelines(_sound(path, form, usual, columns, time_format, left))
    if not left.lines:
        raise InputError(f"{paths[0]!r} holds no lines of data; give at least one.")
    if left.lines == left.bad:
        raise InputError(f"none of the {left.lines:,} lines of {paths[0]!r} can be read; first, {left.first}.")
    return left


@contextmanager
def sound_copy(
    table: str, form: TextForm, columns: Mapping[str, str], time_format: str | None = None
) -> Iterator[tuple[str, TextForm, LeftOut]]:
    """A copy of a text table (a path or a glob) without the lines that cannot be read, as long as it is needed.

    Its path, how it is written, and what was left out.
    """
    origin = origin_of(table, form)
    if not origin.paths:
        raise InputError("--skip-bad is for lines of text files; leave out what lacks a value beforehand.")
    separator = None if origin.usual is None else form.of(origin.paths[0], origin.usual)
    with TemporaryDirectory() as folder:
        left = write_sound_lines(origin.paths, Path(folder), form, origin.usual, columns, time_format)
        copy = Path(folder) / ("*.jsonl" if origin.usual is None else "*.csv")
        try:
            yield str(copy), TextForm(separator, None, form.decimal), left
        except InputError as error:
            # Nobody knows the copy.
            said = str(error).replace(str(copy), table)
            for number, path in enumerate(origin.paths):
                said = said.replace(str(_copy_of(number, Path(folder), origin.usual)), path)
            lines = " (lines are counted without those left out)" if left.bad and "line " in said else ""
            raise InputError(f"{said.removesuffix('.')}{lines}.") from None


def _copy_of(number: int, folder: Path, usual: str | None) -> Path:
    return folder / f"{number:06}{'.jsonl' if usual is None else '.csv'}"


class _Bad(Exception):
    """What is wrong with a line."""


def _sound(
    path: str, form: TextForm, usual: str | None, columns: Mapping[str, str], time_format: str | None, left: LeftOut
) -> Iterator[str]:
    separator = "" if usual is None else form.of(path, usual)
    names: list[str] | None = None
    with cut_is_said(path), open_bytes(path) as file:
        for number, raw in enumerate(file if form.is_ascii_based else _recoded(file.read(), form), start=1):
            if not raw.strip():
                continue
            left.lines += bool(names) or not separator
            try:
                line = _decoded(raw, form)
                if separator and names is None:
                    names = _values(line, separator)
                    _require_columns(path, names, columns)
                    yield line.rstrip("\r\n") + "\n"
                    continue
                record = _record(line) if names is None else _fields(line, separator, names)
                _check(record, columns, form, time_format)
                yield _written(line, separator)
            except _Bad as bad:
                if separator and names is None:
                    raise InputError(f"line {number} of {path!r}, the header, {bad}; fix it.") from None
                left.bad += 1
                left.first = left.first or f"line {number} of {path!r} {bad}"


def _require_columns(path: str, names: list[str], columns: Mapping[str, str]) -> None:
    """A column that no line can have is not the lines' fault."""
    for column in columns.values():
        if column not in names:
            raise InputError(
                f"{path!r} has no column {column!r}, but {', '.join(map(repr, names))}; say which of them is meant."
            )


def _recoded(content: bytes, form: TextForm) -> list[bytes]:
    """Lines in UTF-8 of a file whose line ends are not single bytes (UTF-16)."""
    return content.decode(form.encoding or "utf-8", "replace").encode("utf-8").splitlines()


def _decoded(raw: bytes, form: TextForm) -> str:
    encoding = form.encoding if form.encoding and form.is_ascii_based else "utf-8"
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except UnicodeDecodeError as error:
        near = raw[max(0, error.start - 20) : error.start + 20].decode("latin-1").strip()
        raise _Bad(f"is not {encoding.upper()} near {near!r}") from None


def _values(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        raise _Bad(f"has quotes that do not match: {line.strip()[:_SHOWN]!r}") from None


def _fields(line: str, separator: str, names: list[str]) -> dict[str, Any]:
    values = _values(line, separator)
    if len(values) != len(names):
        raise _Bad(f"has {len(values)} values where the header names {len(names)} columns: {line.strip()[:_SHOWN]!r}")
    return dict(zip(names, values))


def _written(line: str, separator: str) -> str:
    """A sound line as it is, or with other quotes: polars takes that of 5" for the beginning of a text."""
    plain = line.rstrip("\r\n") + "\n"
    values = _values(line, separator) if separator and '"' in line else []
    if not any('"' in value for value in values):
        return plain
    quoted = io.StringIO()
    csv.writer(quoted, delimiter=separator, lineterminator="\n").writerow(values)
    return quoted.getvalue()


def _record(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise _Bad(f"is not an object of JSON: {line.strip()[:_SHOWN]!r}")
    return record


def _check(record: Mapping[str, Any], columns: Mapping[str, str], form: TextForm, time_format: str | None) -> None:
    for role, name in columns.items():
        value = record.get(name)
        if value is None or not str(value).strip():
            raise _Bad(f"has no {name!r}")
        if role == "weight" and not _is_weight(value, form):
            raise _Bad(f"has {value!r} under {name!r}, which is no number from 0 on{_comma(value, form)}")
        if role == "rating" and not _is_number(_with_point(value, form)):
            raise _Bad(f"has {value!r} under {name!r}, which is no number{_comma(value, form)}")
        if role == "time" and not _is_time(value, time_format):
            raise _Bad(f"has {value!r} under {name!r}, which does not read as a time (--time-format says how)")


def _comma(value: Any, form: TextForm) -> str:
    return " (--decimal , reads a decimal comma)" if form.decimal == "." and "," in str(value) else ""


def _is_weight(value: Any, form: TextForm) -> bool:
    text = _with_point(value, form)
    return _is_number(text) and float(text) >= 0


def _with_point(value: Any, form: TextForm) -> str:
    return str(value).replace(".", "").replace(",", ".") if form.decimal == "," else str(value)


def _is_time(value: Any, time_format: str | None) -> bool:
    try:
        if time_format is not None:
            datetime.strptime(str(value), time_format)
        elif not _is_number(str(value)):
            datetime.fromisoformat(str(value).strip())
    except ValueError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
