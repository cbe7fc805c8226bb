"""Rating sets with graphs: Flixster, Yahoo! Music (cuts of Monti et al. 2017), FilmTrust, CiaoDVD (Guo et al.)."""

from tacit.data.loaders.folder import find
from tacit.data.loaders.ratings import RatingData, read_lines

_RATING = ("user", "item", "rating")


def load_flixster() -> RatingData:
    """26,173 ratings from 0.5 to 5 (2,617 held out), with a graph among users and one among items."""
    where = "github.com/fmonti/mgcnn (training_test_dataset.mat, written out as train.txt, test.txt, *_graph.txt)"
    return _with_graphs("Flixster", "flixster", where, "user_graph", "item_graph")


def load_filmtrust() -> RatingData:
    """35,497 ratings from 0.5 to 4 by 1,508 users of 2,071 films; ``user_graph`` says who trusts whom."""
    where = "librec.net/datasets.html"
    trust = read_lines(find("filmtrust", "trust.txt", where), " ", ("from", "to", "value"))
    ratings = read_lines(find("filmtrust", "ratings.txt", where), " ", _RATING)
    return RatingData("FilmTrust", ratings, user_graph=trust.drop("value"))


def load_ciaodvd() -> RatingData:
    """72,665 dated ratings from 1 to 5 by 17,615 users of 16,121 films; ``user_graph`` says who trusts whom."""
    import polars as pl

    where = "librec.net/datasets.html"
    columns = ("user", "item", "genre", "review", "rating", "date")
    lines = read_lines(find("ciaodvd", "movie-ratings.txt", where), ",", columns)
    time = pl.col("date").str.to_date().cast(pl.Datetime("ms")).dt.timestamp("ms") // 1000
    trust = read_lines(find("ciaodvd", "trusts.txt", where), ",", ("from", "to", "value"))
    ratings = lines.select("user", "item", "rating", time.alias("time"))
    return RatingData("CiaoDVD", ratings, user_graph=trust.drop("value"))


def load_yahoo_music() -> RatingData:
    """5,335 ratings from 1 to 100 (533 held out) of the 3000 × 3000 cut of Yahoo! Music, with a graph among items."""
    where = "github.com/fmonti/mgcnn (training_test_dataset.mat, written out as train.txt, test.txt, item_graph.txt)"
    return _with_graphs("Yahoo! Music", "yahoo_music", where, "item_graph")


def _with_graphs(name: str, folder: str, where: str, *graphs: str) -> RatingData:
    """Ratings with their published test part, and these graphs."""
    train, test = (read_lines(find(folder, f"{part}.txt", where), " ", _RATING) for part in ("train", "test"))
    edges = {graph: read_lines(find(folder, f"{graph}.txt", where), " ", ("from", "to")) for graph in graphs}
    return RatingData(name, train, test=test, **edges)
