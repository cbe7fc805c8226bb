"""Jester (K. Goldberg, UC Berkeley): ratings of jokes, a dense data set."""

import numpy as np

from tacit.data.compressed import open_bytes
from tacit.data.loaders.folder import find
from tacit.data.loaders.ratings import RatingData

_NOT_RATED = 99.0


def load_jester() -> RatingData:
    """1,810,455 ratings from -10 to 10 by 24,983 users of 100 jokes (the first of the published sheets)."""
    import polars as pl

    path = find("jester", "jester-data-1.csv", "eigentaste.berkeley.edu/dataset")
    with open_bytes(path) as file:
        # The first column counts the ratings of the line.
        sheet = pl.read_csv(file.read(), has_header=False, infer_schema_length=None).to_numpy()[:, 1:]
    user, item = np.nonzero(sheet != _NOT_RATED)
    return RatingData("Jester", pl.DataFrame({"user": user + 1, "item": item + 1, "rating": sheet[user, item]}))
