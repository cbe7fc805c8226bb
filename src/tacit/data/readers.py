"""Readers: whatever holds a table becomes one polars frame with just the columns that were asked for.

pandas, polars (eager or lazy), Arrow, a mapping of columns, a path or glob of CSV, TSV, Parquet or JSON lines
(plain, or compressed with gz, zst or xz), or a database URI with a query. Text files carry no types: a column that
reads as whole numbers gives int ids, everything else text, also numbers that begin with zero (0042); a column whose
type turns out mixed is read as text.
``tacit.data.frames`` takes tables in memory; ``tacit.data.text_files`` knows separators and encodings, and finds the
line that is to blame.
"""

import difflib
import glob
import json
import mmap
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit import checks
from tacit.data.databases import read_database
from tacit.data.frames import as_frame, column_names
from tacit.data.text_files import (
    Origin,
    TextForm,
    kinds_of_ids,
    refuse_undecodable_header,
    utf8_source,
    what_is_wrong,
)
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = {".parquet", ".pq"}
_JSON_LINES = {".jsonl", ".ndjson"}
_KINDS = (*_SEPARATORS, *sorted(_PARQUET), *sorted(_JSON_LINES))
_COMPRESSIONS = (".gz", ".zst", ".xz")
_UNPARSED = re.compile("could not parse .* at column '(.*?)'", re.DOTALL)
_MEASURES = {"weight", "time", "rating"}
_THOUSANDS = "[.' \u00a0\u2019\u202f]"
COMMA_NUMBER = rf"^\s*[-+]?(\d+|\d{{1,3}}({_THOUSANDS}\d{{3}})+)(,\d+)?\s*$"
"""A number with a decimal comma, and marks of thousands where somebody set them."""
_LOOKED_AT = 10_000
"""Lines of a text table from which types are guessed."""
PLAIN = TextForm()


def read_table(
    source: Any,
    columns: Mapping[str, str],
    *,
    query: str | None = None,
    text: Iterable[str] = (),
    name: str = "table",
    form: TextForm = PLAIN,
) -> "pl.DataFrame":
    """The chosen columns of ``source``.

    Parameters
    ----------
    source : pandas, polars, Arrow, a mapping of columns, a path or glob, or a database URI with ``query``
    columns : parameter → column name, e.g. ``{"row": "user"}``; the parameter is named when its column is absent
    query : what to ask the database
    text : columns to keep as text even where a text file holds only whole numbers (leading zeros survive)
    form : how text files are written

    >>> read_table({"user": [1, 2], "age": [30, 40]}, {"row": "user"}).columns
    ['user']
    """
    wanted = list(columns.values())
    return read_frame(source, columns, wanted, query=query, text=text, name=name, compact=True, form=form)


def read_frame(
    source: Any,
    columns: Mapping[str, str],
    wanted: Sequence[str] | None,
    *,
    query: str | None = None,
    text: Iterable[str] = (),
    name: str = "table",
    compact: bool = False,
    form: TextForm = PLAIN,
) -> "pl.DataFrame":
    """The same for any list of columns (``wanted``, all when None), among which ``columns`` must be.

    ``compact`` stores what is read from files in few bytes: ids that are text as categories, weights as float32.
    """
    import polars as pl

    for parameter, column in [*columns.items(), *(("columns", column) for column in wanted or ())]:
        if not isinstance(column, str):
            raise InputError(f"{parameter} must be the name of a column, not {checks.shown(column)}.")
    others = [column for column in wanted or () if column not in columns.values()]
    required = {**columns, **{f"columns[{index}]": column for index, column in enumerate(others)}}
    if not isinstance(source, pl.LazyFrame | str | os.PathLike):
        if query is not None:
            raise InputError("query is only for database URIs such as 'sqlite:///shop.db'; leave it out for tables.")
        _check_columns(required, column_names(source, name), name)
        return as_frame(source, name, wanted)
    types: dict[str, Any] = dict.fromkeys(text, pl.String)
    measures = {column for parameter, column in columns.items() if parameter.lstrip("-") in _MEASURES}
    files = _Files.of(source, query, form)
    if form.decimal == "," and files.origin.usual is not None:
        # As text, because polars would read 1.234 as a little more than one.
        types |= dict.fromkeys(measures - {columns.get("time", "")}, pl.String)
    # A value too many shifts those behind it, which polars notices only where it parses every column of a line.
    optimizations = pl.QueryOptFlags(projection_pushdown=files.origin.usual is None)
    try:
        files.refuse_mixed_ids({parameter: one for parameter, one in columns.items()
                                if one not in measures and one not in types})  # fmt: skip
        types |= dict.fromkeys(files.zero_led([one for one in columns.values() if one not in measures]), pl.String)
        while True:
            scan = source if isinstance(source, pl.LazyFrame) else files.scan(types)
            _check_columns(required, scan.collect_schema().names(), name)
            chosen = scan if wanted is None else scan.select(list(dict.fromkeys(wanted)))
            if compact:
                chosen = _compact(chosen, columns)
            try:
                # The streaming engine never holds the whole text and the whole table at once.
                frame = chosen.collect(engine="streaming", optimizations=optimizations)
                return _with_decimals(frame, columns) if form.decimal == "," else frame
            except pl.exceptions.ComputeError as error:
                # A column that only begins like whole numbers: weights have decimals then, ids are text.
                other = _UNPARSED.search(str(error))
                if other is None or isinstance(source, pl.LazyFrame) or types.get(other[1]) == pl.String:
                    raise
                first_try = other[1] not in types and other[1] == columns.get("weight")
                types[other[1]] = pl.Float64 if first_try else pl.String
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise files.unreadable(error) from error


