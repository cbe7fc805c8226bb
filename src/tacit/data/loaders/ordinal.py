"""Ordinal sets: X, and y in classes 0 < 1 < ... (−1 would be unlabelled; published sets have none)."""

import io
import tarfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.arff import parse_arff
from tacit.data.compressed import read_bytes, read_text
from tacit.data.loaders.folder import find
from tacit.errors import InputError

Array = NDArray[Any]
_ORCA = "uco.es/grupos/ayrna (ORCA)"
_TORGO = "dcc.fc.up.pt/~ltorgo/Regression"
_UCI = "archive.ics.uci.edu"

HOLDOUTS = (
    "toy", "pasture", "tae", "ERA", "car", "balance-scale", "contact-lenses", "winequality-red", "pyrim10", "ESL",
    "LEV", "SWD", "automobile", "bondrate", "eucalyptus", "newthyroid", "squash-stored", "squash-unstored",
)  # fmt: skip
ORDINAL_ARFF = ("ERA", "ESL", "LEV", "car", "nursery", "balance-scale")
NUMERIC_ARFF = (
    "autoMpg", "boston_housing", "stock", "abalone", "delta_ailerons", "bank8FM", "cpu_small", "kinematics",
    "puma8NH", "elevators", "friedman", "mv", "house_8L", "bank32NH",
)  # fmt: skip
PREPARED = ("protein", "kin40k")
_CUTS = ("Fair", "Good", "Very Good", "Premium", "Ideal")
_COLORS = "JIHGFED"
_CLARITIES = ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")


@dataclass(frozen=True)
class OrdinalData:
    """X : (n, features) float64; y : (n,) classes from 0; class_names in ascending order; published test rows."""

    name: str
    X: Array
    y: NDArray[np.int64]
    class_names: tuple[str, ...]
    X_test: Array | None = None
    y_test: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        test = 0 if self.X_test is None else len(self.X_test)
        rows, features = self.X.shape
        classes = len(self.class_names)
        return f"OrdinalData({self.name!r}: {rows} rows and {test} test rows, {features} features, {classes} classes)"


def equal_frequency(target: Array, classes: int) -> NDArray[np.int64]:
    """Cut a numeric target into ordered classes of about equal size; equal values stay together.

    >>> equal_frequency(np.array([5.0, 1.0, 3.0, 9.0]), 2)
    array([1, 0, 0, 1])
    """
    borders = np.quantile(target, np.arange(1, classes) / classes)
    # Classes are counted anew, because borders coincide where one value is very common.
    return np.unique(np.searchsorted(borders, target, side="left"), return_inverse=True)[1].astype(np.int64)


def load_ordinal_holdout(name: str, fold: int = 0) -> OrdinalData:
    """One published hold-out of an ORCA set: training and test rows, nominal inputs already coded."""
    if name not in HOLDOUTS:
        raise InputError(f"name={name!r} is not one of {', '.join(HOLDOUTS)}.")
    archive = read_bytes(find("ordinal-small", "orca-holdouts.tar", _ORCA))
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = set(tar.getnames())
        if f"{name}/train_{name}.{fold}" not in members:
            count = sum(member.startswith(f"{name}/train_") for member in members)
            raise InputError(f"fold={fold!r}: {name} has the folds 0 to {count - 1}.")
        parts = []
        for part in ("train", "test"):
            file = tar.extractfile(f"{name}/{part}_{name}.{fold}")
            assert file is not None
            parts.append(np.loadtxt(file, ndmin=2))
    (X, y), (X_test, y_test) = ((part[:, :-1], part[:, -1].astype(np.int64) - 1) for part in parts)
    classes = int(max(y.max(), y_test.max())) + 1
    return OrdinalData(name, X, y, _numbered(classes), X_test, y_test)


def load_ordinal(name: str, classes: int = 5) -> OrdinalData:
    """An ordinal set without a split.

    With classes of its own: ERA, ESL, LEV, SWD, car, nursery, balance-scale, diamonds (the cut). With a numeric
    target, here cut into ``classes`` of equal frequency: autoMpg, boston_housing, stock, abalone, delta_ailerons,
    bank8FM, cpu_small, kinematics, puma8NH, elevators, friedman, mv, house_8L, bank32NH, protein, kin40k, road3d
    (altitude).
    """
    if name in ORDINAL_ARFF or name in NUMERIC_ARFF:
        arff = parse_arff(
            read_text(find("ordinal-small", f"arff/{name}.arff", _TORGO if name in NUMERIC_ARFF else _UCI)), name
        )
        *inputs, last = range(len(arff.attributes))
        X, target, values = arff.one_hot(inputs), arff.column(last), arff.attributes[last].values
        if values is not None:
            return OrdinalData(name, X, target.astype(np.int64), values)
        return _cut(name, X, target, classes)
    if name in PREPARED:
        table = np.loadtxt(io.BytesIO(read_bytes(find(f"uci-regression/{name}", "data.csv", _UCI))), delimiter=",")
        return _cut(name, table[:, :-1], table[:, -1], classes)
    if name == "SWD":
        return _swd()
    if name == "diamonds":
        return _diamonds()
    if name == "road3d":
        table = np.loadtxt(io.BytesIO(read_bytes(find("road3d", "3D_spatial_network.txt", _UCI))), delimiter=",")
        return _cut(name, table[:, 1:3], table[:, 3], classes)
    own = (*ORDINAL_ARFF, "SWD", "diamonds")
    raise InputError(f"name={name!r} is not one of {', '.join((*own, *NUMERIC_ARFF, *PREPARED, 'road3d'))}.")


def _swd() -> OrdinalData:
    header, *lines = read_text(find("ordinal-small", "swd.csv", "openml.org (SWD, A. Ben-David)")).splitlines()
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines if line])
    return OrdinalData("SWD", table[:, :-1], table[:, -1].astype(np.int64), tuple(header.split(",")[2:]))


def _diamonds() -> OrdinalData:
    import polars as pl

    table = pl.read_csv(io.BytesIO(read_bytes(find("diamonds", "diamonds.csv", "ggplot2.tidyverse.org"))))
    orders = {"cut": _CUTS, "color": _COLORS, "clarity": _CLARITIES}
    ranks = [pl.col(c).replace_strict(list(o), list(range(len(o))), return_dtype=pl.Int64) for c, o in orders.items()]
    table = table.with_columns(ranks)
    inputs = table.drop("cut").cast(pl.Float64).to_numpy()
    return OrdinalData("diamonds", inputs, table["cut"].to_numpy(), _CUTS)


def _cut(name: str, X: Array, target: Array, classes: int) -> OrdinalData:
    if classes < 2:
        raise InputError(f"classes={classes} must be at least 2.")
    y = equal_frequency(target, classes)
    return OrdinalData(name, X, y, _numbered(int(y.max()) + 1))


def _numbered(classes: int) -> tuple[str, ...]:
    return tuple(str(k + 1) for k in range(classes))
