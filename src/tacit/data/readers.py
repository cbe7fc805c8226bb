"""Readers: whatever holds a table becomes one polars frame with just the columns that were asked for.

pandas, polars (eager or lazy), Arrow, a mapping of columns, a path or glob of CSV, TSV, Parquet or JSON lines
(plain, or compressed with gz, zst or xz), or a database URI with a query. Text files carry no types: a column that
reads as whole numbers gives int ids, everything else text; a column whose type turns out mixed is read as text.
"""

import difflib
import glob
import io
import lzma
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = {".parquet", ".pq"}
_JSON_LINES = {".jsonl", ".ndjson"}
_KINDS = (*_SEPARATORS, *sorted(_PARQUET), *sorted(_JSON_LINES))
_COMPRESSIONS = (".gz", ".zst", ".xz")
_UNPARSED = re.compile("could not parse .* at column '(.*?)'", re.DOTALL)
_DATABASES = ("sqlite", "postgresql", "postgres")


def read_table(
    source: Any,
    columns: Mapping[str, str],
    *,
    query: str | None = None,
    text: Iterable[str] = (),
    name: str = "table",
) -> "pl.DataFrame":
    """The chosen columns of ``source``.

    Parameters
    ----------
    source : pandas, polars, Arrow, a mapping of columns, a path or glob, or a database URI with ``query``
    columns : parameter → column name, e.g. ``{"row": "user"}``; the parameter is named when its column is absent
    query : what to ask the database
    text : columns to keep as text even where a text file holds only whole numbers (leading zeros survive)

    >>> read_table({"user": [1, 2], "age": [30, 40]}, {"row": "user"}).columns
    ['user']
    """
    return read_frame(source, columns, list(columns.values()), query=query, text=text, name=name, compact=True)


def read_frame(
    source: Any,
    columns: Mapping[str, str],
    wanted: Sequence[str] | None,
    *,
    query: str | None = None,
    text: Iterable[str] = (),
    name: str = "table",
    compact: bool = False,
) -> "pl.DataFrame":
    """The same for any list of columns (``wanted``, all when None), among which ``columns`` must be.

    ``compact`` stores what is read from files in few bytes: ids that are text as categories, weights as float32.
    """
    import polars as pl

    others = [column for column in wanted or () if column not in columns.values()]
    required = {**columns, **{f"columns[{place}]": column for place, column in enumerate(others)}}
    if not isinstance(source, pl.LazyFrame | str | os.PathLike):
        if query is not None:
            raise InputError("query is only for database URIs such as 'sqlite:///shop.db'; leave it out for tables.")
        _check_columns(required, _column_names(source, name), name)
        return as_frame(source, name, wanted)
    types: dict[str, Any] = dict.fromkeys(text, pl.String)
    try:
        while True:
            scan = source if isinstance(source, pl.LazyFrame) else _scan(os.fspath(source), query, types)
            _check_columns(required, scan.collect_schema().names(), name)
            chosen = scan if wanted is None else scan.select(list(dict.fromkeys(wanted)))
            if compact:
                chosen = _compact(chosen, columns)
            try:
                # The streaming engine never holds the whole text and the whole table at once.
                return chosen.collect(engine="streaming")
            except pl.exceptions.ComputeError as error:
                # A column that only begins like whole numbers: weights have decimals then, ids are text.
                other = _UNPARSED.search(str(error))
                if other is None or other[1] in types or isinstance(source, pl.LazyFrame):
                    raise
                types[other[1]] = pl.Float64 if other[1] == columns.get("weight") else pl.String
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(source, error) from error


def _compact(scan: "pl.LazyFrame", columns: Mapping[str, str]) -> "pl.LazyFrame":
    import polars as pl

    schema = scan.collect_schema()
    casts = []
    for parameter, column in columns.items():
        if parameter == "weight" and schema[column].is_numeric():
            casts.append(pl.col(column).cast(pl.Float32))
        elif parameter not in {"weight", "time"} and schema[column] == pl.String:
            casts.append(pl.col(column).cast(pl.Categorical(pl.Categories.random())))
    return scan.with_columns(casts)