def origin_of(source: Any, form: TextForm = PLAIN) -> Origin:
    """Where the rows of ``source`` come from, for sentences that name a line."""
    if not isinstance(source, str | os.PathLike) or "://" in os.fspath(source):
        return Origin()
    return _Files.of(source, None, form).origin


def _compact(scan: "pl.LazyFrame", columns: Mapping[str, str]) -> "pl.LazyFrame":
    import polars as pl

    schema = scan.collect_schema()
    casts = []
    for parameter, column in columns.items():
        if parameter == "weight" and schema[column].is_numeric():
            casts.append(pl.col(column).cast(pl.Float32))
        elif parameter.lstrip("-") not in _MEASURES and schema[column] == pl.String:
            casts.append(pl.col(column).cast(pl.Categorical(pl.Categories.random())))
    return scan.with_columns(casts)


def scan_table(source: str | os.PathLike[str], query: str | None = None, form: TextForm = PLAIN) -> "pl.LazyFrame":
    """All columns of a file, a glob or the answer to a query; files are not read yet, a query has been answered."""
    import polars as pl

    files = _Files.of(source, query, form)
    try:
        scan = files.scan({})
        scan.collect_schema()
        return scan
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise files.unreadable(error) from error


def _with_decimals(frame: "pl.DataFrame", columns: Mapping[str, str]) -> "pl.DataFrame":
    """Text columns of nothing but numbers with a decimal comma (1.234,5), as numbers; ids stay text."""
    import polars as pl

    ids = {column for parameter, column in columns.items() if parameter.lstrip("-") not in _MEASURES}
    texts = [name for name, kind in frame.schema.items() if kind == pl.String and name not in ids]
    numeric = [name for name in texts if frame[name].drop_nulls().str.contains(COMMA_NUMBER).all()]
    plain = pl.col(numeric).str.strip_chars().str.replace_all(_THOUSANDS, "")
    points = plain.str.replace(",", ".", literal=True).cast(pl.Float64)
    return frame.with_columns(points) if numeric else frame


