"""Loaders against the published statistics of each set."""

import numpy as np
import pytest

from tacit import data
from tacit.errors import InputError

pytestmark = pytest.mark.usefixtures("shared_data")


def test_movielens_100k():
    loaded = data.load_movielens_100k()
    assert (loaded.ratings.height, loaded.users.height, loaded.items.height) == (100_000, 943, 1682)
    assert loaded.ratings.columns == ["user", "item", "rating", "time"]
    assert loaded.items.row(0, named=True) == {
        "id": 1,
        "title": "Toy Story (1995)",
        "genres": ["Animation", "Children's", "Comedy"],
        "year": 1995,
    }
    made = loaded.positives(minimum=4)
    assert made.nnz == loaded.ratings.filter(loaded.ratings["rating"] >= 4).height
    assert set(made.matrix.data) == {1.0} and made.times is not None


def test_movielens_100k_folds_are_the_published_ones():
    folds = [data.load_movielens_100k(f"u{k}") for k in (1, 2)]
    assert [(fold.ratings.height, fold.test.height) for fold in folds] == [(80_000, 20_000)] * 2
    train, test = folds[0].published_split(minimum=4, binary=True)
    assert train.shape == test.shape and train.nnz + test.nnz == data.load_movielens_100k().positives().nnz
    assert train.matrix.multiply(test.matrix).nnz == 0


def test_movielens_1m():
    loaded = data.load_movielens_1m()
    counts = loaded.ratings["rating"].value_counts().sort("rating")["count"].to_list()
    assert counts == [56_174, 107_557, 261_197, 348_971, 226_310]
    assert (loaded.users.height, loaded.items.height) == (6040, 3883)
    assert loaded.positives().nnz == 348_971 + 226_310
    assert loaded.interactions().shape == (6040, 3706)


def test_lastfm_with_friends_and_named_tags():
    loaded = data.load_lastfm()
    made = loaded.interactions()
    assert made.shape == (1892, 17_632) and made.nnz == 92_834
    assert made.row_graph.nnz == 25_434 and (made.row_graph != made.row_graph.T).nnz == 0
    assert loaded.tags.height == 184_941
    duran = loaded.artists.filter(loaded.artists["name"] == "Duran Duran")["id"][0]
    tags = loaded.tags.filter(loaded.tags["artist"] == duran)["tag"].to_list()
    assert tags.count("new wave") > 5 and "80s" in tags
    assert loaded.artist_tags(min_tag_count=5).nnz > 10_000


@pytest.mark.parametrize(("days", "size"), [(7, (62_594, 613, 27_970, 7486)), (1, (12_265, 414, 6060, 2553))])
def test_lastfm_next_song(days, size):
    loaded = data.load_lastfm_next(days)
    table = loaded.transitions
    assert (table.height, *(table[c].n_unique() for c in ("user", "song", "artist"))) == size
    made = loaded.interactions()
    assert len(made.events) == table.height and list(made.context_ids) == ["previous"]
    assert loaded.songs.height == size[2]


@pytest.mark.parametrize(
    ("name", "size"), [("Toys_and_Games", (19_412, 11_924, 167_597)), ("LastFM", (1090, 3646, 52_551))]
)
def test_sequences(name, size):
    loaded = data.load_sequences(name)
    made = loaded.interactions()
    assert (*made.shape, loaded.events.height) == size
    train, test = made.split(by="last")
    assert test.nnz == size[0] and train.nnz == made.nnz - test.nnz
    assert loaded.attributes.height > 10_000


def test_flixster_and_filmtrust_carry_graphs():
    flixster = data.load_flixster()
    assert (flixster.ratings.height, flixster.test.height) == (23_556, 2617)
    assert (flixster.user_graph.height, flixster.item_graph.height) == (59_354, 50_918)
    train, test = flixster.published_split()
    assert (train.nnz, test.nnz) == (23_556, 2617)
    assert train.row_graph.shape == (train.shape[0],) * 2 and train.col_graph.nnz > 0
    filmtrust = data.load_filmtrust()
    assert (filmtrust.ratings.height, filmtrust.user_graph.height) == (35_497, 1853)
    with pytest.raises(InputError, match="without a published test part"):
        filmtrust.published_split()


SIZES = {
    "bibtex": (4880, 2515, 1836, 159, 2.40),
    "rcv1v2": (3000, 3000, 47_236, 101, 2.880),
    "delicious": (12_920, 3185, 500, 983, 19.02),
    "mediamill-small": (2500, 0, 120, 101, 10_882 / 2500),
    "reutersk500": (6000, 0, 500, 103, 1.46),
    "enron": (1702, 0, 1001, 53, 3.38),
    "corel5k": (4500, 500, 499, 374, 3.52),
    "stackex_cooking": (10_491, 0, 577, 400, 2.22),
    "stackex_cs": (9270, 0, 635, 274, 2.56),
    "corel16k001": (13_766, 0, 500, 153, 39_353 / 13_766),
    "corel16k002": (13_761, 0, 500, 164, 39_665 / 13_761),
    "corel16k003": (13_760, 0, 500, 154, 38_922 / 13_760),
}


