"""ARFF, the attribute-relation files of Weka and Mulan: dense or sparse rows, numeric and nominal attributes."""

import csv
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import InputError

_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))\s+(.*)""", re.IGNORECASE)


@dataclass(frozen=True)
class Attribute:
    """A column: its name, and its values in the order of the header when it is nominal."""

    name: str
    values: tuple[str, ...] | None


@dataclass(frozen=True)
class Arff:
    """attributes : columns; cells : (rows, columns) CSR, a nominal cell holds the place of its value."""

    attributes: tuple[Attribute, ...]
    cells: sp.csr_array

    def column(self, index: int) -> NDArray[np.float64]:
        return np.asarray(self.cells[:, [index]].toarray()).ravel()

    def one_hot(self, places: list[int]) -> NDArray[np.float64]:
        """These columns as numbers.

        A nominal attribute whose values are numbers keeps them; other nominal ones with more than two values become
        one column per value.
        """
        parts: list[NDArray[np.float64]] = []
        for index in places:
            column, values = self.column(index), self.attributes[index].values
            if values is not None and all(_is_number(value) for value in values):
                column = np.array([float(value) for value in values])[column.astype(np.int64)]
            elif values is not None and len(values) > 2:
                parts.append((column[:, None] == np.arange(len(values))).astype(np.float64))
                continue
            parts.append(column[:, None])
        return np.hstack(parts)


def parse_arff(text: str, name: str) -> Arff:
    """Read ARFF text; ``name`` is for the sentence when it cannot be read.

    >>> toy = parse_arff("@attribute size numeric\\n@attribute hue {red,blue}\\n@data\\n2.5,blue\\n{0 1}", "toy")
    >>> toy.cells.toarray()
    array([[2.5, 1. ],
           [1. , 0. ]])
    """
    lines = iter(text.splitlines())
    attributes: list[Attribute] = []
    for line in lines:
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            break
        result = _ATTRIBUTE.match(stripped)
        if result:
            attributes.append(Attribute(next(g for g in result.groups()[:3] if g is not None), _nominal(result[4])))
    else:
        raise InputError(f"{name} is not ARFF: it has no @data line.")
    codes = [None if a.values is None else {v: float(k) for k, v in enumerate(a.values)} for a in attributes]
    rows: list[int] = []
    cols: list[int] = []
    data: list[float] = []
    height = 0
    for line in lines:
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        try:
            cells = _sparse_row(stripped) if stripped.startswith("{") else list(enumerate(_fields(stripped)))
            if not stripped.startswith("{") and len(cells) != len(attributes):
                raise ValueError(f"{len(cells)} values for {len(attributes)} attributes")
            values = [float(value) if codes[col] is None else codes[col][value] for col, value in cells]  # type: ignore[index]
        except (ValueError, KeyError, IndexError) as error:
            raise InputError(f"{name}: row {height} of the data cannot be read ({error}).") from error
        rows += [height] * len(cells)
        cols += [col for col, _ in cells]
        data += values
        height += 1
    coordinates: Any = (np.array(rows, dtype=np.int64), np.array(cols, dtype=np.int64))
    matrix = sp.coo_array((np.array(data), coordinates), shape=(height, len(attributes)))
    return Arff(tuple(attributes), matrix.tocsr())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _nominal(kind: str) -> tuple[str, ...] | None:
    kind = kind.strip()
    return tuple(_fields(kind.strip("{}"))) if kind.startswith("{") else None


def _fields(line: str) -> list[str]:
    fields = next(csv.reader([line], quotechar="'", skipinitialspace=True))
    return [field.strip().strip('"') for field in fields]


def _sparse_row(line: str) -> list[tuple[int, str]]:
    cells = []
    for cell in _fields(line.strip("{} ")):
        if cell:
            index, _, value = cell.partition(" ")
            cells.append((int(index), value.strip()))
    return cells