def scan_table(source: str | os.PathLike[str], query: str | None = None) -> "pl.LazyFrame":
    """All columns of a file, a glob or the answer to a query; files are not read yet, a query has been answered."""
    import polars as pl

    try:
        scan = _scan(os.fspath(source), query, {})
        scan.collect_schema()
        return scan
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(source, error) from error


def as_frame(table: Any, name: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """A table in memory as a polars frame of these columns (all by default), copied only where layouts differ."""
    import polars as pl

    chosen = list(dict.fromkeys(_column_names(table, name) if columns is None else columns))
    if isinstance(table, pl.DataFrame):
        return table.select(chosen)
    if _is_pandas(table):
        return pl.DataFrame([_from_pandas(label, table[label]) for label in chosen])
    if isinstance(table, Mapping):
        series = [_from_values(label, table[label]) for label in chosen]
        lengths = {one.name: len(one) for one in series}
        if len(set(lengths.values())) > 1:
            raise InputError(f"{name}: the columns have different lengths, {lengths}; they must be equal.")
        return pl.DataFrame(series)
    return pl.DataFrame(table).select(chosen)


def _column_names(table: Any, name: str) -> list[str]:
    import polars as pl

    if isinstance(table, pl.DataFrame) or _is_pandas(table):
        return [label for label in table.columns if isinstance(label, str)]
    if isinstance(table, Mapping):
        return list(table)
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return pl.DataFrame(table).columns
    raise InputError(
        f"{name} must be a pandas, polars or Arrow table, a path or a database URI, not {type(table).__name__}; "
        "for a matrix use Interactions.from_matrix."
    )


def _is_pandas(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "columns")


def _from_pandas(label: str, column: Any) -> "pl.Series":
    """One pandas column; pyarrow is used where it is installed but not needed."""
    import polars as pl

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufM":
        return pl.Series(label, column.to_numpy())
    if str(column.dtype) == "str" and find_spec("pyarrow"):
        return pl.Series(label, column.array.__arrow_array__())
    return _from_values(label, [None if missing else value for value, missing in zip(column, column.isna())])


def _from_values(label: str, values: Any) -> "pl.Series":
    """Values of any kind; what polars has no type for is kept as Python objects."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values.rename(label)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufMU":
        return pl.Series(label, values)
    values = list(values)
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) <= 1 or all(issubclass(kind, int | float | np.number) for kind in kinds)
    # polars would turn tuples and sets into lists, which cannot be ids, and would refuse or coerce mixtures.
    if not plain or any(issubclass(kind, tuple | set | frozenset) for kind in kinds):
        return pl.Series(label, values, dtype=pl.Object)
    try:
        return pl.Series(label, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(label, values, dtype=pl.Object)


# -- files -----------------------------------------------------------------------------------------------------


def _scan(source: str, query: str | None, types: Mapping[str, Any]) -> "pl.LazyFrame":
    if "://" in source:
        return _read_database(source, query).lazy()
    if query is not None:
        raise InputError(f"query is only for database URIs such as 'sqlite:///shop.db', not for the path {source!r}.")
    return _scan_files(_expand(source), types)


def _expand(source: str) -> list[str]:
    if Path(source).is_dir():
        raise InputError(f"{source!r} is a folder; give a file or a glob such as {str(Path(source) / '*.parquet')!r}.")
    if Path(source).is_file():
        return [source]
    if any(sign in source for sign in "*?["):
        found = sorted(path for path in glob.glob(source, recursive=True) if Path(path).is_file())  # noqa: PTH207
        if not found:
            raise InputError(f"no file matches the glob {source!r}; check the folder and the extension.")
        return found
    parent = Path(source).parent
    beside = [path.name for path in parent.iterdir()] if parent.is_dir() else []
    raise InputError(f"there is no file {source!r}{_nearest(Path(source).name, beside)}.")


def _scan_files(paths: Sequence[str], types: Mapping[str, Any]) -> "pl.LazyFrame":
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        listed = ", ".join(sorted("".join(kind) for kind in kinds))
        raise InputError(f"the files of one table must be of one kind, but these are {listed}; narrow the glob.")
    (kind, compression) = kinds.pop()
    for path in paths:
        if Path(path).stat().st_size == 0:
            raise InputError(f"the file {path!r} is empty; it should hold a header line and data.")
    import polars as pl

    if kind in _PARQUET:
        return pl.scan_parquet(list(paths), glob=False)
    # polars knows gzip and zstd itself; xz comes through Python.
    sources: Any = [_unxz(path) for path in paths] if compression == ".xz" else list(paths)
    if kind in _JSON_LINES:
        return pl.scan_ndjson(sources, schema_overrides=types or None, infer_schema_length=10_000)
    return pl.scan_csv(
        sources,
        separator=_SEPARATORS[kind],
        schema_overrides=types or None,
        infer_schema_length=10_000,
        glob=False,
    )


def _kind(path: str) -> tuple[str, str]:
    """Format and compression by file name, e.g. ('.csv', '.gz')."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in _COMPRESSIONS else ""
    kind = suffixes[-1] if suffixes else ""
    if kind not in _KINDS or (kind in _PARQUET and compression):
        raise InputError(
            f"the extension of {Path(path).name!r} is not one of {', '.join(_KINDS)} (text also with "
            f"{', '.join(_COMPRESSIONS)}); read such a file with polars or pandas and pass the table."
        )
    return kind, compression


def _unxz(path: str) -> io.BytesIO:
    try:
        with lzma.open(path) as file:
            return io.BytesIO(file.read())
    except (lzma.LZMAError, EOFError) as error:
        raise _unreadable(path, error) from error


def _unreadable(source: Any, error: Exception) -> InputError:
    what = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "the table"
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return InputError(f"{what} could not be read: {reason}; is it cut short or of another format than its name says?")


# -- databases -------------------------------------------------------------------------------------------------


def _read_database(uri: str, query: str | None) -> "pl.DataFrame":
    scheme = uri.partition("://")[0]
    if scheme not in _DATABASES:
        raise InputError(f"the URI scheme {scheme!r} is not supported; use a file path, sqlite:// or postgresql://.")
    if query is None:
        raise InputError("query is missing: a database URI needs one, such as query='SELECT user, item FROM clicks'.")
    driver = "sqlite" if scheme == "sqlite" else "postgresql"
    try:
        import adbc_driver_manager  # noqa: F401
        import pyarrow  # noqa: F401

        __import__(f"adbc_driver_{driver}")
    except ImportError as error:
        raise MissingExtraError(f"reading from {driver} needs the extra 'sql': pip install 'tacit[sql]'.") from error
    if scheme == "sqlite" and not Path(_sqlite_path(uri)).is_file():
        # SQLite would create an empty database and then miss the table.
        raise InputError(f"there is no SQLite file {_sqlite_path(uri)!r}.")
    import adbc_driver_manager as adbc
    import polars as pl

    try:
        return pl.read_database_uri(query, uri, engine="adbc")
    except (adbc.Error, pl.exceptions.PolarsError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(f"query: the {driver} database answered: {reason}.") from error


def _sqlite_path(uri: str) -> str:
    """The file of a URI as polars reads it: sqlite:///relative.db, sqlite:////absolute.db.

    >>> _sqlite_path("sqlite:////var/shop.db"), _sqlite_path("sqlite:///shop.db")
    ('/var/shop.db', 'shop.db')
    """
    return uri.removeprefix("sqlite://").removeprefix("/")


# -- columns ---------------------------------------------------------------------------------------------------


def _check_columns(columns: Mapping[str, str], present: Sequence[str], name: str) -> None:
    for parameter, column in columns.items():
        if column not in present:
            raise InputError(
                f"{parameter}={column!r} is not a column of {name}, which has {', '.join(map(repr, present))}"
                f"{_nearest(str(column), present)}."
            )


def _nearest(word: str, choices: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(choices), n=1)
    return f"; did you mean {found[0]!r}?".removesuffix("?") if found else ""
