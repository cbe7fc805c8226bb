"""Multi-label files: XMC text and SVMlight. Both give X (rows × features) and Y (rows × labels), sparse."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.compressed import open_bytes, read_text
from tacit.data.matrix import as_csr
from tacit.errors import InputError

Path_ = str | os.PathLike[str]


def read_xmc(path: Path_) -> tuple[sp.csr_array, sp.csr_array]:
    """X and Y of a file in XMC text, plain or .gz, .xz, .bz2.

    First line ``rows features labels``, then per row ``l1,l2,... f1:v1 f2:v2 ...``, all counted from 0; a row
    without labels starts with the blank.
    """
    file = _existing(path)
    header, _, body = read_text(file).partition("\n")
    try:
        sizes = dict(zip(("rows", "features", "labels"), map(int, header.split()), strict=True))
        rows, features, labels = (checks.integer(name, size, 0) for name, size in sizes.items())
    except (ValueError, InputError):
        raise InputError(
            f"{str(path)!r} is not XMC text: its first line should be 'rows features labels', not {header[:60]!r}."
        ) from None
    lines = body.split("\n")
    lines = lines[:-1] if lines and not lines[-1] else lines
    if len(lines) != rows:
        raise InputError(f"{str(path)!r} announces {rows} rows but has {len(lines)}; is it cut short?")
    halves = [line.partition(" ") for line in lines]
    tags = [half[0].split(",") if half[0] else [] for half in halves]
    counts = np.array([half[2].count(":") for half in halves], dtype=np.int64)
    try:
        flat = np.array(" ".join(half[2] for half in halves).replace(":", " ").split(), dtype=np.float64)
        pairs = flat.reshape(int(counts.sum()), 2)
        numbers = np.array([tag for row in tags for tag in row], dtype=np.float64)
    except ValueError as error:
        raise InputError(f"{str(path)!r} has a row that is not 'labels feature:value ...' ({error}).") from error
    X = _csr(counts, pairs[:, 0], pairs[:, 1], (rows, features), f"features of {str(path)!r}")
    lengths = np.array([len(row) for row in tags], dtype=np.int64)
    return X, _csr(lengths, numbers, np.ones(len(numbers)), (rows, labels), f"labels of {str(path)!r}")


def read_svmlight(
    path: Path_, features: int | None = None, labels: int | None = None
) -> tuple[sp.csr_array, sp.csr_array]:
    """X and Y of a multi-label SVMlight file: ``l1,l2 f1:v1 f2:v2 ...`` per row.

    ``features`` and ``labels`` give the widths where a file does not show the last ones (a test part, say).
    Features count from 1 or 0, whichever the file does; labels count from 0.
    """
    X, tags = parse_svmlight(path, n_features=features)
    numbers = np.array([tag for row in tags for tag in row])
    if not np.all((numbers >= 0) & (numbers < checks.LARGEST) & (numbers == np.floor(numbers))):
        raise InputError(f"{str(path)!r} has labels that are not whole numbers from 0 on.")
    width = int(numbers.max(initial=-1)) + 1 if labels is None else labels
    sizes = np.array([len(row) for row in tags], dtype=np.int64)
    Y = _csr(sizes, numbers, np.ones(len(numbers)), (X.shape[0], width), f"labels of {str(path)!r}")
    return as_csr(X, "features", allow_empty=True), Y


def parse_svmlight(path: Path_, **options: Any) -> tuple[Any, list[tuple[float, ...]]]:
    """What scikit-learn reads of such a file, or one sentence."""
    from sklearn.datasets import load_svmlight_file

    try:
        with open_bytes(_existing(path)) as opened:
            X, tags = load_svmlight_file(opened, multilabel=True, dtype=np.float32, **options)
    except (ValueError, OverflowError, EOFError, OSError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{str(path)!r} cannot be read as multi-label SVMlight: {reason}.") from error
    return X, tags


def _existing(path: Path_) -> Path:
    if not Path(path).is_file():
        raise InputError(f"there is no file {os.fspath(path)!r}.")
    return Path(path)


def _csr(
    counts: NDArray[np.int64], numbers: NDArray[np.float64], data: NDArray[Any], shape: tuple[int, int], name: str
) -> sp.csr_array:
    """``numbers`` as they were parsed, as double precision holds every one that could be right."""
    fits = (numbers >= 0) & (numbers < shape[1]) & (numbers == np.floor(numbers))
    if not fits.all():
        raise InputError(f"{name}: the number {numbers[~fits][0]:g} does not fit {shape[1]}, numbers count from 0.")
    indptr = np.concatenate(([0], np.cumsum(counts)))
    return as_csr(sp.csr_array((data, numbers.astype(np.int64), indptr), shape=shape), name, allow_empty=True)
