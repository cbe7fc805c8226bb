"""MovieLens of GroupLens: 100K, 1M and the HetRec 2011 edition. Research use; passing the data on is not allowed."""

from typing import TYPE_CHECKING

from tacit.data.compressed import read_text
from tacit.data.loaders.folder import find
from tacit.data.loaders.ratings import RatingData, read_lines, read_texts
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_FOLDS = ("u1", "u2", "u3", "u4", "u5", "ua", "ub")
_AGES = {1: "under 18", 18: "18-24", 25: "25-34", 35: "35-44", 45: "45-49", 50: "50-55", 56: "56 and over"}


def load_movielens_100k(fold: str | None = None) -> RatingData:
    """100,000 ratings from 1 to 5 by 943 users of 1,682 films, with times.

    ``fold`` is one of the published splits, u1 to u5 (five parts), ua or ub (ten ratings per user held out).
    """
    where = "grouplens.org/datasets/movielens/100k"
    if fold is not None and fold not in _FOLDS:
        raise InputError(f"fold={fold!r} is not one of {', '.join(_FOLDS)}.")
    columns = ("user", "item", "rating", "time")

    def ratings(name: str) -> "pl.DataFrame":
        return read_lines(find("ml-100k", name, where), "\t", columns)

    genres = [line.split("|")[0] for line in read_text(find("ml-100k", "u.genre", where)).splitlines() if line]
    return RatingData(
        "MovieLens 100K",
        ratings("u.data" if fold is None else f"{fold}.base"),
        test=None if fold is None else ratings(f"{fold}.test"),
        users=_users(read_texts(find("ml-100k", "u.user", where), "|", ("id", "age", "gender", "occupation", "zip"))),
        items=_films_100k(read_text(find("ml-100k", "u.item", where), "latin-1"), genres),
    )


def load_movielens_1m() -> RatingData:
    """1,000,209 ratings from 1 to 5 by 6,040 users of 3,706 films.

    Times are there when the published ``ratings.dat`` is; ``ratings-no-timestamp.dat`` has only the first three
    columns. Users carry gender, age group and a code of their occupation.
    """
    import polars as pl

    where = "grouplens.org/datasets/movielens/1m"
    path = find("ml-1m", ("ratings.dat", "ratings-no-timestamp.dat"), where)
    columns = ("user", "item", "rating", "time")
    ratings = read_lines(path, "::", columns[:3] if "no-timestamp" in path.name else columns)
    films = read_texts(find("ml-1m", "movies.dat", where), "::", ("id", "title", "genres"))
    users = read_texts(find("ml-1m", "users.dat", where), "::", ("id", "gender", "age", "occupation", "zip"))
    age = pl.col("age").cast(pl.Int64).replace_strict(_AGES, return_dtype=pl.String)
    return RatingData(
        "MovieLens 1M",
        ratings,
        users=users.with_columns(pl.col("id").cast(pl.Int64), age),
        items=films.with_columns(pl.col("id").cast(pl.Int64), pl.col("genres").str.split("|"), _year()),
    )


def load_hetrec_movielens() -> RatingData:
    """HetRec 2011: 855,598 ratings from 0.5 to 5 by 2,113 users of 10,109 films, with times in milliseconds."""
    where = "grouplens.org/datasets/hetrec-2011"
    path = find("hetrec-movielens", "user_ratedmovies-timestamps.dat", where)
    return RatingData("HetRec MovieLens", read_lines(path, "\t", ("user", "item", "rating", "time"), header=True))


def _users(users: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    return users.with_columns(pl.col("id", "age").cast(pl.Int64))


def _films_100k(text: str, genres: list[str]) -> "pl.DataFrame":
    import polars as pl

    rows = [line.split("|") for line in text.splitlines() if line]
    films = pl.DataFrame(
        {
            "id": [int(row[0]) for row in rows],
            "title": [row[1] for row in rows],
            "genres": [[name for name, flag in zip(genres, row[5:]) if flag == "1"] for row in rows],
        }
    )
    return films.with_columns(_year())


def _year() -> "pl.Expr":
    """The year stands in brackets at the end of a title."""
    import polars as pl

    return pl.col("title").str.extract(r"\((\d{4})\)\s*$").cast(pl.Int64).alias("year")