@pytest.mark.parametrize("name", SIZES)
def test_multilabel_sets(name):
    loaded = data.load_multilabel(name)
    rows, test_rows, features, labels, per_row = SIZES[name]
    assert loaded.X.shape == (rows, features) and loaded.Y.shape == (rows, labels)
    assert (0 if loaded.X_test is None else loaded.X_test.shape[0]) == test_rows
    positives = loaded.Y.nnz + (0 if loaded.Y_test is None else loaded.Y_test.nnz)
    assert positives / (rows + test_rows) == pytest.approx(per_row, abs=0.005)
    assert len(loaded.label_names) == labels and len(loaded.feature_names) == features


@pytest.mark.parametrize("name", ["bibtex", "delicious", "rcv1v2"])
def test_labels_mean_the_same_in_both_parts(name):
    """The features of a label's rows in the test part resemble those of the same label in the training part most.

    Near synonyms may come before it, so the nearest percent counts; a numbering that is off by one is far from it.
    """
    loaded = data.load_multilabel(name)
    labels = loaded.Y.shape[1]
    often = np.flatnonzero((loaded.Y.sum(axis=0) >= 40) & (loaded.Y_test.sum(axis=0) >= 40))
    means = []
    for X, Y in ((loaded.X, loaded.Y), (loaded.X_test, loaded.Y_test)):
        mean = (Y.T @ X).toarray()
        means.append(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12))
    alike = means[1][often] @ means[0].T

    def share_near(numbers):
        before = np.sum(alike > np.take_along_axis(alike, numbers[:, None], axis=1), axis=1)
        return np.mean(before < max(2, labels / 100))

    assert share_near(often) > 0.9
    assert share_near((often + 1) % labels) < 0.2


def test_bibtex_arff_holds_the_rows_of_both_parts():
    whole, parts = data.load_bibtex_arff(), data.load_multilabel("bibtex")
    assert whole.X.shape == (7395, 1836)
    assert whole.X.nnz == parts.X.nnz + parts.X_test.nnz and whole.Y.nnz == parts.Y.nnz + parts.Y_test.nnz
    counts = parts.Y.sum(axis=0) + parts.Y_test.sum(axis=0)
    np.testing.assert_array_equal(whole.Y.sum(axis=0), counts)
    assert len(set(whole.label_names)) == 159


def test_text_and_its_questions():
    first = [word for word, _ in zip(data.load_text().words(), range(3))]
    assert all(word.isalpha() for word in first)
    assert len(next(data.load_text().sentences(length=50))) == 50
    questions = data.load_analogies()
    assert sum(map(len, questions.values())) == 19_544 and len(questions) == 14
    assert len(data.load_word_similarities()) == 353


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("ERA", (1000, 4), 9),
        ("LEV", (1000, 4), 5),
        ("car", (1728, 21), 4),
        ("nursery", (12_960, 26), 5),
        ("SWD", (1000, 10), 4),
        ("diamonds", (53_940, 9), 5),
        ("abalone", (4177, 10), 5),
        ("kin40k", (40_000, 8), 5),
    ],
)
def test_ordinal_sets(name, shape, classes):
    loaded = data.load_ordinal(name)
    assert loaded.X.shape == shape and np.all(np.isfinite(loaded.X))
    assert set(loaded.y) == set(range(classes)) and len(loaded.class_names) == classes


def test_ordinal_holdouts():
    loaded = data.load_ordinal_holdout("toy", fold=29)
    assert len(loaded.y) + len(loaded.y_test) == 300 and set(loaded.y) == set(range(5))
    with pytest.raises(InputError, match="ESL has the folds 0 to 0"):
        data.load_ordinal_holdout("ESL", fold=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: data.load_movielens_100k("u9"),
        lambda: data.load_lastfm_next(3),
        lambda: data.load_sequences("Books"),
        lambda: data.load_multilabel("wiki"),
        lambda: data.load_ordinal("wine"),
        lambda: data.load_ordinal_holdout("wine"),
        lambda: data.load_text("text9"),
    ],
)
def test_unknown_names_are_answered_with_the_known_ones(call):
    with pytest.raises(InputError, match="is not one of"):
        call()


def test_ratings_with_trust_with_an_item_graph_and_dense_ones():
    ciao, music, jester = data.load_ciaodvd(), data.load_yahoo_music(), data.load_jester()
    assert (ciao.ratings.height, ciao.user_graph.height) == (72_665, 40_133)
    assert ciao.positives().times is not None
    assert (music.ratings.height, music.test.height, music.item_graph.height) == (4802, 533, 56_890)
    assert jester.ratings.height == 1_810_455 and jester.positives(minimum=5).shape[1] == 100
    assert jester.ratings["rating"].abs().max() <= 10


def test_gowalla_and_coco_are_positives_from_the_start():
    train, test = data.load_gowalla()
    assert train.shape == test.shape == (29_858, 40_981)
    assert (train.nnz, test.nnz) == (810_128, 217_242)
    assert train.matrix.multiply(test.matrix).nnz == 0
    coco = data.load_coco()
    assert coco.shape == (15_000, 80) and coco.nnz == 29_412 + 14_755
