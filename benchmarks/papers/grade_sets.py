"""The development sets of ordinal grades: rows and classes by name."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tacit.data.compressed import read_text
from tacit.data.loaders.folder import find
from tacit.data.loaders.ordinal import load_ordinal, load_ordinal_holdout

NUMERIC = (
    "protein", "kin40k", "elevators", "abalone", "bank8FM", "bank32NH", "cpu_small", "kinematics", "puma8NH",
    "house_8L", "friedman", "mv", "delta_ailerons", "autoMpg", "boston_housing", "stock",
)  # fmt: skip
OWN = ("diamonds", "car", "ERA", "LEV", "SWD", "ESL", "nursery", "balance-scale")
HOLDOUTS = ("winequality-red", "eucalyptus", "toy")


def ordinal(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load_ordinal(name, classes=5)
    return data.X, data.y


def both_parts(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The training and test rows of a published hold-out, put together."""
    parts = load_ordinal_holdout(name)
    return np.vstack([parts.X, parts.X_test]), np.concatenate([parts.y, parts.y_test])


def records_of_reviews() -> list[dict[str, Any]]:
    """The All Beauty reviews, as published."""
    path = find("amazon-all-beauty-5core", "All_Beauty_5.json", "Amazon Review Data 2018, J. Ni, UCSD")
    return [json.loads(line) for line in read_text(path).splitlines()]


def reviews(titles: bool) -> tuple[list[str], np.ndarray]:
    """Texts and stars of the All Beauty reviews; ``titles`` puts a review's title before its text."""
    records = records_of_reviews()
    texts = [" ".join([one.get("summary", "")] * titles + [one.get("reviewText", "")]) for one in records]
    return texts, np.array([int(one["overall"]) - 1 for one in records])


def all_beauty(titles: bool = True) -> tuple[Any, np.ndarray]:
    """tf-idf of the reviews, sparse."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, y = reviews(titles)
    return TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(texts).tocsr(), y


def reviews_as_printed() -> tuple[np.ndarray, np.ndarray]:
    """The paper's text pipeline on the texts alone: tf-idf, SVD to 1,000 dimensions, columns scaled to [0, 1]."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import MinMaxScaler

    X, y = all_beauty(titles=False)
    return MinMaxScaler().fit_transform(TruncatedSVD(1000, random_state=0).fit_transform(X)), y


def irrelevant(rows: int = 8_000, columns: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """Synthetic: 2 of 32 columns matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    target = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(rows)
    return X, np.searchsorted(np.quantile(target, [0.2, 0.4, 0.6, 0.8]), target)


SETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    **{name: partial(ordinal, name) for name in (*NUMERIC, *OWN)},
    **{name: partial(both_parts, name) for name in HOLDOUTS},
    "all-beauty": all_beauty,
    "irrelevant columns": irrelevant,
}
