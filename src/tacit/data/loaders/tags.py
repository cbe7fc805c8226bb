"""Multi-label sets by name: bibtex, delicious, mediamill, rcv1v2, Reuters, Stack Exchange, enron, corel, EURLex."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from tacit.data.arff import parse_arff
from tacit.data.compressed import read_text
from tacit.data.loaders.folder import find
from tacit.data.matrix import as_csr
from tacit.data.multilabel import read_xmc
from tacit.errors import InputError


@dataclass(frozen=True)
class MultiLabelData:
    """Sparse features and labels.

    X, Y : training rows × features, × labels (all rows where no split is published)
    X_test, Y_test : the published test rows, or None
    label_names, feature_names : in column order; numbers as text where the publisher gives none
    """

    name: str
    X: sp.csr_array
    Y: sp.csr_array
    X_test: sp.csr_array | None
    Y_test: sp.csr_array | None
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]

    def __repr__(self) -> str:
        test = 0 if self.X_test is None else self.X_test.shape[0]
        return (
            f"MultiLabelData({self.name!r}: {self.X.shape[0]} rows and {test} test rows, "
            f"{self.X.shape[1]} features, {self.Y.shape[1]} labels)"
        )


@dataclass(frozen=True)
class _Set:
    folder: str
    train: str
    test: str | None
    labels: str | None
    features: str | None
    where: str
    columns: int = 0
    """How many attributes of an ARFF file are features, the labels behind them; 0 where the file is XMC text."""


_MULAN, _COMETA = "mulan.sourceforge.net/datasets-mlc.html", "cometa.ujaen.es"
_SETS = {
    "bibtex": _Set("bibtex", "bibtex-train.txt", "bibtex-test.txt", None, None, _MULAN),
    "rcv1v2": _Set("rcv1v2", "rcv1subset1-train.txt", "rcv1subset1-test.txt", "rcv1subset1-labels.txt", None, _COMETA),
    "enron": _Set("enron", "enron.txt", None, "enron-labels.txt", None, _MULAN),
    "corel5k": _Set("corel5k", "corel5k-train.txt", "corel5k-test.txt", "labels.txt", None, _MULAN),
    **{
        f"stackex_{site}": _Set(
            "stackex",
            f"stackex_{site}.txt",
            None,
            f"stackex_{site}-labels.txt",
            f"stackex_{site}-features.txt",
            _COMETA,
        )
        for site in ("cooking", "cs")
    },
    **{
        f"corel16k{part}": _Set("corel16k", f"corel16k{part}.txt", None, f"corel16k{part}-labels.txt", None, _MULAN)
        for part in ("001", "002", "003")
    },
    "delicious": _Set("delicious", "delicious-train.arff", "delicious-test.arff", None, None, _MULAN, columns=500),
    "mediamill-small": _Set("mediamill-small", "mediamill_small.arff", None, None, None, _MULAN, columns=120),
    "reutersk500": _Set("reutersk500", "reutersk500.txt", None, "reutersk500-labels.txt", None, "meka.sourceforge.net"),
    "eurlex": _Set("eurlex", "train.txt", "test.txt", None, None, "manikvarma.org/downloads/XC/XMLRepository.html"),
}


def load_multilabel(name: str) -> MultiLabelData:
    """A multi-label set: bibtex, delicious, mediamill-small, rcv1v2, reutersk500, enron, corel5k, stackex_cooking,
    stackex_cs, corel16k001 to 003, eurlex.
    """
    if name not in _SETS:
        raise InputError(f"name={name!r} is not one of {', '.join(_SETS)}.")
    chosen = _SETS[name]

    def path(file: str) -> str:
        return str(find(chosen.folder, file, chosen.where))

    if chosen.columns:
        return _from_arff(name, chosen)
    X, Y = read_xmc(path(chosen.train))
    X_test, Y_test = (None, None) if chosen.test is None else read_xmc(path(chosen.test))
    if name == "rcv1v2" and Y_test is not None:
        # The converted test part counts its labels from Class2: label j there is label j + 1 of the training part,
        # as the words that go with each label show (tests/data/loaders/test_published.py).
        Y_test = as_csr(sp.csr_array((Y_test.data, Y_test.indices + 1, Y_test.indptr), shape=Y_test.shape), "Y_test")
    if name == "bibtex":
        # The converted text has no names; the original ARFF does, in the same order of columns.
        names = _bibtex_names()
    else:
        names = _names(chosen, chosen.labels, Y.shape[1]), _names(chosen, chosen.features, X.shape[1])
    return MultiLabelData(name, X, Y, X_test, Y_test, *names)


def _from_arff(name: str, chosen: _Set) -> MultiLabelData:
    files = [chosen.train] if chosen.test is None else [chosen.train, chosen.test]
    tables = [parse_arff(read_text(find(chosen.folder, file, chosen.where)), file) for file in files]
    names = [attribute.name for attribute in tables[0].attributes]
    labels = tuple(one.removeprefix("TAG_") for one in names[chosen.columns :])
    halves: list[sp.csr_array | None] = []
    for table, file in zip(tables, files):
        halves += [as_csr(table.cells[:, : chosen.columns], file), as_csr(table.cells[:, chosen.columns :], file)]
    X, Y, X_test, Y_test = halves if len(files) == 2 else [*halves, None, None]
    assert X is not None and Y is not None
    return MultiLabelData(name, X, Y, X_test, Y_test, labels, tuple(names[: chosen.columns]))


def load_bibtex_arff() -> MultiLabelData:
    """Bibtex from the original ARFF file: all 7,395 rows, no split."""
    arff = parse_arff(read_text(find("bibtex", "bibtex.arff", _MULAN)), "bibtex.arff")
    is_label = np.array([attribute.name.startswith("TAG_") for attribute in arff.attributes])
    labels, features = _bibtex_names()
    X, Y = (as_csr(arff.cells[:, np.flatnonzero(mask)], "bibtex.arff") for mask in (~is_label, is_label))
    return MultiLabelData("bibtex", X, Y, None, None, labels, features)


def _bibtex_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    text = read_text(find("bibtex", "bibtex.arff", _MULAN))
    header = text[: text.lower().index("@data")]
    names = [attribute.name for attribute in parse_arff(header + "@data", "bibtex.arff").attributes]
    labels = tuple(name.removeprefix("TAG_") for name in names if name.startswith("TAG_"))
    return labels, tuple(name for name in names if not name.startswith("TAG_"))


def _names(chosen: _Set, file: str | None, width: int) -> tuple[str, ...]:
    if file is None:
        return tuple(map(str, range(width)))
    names = tuple(read_text(find(chosen.folder, file, chosen.where)).splitlines())
    if len(names) != width:
        raise InputError(f"{chosen.folder}/{file} names {len(names)} columns, but the data have {width}.")
    return names