class _Files:
    """The files or the database that a source names, ready to be scanned as often as types have to be fixed."""

    def __init__(self, source: str, query: str | None, form: TextForm) -> None:
        self.source, self.query = source, query
        self.is_database = "://" in source
        if not self.is_database and query is not None:
            raise InputError(
                f"query is only for database URIs such as 'sqlite:///shop.db', not for the path {source!r}."
            )
        self.origin = Origin()
        self.sources: Any = []
        if not self.is_database:
            self._prepare(files_of(source), form)

    @classmethod
    def of(cls, source: Any, query: str | None, form: TextForm) -> "_Files":
        """Of a path, a glob or a URI; a lazy frame has none."""
        if isinstance(source, str | os.PathLike):
            return cls(os.fspath(source), query, form)
        none = cls.__new__(cls)
        none.source, none.query, none.is_database, none.origin, none.sources = "", query, False, Origin(), []
        return none

    def _prepare(self, paths: list[str], form: TextForm) -> None:
        kinds = {_kind(path) for path in paths}
        if len(kinds) > 1:
            listed = ", ".join(sorted("".join(kind) for kind in kinds))
            raise InputError(f"the files of one table must be of one kind, but these are {listed}; narrow the glob.")
        self.kind, self.packed = kinds.pop()
        for path in paths:
            if Path(path).stat().st_size == 0:
                in_lines = "one object of JSON in each line" if self.kind in _JSON_LINES else "a header line and data"
                held = "a table" if self.kind in _PARQUET else in_lines
                raise InputError(f"the file {path!r} is empty; it should hold {held}.")
        if self.kind in _PARQUET:
            self.sources = paths
            return
        usual = _SEPARATORS.get(self.kind)
        for path in paths if usual else ():
            refuse_undecodable_header(path, form)
        self.origin = Origin(tuple(paths), usual, form)
        self.separator = form.of(paths[0], usual) if usual else ""
        self.sources = [utf8_source(path, bool(self.packed), form) for path in paths]

    def scan(self, types: Mapping[str, Any]) -> "pl.LazyFrame":
        import polars as pl

        if self.is_database:
            return read_database(self.source, self.query).lazy()
        if self.kind in _PARQUET:
            return pl.scan_parquet(self.sources, glob=False)
        for source in self.sources:
            if not isinstance(source, str):
                source.seek(0)
        if self.kind in _JSON_LINES:
            return pl.scan_ndjson(self.sources, schema_overrides=types or None, infer_schema_length=10_000)
        return pl.scan_csv(
            self.sources,
            separator=self.separator,
            schema_overrides=types or None,
            infer_schema_length=_LOOKED_AT,
            glob=False,
        )

    def zero_led(self, columns: Sequence[str]) -> list[str]:
        """Those columns of a text table in whose first lines a number begins with zero: ids such as 0042 are text."""
        import polars as pl

        if self.origin.usual is None:
            return []
        present = self.scan({}).collect_schema().names()
        head = self.scan(dict.fromkeys(present, pl.String)).head(_LOOKED_AT)
        asked = pl.col([one for one in columns if one in present])
        is_led = head.select(asked.str.contains(r"^\s*0\d").any()).collect()
        return [one for one in is_led.columns if is_led[one][0]]

    def refuse_mixed_ids(self, columns: Mapping[str, str]) -> None:
        """JSON tells 7 from "7", and polars would make both of them text.

        Ids of a table in memory are refused then, and so are these. The bytes are searched first, at the speed of the
        disk; only where they show both kinds are the lines read.
        """
        if self.is_database or self.origin.usual is not None:
            return
        for parameter, column in columns.items():
            name = re.escape(json.dumps(column).encode())
            if not (self._holds(name + rb"\s*:\s*[-\d]") and self._holds(name + rb'\s*:\s*"')):
                continue
            found = kinds_of_ids(self.origin.paths, column, self.origin.form)
            if len(found) > 1:
                shown = " and ".join(f"{value!r} in {where}" for value, where in found.values())
                # Commands that read no interactions name their own options, and have none for this.
                other = ", or pass text_ids=True (--text-ids) to read all of them as text"
                other = "" if parameter.startswith("--") else other
                raise InputError(f"{parameter}: {column!r} holds numbers and text, {shown}; write them alike{other}.")

    def _holds(self, form: bytes) -> bool:
        """Whether the bytes of these files match somewhere."""
        for source in self.sources:
            if not isinstance(source, str):
                found = re.search(form, source.getbuffer())
            else:
                with Path(source).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                    found = re.search(form, content)
            if found:
                return True
        return False

    def unreadable(self, error: BaseException) -> InputError:
        """One sentence about what could not be read, with the line that is to blame where one is."""
        origin = self.origin
        result = what_is_wrong(origin.paths, origin.usual, origin.form) if origin.paths else None
        if result:
            return InputError(result)
        what = repr(self.source) if self.source else "the table"
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        return InputError(
            f"{what} could not be read: {reason}; is it cut short or of another format than its name says?"
        )


def files_of(source: str) -> list[str]:
    """The file of a path, or those of a glob in ascending order."""
    if Path(source).is_dir():
        raise InputError(f"{source!r} is a folder; give a file or a glob such as {str(Path(source) / '*.parquet')!r}.")
    if Path(source).is_file():
        return [source]
    if any(sign in source for sign in "*?["):
        result = sorted(path for path in glob.glob(source, recursive=True) if Path(path).is_file())  # noqa: PTH207
        if not result:
            raise InputError(f"no file matches the glob {source!r}; check the folder and the extension.")
        return result
    parent = Path(source).parent
    beside = [path.name for path in parent.iterdir()] if parent.is_dir() else []
    raise InputError(f"there is no file {source!r}{_nearest(Path(source).name, beside)}.")


def _kind(path: str) -> tuple[str, str]:
    """Format and compression by file name, e.g. ('.csv', '.gz')."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in _COMPRESSIONS else ""
    kind = suffixes[-1] if suffixes else ""
    if kind not in _KINDS or (kind in _PARQUET and compression):
        raise InputError(
            f"the extension of {Path(path).name!r} is not one of {', '.join(_KINDS)} (text also with "
            f"{', '.join(_COMPRESSIONS)}); give text in columns one of these names, as in data.csv or data.tsv, and "
            "read any other kind with polars or pandas and pass the table."
        )
    return kind, compression


# -- columns ---------------------------------------------------------------------------------------------------


def _check_columns(columns: Mapping[str, str], present: Sequence[str], name: str) -> None:
    for parameter, column in columns.items():
        if f"{column}_duplicated_0" in present or present.count(column) > 1:
            raise InputError(f"{name} has two columns named {column!r}; rename one of them.")
        if column not in present:
            raise InputError(
                f"{parameter}={column!r} is not a column of {name}, which has {', '.join(map(repr, present))}"
                f"{_nearest(str(column), present)}."
            )


def _nearest(word: str, choices: Iterable[str]) -> str:
    result = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.65)
    return f"; did you mean {result[0]!r}?".removesuffix("?") if result else ""
