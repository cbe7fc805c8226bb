"""Positives out of an SVMlight file: one line is one row, its ``column:weight`` pairs are the positives."""

import os
from pathlib import Path

import numpy as np

from tacit.data.compressed import open_bytes
from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr
from tacit.errors import InputError

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
    from sklearn.datasets import load_svmlight_file

    if not Path(path).is_file():
        raise InputError(f"there is no file {os.fspath(path)!r}.")
    try:
        with open_bytes(path) as opened:
            X, _ = load_svmlight_file(opened, multilabel=True, dtype=np.float32, zero_based=True)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(f"{os.fspath(path)!r} cannot be read as SVMlight: {str(error).rstrip('.')}.") from error
    return Interactions.from_matrix(as_csr(X, os.fspath(path), minimum=0.0)).filtered()
