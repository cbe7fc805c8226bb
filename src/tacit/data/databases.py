"""Read the result of a database query as a polars frame, through ADBC drivers."""

from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import polars as pl

_DATABASES = ("sqlite", "postgresql", "postgres")


def read_database(uri: str, query: str | None) -> "pl.DataFrame":
    """The answer to ``query`` by an SQLite or PostgreSQL database."""
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
