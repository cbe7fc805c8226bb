"""The papers' tables of data sets: how large each is there, and how large what stands for it here.

    python -m benchmarks.papers.data_sets [--quick]

Counts what the loaders give and measures nothing else; writes ``results/data-sets.json``. ``--quick`` leaves out the
text of 100 MB. A set whose files are absent is left out and said.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers.grade_methods import ordinal, reviews_as_printed
from benchmarks.papers.tag_methods import Split
from tacit.data import load_flixster, load_lastfm_next, load_movielens_1m, load_movielens_100k, load_text
from tacit.data.loaders.tags import load_multilabel
from tacit.errors import InputError

Sizes = Callable[[], list[int | None]]
LEAST = 5
"""A word has to occur so often, as in text8."""


def words() -> list[int | None]:
    counts = Counter(load_text().words())
    known = sum(count >= LEAST for count in counts.values())
    return [known, known, known, known, None]


def next_song() -> list[int | None]:
    """Rows are users with the song before, columns songs with their artists."""
    table = load_lastfm_next().transitions
    users, before, songs, artists = (table[name].n_unique() for name in ("user", "previous", "song", "artist"))
    return [table.select("user", "previous").n_unique(), songs, users + before, songs + artists, table.height]


def pairs(name: str) -> list[int | None]:
    """Rows and labels by ids, all of them."""
    Y = load_multilabel(name).Y
    return [*Y.shape, *Y.shape, Y.nnz]


def labels(name: str) -> list[int | None]:
    """Rows, labels, positives, features, entries of the features, test rows."""
    part = Split(name)
    return [*part.Y.shape, part.Y.nnz, part.X.shape[1], part.X.nnz, part.X_test.shape[0]]


def one_class(load: Any) -> list[int | None]:
    data = load().positives(4)
    return [*data.shape, data.nnz, None, None, None]


def ratings(load: Any) -> list[int | None]:
    """Ratings, items, users."""
    loaded = load()
    table = loaded.ratings if getattr(loaded, "test", None) is None else loaded.ratings.vstack(loaded.test)
    return [table.height, table["item"].n_unique(), table["user"].n_unique()]


def grades(load: Any) -> list[int | None]:
    """Features, rows, classes."""
    X, y = load()
    return [X.shape[1], X.shape[0], len(np.unique(y))]


def published(name: str) -> list[int | None]:
    """Features, labels, training rows, test rows."""
    data = load_multilabel(name)
    tested = 0 if data.X_test is None else data.X_test.shape[0]
    return [data.X.shape[1], data.Y.shape[1], data.X.shape[0], tested]


HERE: dict[str, dict[str, tuple[str, Sizes]]] = {
    "fbgd": {
        "Text8": ("Wikipedia, 100 MB", words),
        "Lastfm": ("the published test part", next_song),
        "Open": ("corel16k", lambda: pairs("corel16k001")),
    },
    "ocmf": {
        "bibtex": ("the same", lambda: labels("bibtex")),
        "mediamill": ("2,500 of its rows", lambda: labels("mediamill-small")),
        "delicious": ("the same", lambda: labels("delicious")),
        "ml100k": ("the same, ratings from 4 on", lambda: one_class(load_movielens_100k)),
        "flixster": ("a published part, ratings from 4 on", lambda: one_class(load_flixster)),
    },
    "nn-apa": {
        "Movielens 100k": ("the same", lambda: ratings(load_movielens_100k)),
        "Movielens 1M": ("the same", lambda: ratings(load_movielens_1m)),
        "Flixster": ("a published part", lambda: ratings(load_flixster)),
    },
    "qs3orao": {
        "3D": ("kin40k", lambda: grades(lambda: ordinal("kin40k"))),
        "Sgemm": ("protein", lambda: grades(lambda: ordinal("protein"))),
        "Year": ("elevators", lambda: grades(lambda: ordinal("elevators"))),
        "Beauty": ("All Beauty", lambda: grades(reviews_as_printed)),
    },
    "exmlds": {
        "Bibtex": ("the same", lambda: published("bibtex")),
        "Delicious": ("the same", lambda: published("delicious")),
        "rcv1v2": ("its subset 1", lambda: published("rcv1v2")),
        "MediaMill": ("2,500 of its rows", lambda: published("mediamill-small")),
    },
}
"""Paper → its data set → what stands for it here, and how its sizes are counted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without the text, into a file of its own")
    quick = parser.parse_args().quick
    figures: dict[str, Any] = {}
    for paper, sets in HERE.items():
        for name, (stand_in, count) in sets.items():
            if quick and count is words:
                continue
            try:
                found = count()
            except InputError as reason:
                print(paper, name, f"left out: {reason}", flush=True)
                continue
            figures.setdefault(paper, {})[name] = {"here": stand_in, "sizes": found}
            print(paper, name, stand_in, found, flush=True)
    print(results.write("data-sets" + ("-quick" if quick else ""), figures))


if __name__ == "__main__":
    main()
