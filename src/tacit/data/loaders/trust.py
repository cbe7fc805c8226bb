"""Rating sets with graphs: Flixster (the 3000 × 3000 cut of Monti et al. 2017) and FilmTrust (Guo et al. 2013)."""

from tacit.data.loaders.folder import find
from tacit.data.loaders.ratings import RatingData, read_lines

_RATING = ("user", "item", "rating")


def load_flixster() -> RatingData:
    """26,173 ratings from 0.5 to 5 (2,617 held out), with a graph among users and one among items."""
    where = "github.com/fmonti/mgcnn (training_test_dataset.mat, written out as train.txt, test.txt, *_graph.txt)"
    return RatingData(
        "Flixster",
        read_lines(find("flixster", "train.txt", where), " ", _RATING),
        test=read_lines(find("flixster", "test.txt", where), " ", _RATING),
        user_graph=read_lines(find("flixster", "user_graph.txt", where), " ", ("from", "to")),
        item_graph=read_lines(find("flixster", "item_graph.txt", where), " ", ("from", "to")),
    )


def load_filmtrust() -> RatingData:
    """35,497 ratings from 0.5 to 4 by 1,508 users of 2,071 films; ``user_graph`` says who trusts whom."""
    where = "librec.net/datasets.html"
    trust = read_lines(find("filmtrust", "trust.txt", where), " ", ("from", "to", "value"))
    ratings = read_lines(find("filmtrust", "ratings.txt", where), " ", _RATING)
    return RatingData("FilmTrust", ratings, user_graph=trust.drop("value"))
