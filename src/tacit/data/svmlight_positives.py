"""Positives out of an SVMlight file: one line is one row, its ``column:weight`` pairs are the positives."""

import os
from pathlib import Path

from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr
from tacit.data.multilabel import parse_svmlight

SUFFIXES = (".svm", ".svmlight", ".libsvm")


def is_svmlight(source: str) -> bool:
    """Whether a path is named like an SVMlight file, packed or not.

    >>> is_svmlight("clicks.svm.gz"), is_svmlight("clicks.csv")
    (True, False)
    """
    suffixes = Path(source).suffixes
    return any(suffix.lower() in SUFFIXES for suffix in suffixes[-2:])


def read_svmlight_positives(path: str | os.PathLike[str]) -> Interactions:
    """Rows are the lines, counted from 0; column ids are the numbers in the file; labels before them are ignored."""
    X, _ = parse_svmlight(path, zero_based=True)
    return Interactions.from_matrix(as_csr(X, os.fspath(path), minimum=0.0)).filtered()
