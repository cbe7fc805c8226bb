"""Feature tables become sparse matrices aligned with ids.

Each column of the table is a *field*, a contiguous block of columns of the matrix:

    categorical   one column per category, 1 where it holds                    (text, categories, booleans)
    multi-valued  one column per value, 1 for each that is listed              (lists, or text with a separator)
    numeric       one column, scaled                                           (numbers)

What is missing, and what was unknown when the encoder was fitted, stores nothing. With standard scaling a missing
number therefore counts as the mean.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids, as_ids
from tacit.data.matrix import as_csr
from tacit.data.readers import read_frame
from tacit.data.text_files import TextForm
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["categorical", "multi", "numeric"]
_KINDS = ("categorical", "multi", "numeric")
_SCALES = ("standard", "largest", "none")
_Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class Field:
    """A block of columns: ``start`` to ``stop`` (exclusive), and what was learned about it.

    categories : the values that have a column, in order; None when numeric
    shift, scale : a number x is stored as (x − shift) / scale
    """

    name: str
    kind: Kind
    start: int
    stop: int
    categories: "pl.Series | None" = None
    shift: float = 0.0
    scale: float = 1.0


class FeatureEncoder:
    """Learns the columns of a feature table and turns this and later tables into matrices of the same columns.

    Parameters
    ----------
    id : the column that holds the ids
    columns : the columns to use; all others when None
    kinds : column → ``"categorical"``, ``"multi"`` or ``"numeric"`` where the column's type does not tell
    separators : column → what stands between the values of a multi-valued text, such as ``{"genres": "|"}``
    scaling : numbers lose their mean and get deviation 1 (``"standard"``), are divided by the largest magnitude
        (``"largest"``, which keeps zeros unstored), or stay (``"none"``)
    min_count : categories seen in fewer lines get no column
    unknown : categories without a column are ``"ignore"``d or an ``"error"``
    form : separator, encoding and decimal sign of text files (``tacit.data.text_files.TextForm``)

    Attributes
    ----------
    fields_ : the blocks, in order
    names_ : the name of each column, such as ``genres=Drama``

    >>> people = {"id": ["eve", "bob"], "team": ["red", "blue"], "likes": ["tea|jazz", "tea"], "age": [30, 40]}
    >>> encoder = FeatureEncoder("id", separators={"likes": "|"})
    >>> encoder.fit_transform(people, Ids(["bob", "eve"])).toarray()
    array([[ 1.,  0.,  0.,  1.,  1.],
           [ 0.,  1.,  1.,  1., -1.]], dtype=float32)
    >>> encoder.names_
    ['team=blue', 'team=red', 'likes=jazz', 'likes=tea', 'age']
    >>> encoder.borders
    array([0, 2, 4, 5])
    """

    def __init__(
        self,
        id: str,
        *,
        columns: Sequence[str] | None = None,
        kinds: Mapping[str, Kind] | None = None,
        separators: Mapping[str, str] | None = None,
        scaling: Literal["standard", "largest", "none"] = "standard",
        min_count: int = 1,
        unknown: Literal["ignore", "error"] = "ignore",
        form: TextForm = TextForm(),  # noqa: B008 - frozen
    ) -> None:
        self.id, self.columns, self.kinds, self.separators = id, columns, kinds, separators
        self.scaling, self.min_count, self.unknown, self.form = scaling, min_count, unknown, form

    @property
    def borders(self) -> NDArray[np.int64]:
        """Where fields begin, and the end of the last: field f has the columns borders[f] to borders[f + 1]."""
        return np.array([0, *(field.stop for field in self.fields_)], dtype=np.int64)

    def fit(self, table: Any, ids: Ids | Iterable[Hashable]) -> "FeatureEncoder":
        """Learn the fields from the lines of ``table`` whose id is among ``ids``."""
        self._learn(*self._lines(table, as_ids(ids)))
        return self

    def transform(self, table: Any, ids: Ids | Iterable[Hashable]) -> sp.csr_array:
        """Features of ``ids`` (``Ids`` or any list of ids), shape (len(ids), columns); an id without a line has none.

        >>> encoder = FeatureEncoder("id").fit({"id": ["a", "b"], "team": ["red", "blue"]}, ["a", "b"])
        >>> encoder.transform({"id": ["c"], "team": ["red"]}, ["c"]).toarray()
        array([[0., 1.]], dtype=float32)
        """
        ids = as_ids(ids)
        if not hasattr(self, "fields_"):
            raise InputError("this FeatureEncoder is not fitted yet; call fit or fit_transform first.")
        frame, rows = self._lines(table, ids)
        return self._encode(frame, rows, len(ids))

    def fit_transform(self, table: Any, ids: Ids | Iterable[Hashable]) -> sp.csr_array:
        """Both at once."""
        ids = as_ids(ids)
        frame, rows = self._lines(table, ids)
        self._learn(frame, rows)
        return self._encode(frame, rows, len(ids))

    # -- steps -------------------------------------------------------------------------------------------------

    def _lines(self, table: Any, ids: Ids) -> tuple["pl.DataFrame", NDArray[np.int64]]:
        """The lines whose id is known, and the row that each belongs to."""
        self._check_parameters()
        wanted = None if self.columns is None else [self.id, *self.columns]
        # 7 is text where the ids were read as text.
        text = (self.id,) if ids.is_text else ()
        frame = read_frame(table, {"id": self.id}, wanted, text=text, name="features", form=self.form)
        rows = ids.numbers(frame[self.id].to_list())
        known = rows >= 0
        counts = np.bincount(rows[known], minlength=len(ids))
        if np.any(counts > 1):
            twice = ids.take(np.flatnonzero(counts > 1)[:1]).tolist()[0]
            raise InputError(f"id: {twice!r} has {counts.max()} lines in features; give one line for each id.")
        return frame.filter(known), rows[known]

    def _check_parameters(self) -> None:
        for name, value, allowed in (
            ("scaling", self.scaling, _SCALES),
            ("unknown", self.unknown, ("ignore", "error")),
            *((f"kinds[{column!r}]", kind, _KINDS) for column, kind in (self.kinds or {}).items()),
        ):
            if value not in allowed:
                raise InputError(f"{name}={value!r} is not one of {', '.join(allowed)}.")
        checks.integer("min_count", self.min_count, 1)

    def _learn(self, frame: "pl.DataFrame", rows: NDArray[np.int64]) -> None:
        if len(rows) == 0:
            raise InputError(f"id: none of the ids in the column {self.id!r} of features is among the ids given.")
        self.fields_: list[Field] = []
        self.names_: list[str] = []
        for name in frame.columns:
            if name == self.id or frame[name].null_count() == frame.height:
                continue
            column, kind = self._column(frame, name)
            start = len(self.names_)
            if kind == "numeric":
                shift, scale = _scaling(column, self.scaling)
                self.fields_.append(Field(name, kind, start, start + 1, None, shift, scale))
                self.names_.append(name)
            else:
                categories = _categories(column, self.min_count)
                stop = start + len(categories)
                self.fields_.append(Field(name, kind, start, stop, categories))
                self.names_ += [f"{name}={value}" for value in categories.to_list()]
        if not self.names_:
            raise InputError("features has no column besides its ids, or no value in any; there is nothing to learn.")

    def _column(self, frame: "pl.DataFrame", name: str) -> tuple["pl.Series", Kind]:
        import polars as pl

        column = frame[name]
        separator = (self.separators or {}).get(name)
        if separator is not None:
            if column.dtype != pl.String:
                raise InputError(f"separators[{name!r}]: the column must be text, not {column.dtype}.")
            column = column.str.split(separator).list.eval(pl.element().filter(pl.element() != ""))
        kind = (self.kinds or {}).get(name) or _kind(column)
        if kind == "numeric" and not column.dtype.is_numeric():
            raise InputError(f"kinds[{name!r}]='numeric', but the column holds {column.dtype}; make it numbers first.")
        if kind == "multi" and not isinstance(column.dtype, pl.List | pl.Array):
            raise InputError(
                f"kinds[{name!r}]='multi', but the column holds {column.dtype}; give separators[{name!r}]."
            )
        return (column.cast(pl.String) if isinstance(column.dtype, pl.Categorical | pl.Enum) else column), kind

    def _encode(self, frame: "pl.DataFrame", rows: NDArray[np.int64], height: int) -> sp.csr_array:
        parts: list[_Cells] = []
        for field in self.fields_:
            if field.name not in frame.columns:
                raise InputError(f"features has no column {field.name!r}, which it had when the encoder was fitted.")
            if frame[field.name].null_count() == frame.height:
                # A column without any value has no type to compare, and stores nothing.
                continue
            column, kind = self._column(frame, field.name)
            if kind != field.kind:
                raise InputError(f"the column {field.name!r} of features was {field.kind} at fit and is {kind} now.")
            parts.append(_numeric(field, column, rows) if kind == "numeric" else self._hot(field, column, rows))
        row, col, value = (np.concatenate(axis) for axis in zip(*parts)) if parts else (np.zeros(0, np.int64),) * 3
        return as_csr(sp.coo_array((value, (row, col)), shape=(height, len(self.names_))), "features", allow_empty=True)

    def _hot(self, field: Field, column: "pl.Series", rows: NDArray[np.int64]) -> _Cells:
        import polars as pl

        assert field.categories is not None
        lines = pl.DataFrame({"row": rows, "value": column})
        if field.kind == "multi":
            # A value that is listed twice holds once.
            lines = lines.explode("value").unique(maintain_order=True)
        lines = lines.drop_nulls("value")
        places = pl.Series(np.arange(field.start, field.stop))
        try:
            numbers = lines["value"].replace_strict(field.categories, places, default=-1, return_dtype=pl.Int64)
        except pl.exceptions.PolarsError:
            raise InputError(
                f"the column {field.name!r} of features holds {lines['value'].dtype}, "
                f"but {field.categories.dtype} when the encoder was fitted."
            ) from None
        col = numbers.to_numpy()
        if self.unknown == "error" and np.any(col < 0):
            first = lines["value"][int(np.argmax(col < 0))]
            raise InputError(
                f"the column {field.name!r} of features holds {first!r}, which the encoder does not know; "
                "fit it anew or pass unknown='ignore'."
            )
        known = col >= 0
        return lines["row"].to_numpy()[known], col[known], np.ones(int(known.sum()))


def _kind(column: "pl.Series") -> Kind:
    import polars as pl

    if column.dtype.is_numeric():
        return "numeric"
    if isinstance(column.dtype, pl.List | pl.Array):
        return "multi"
    if column.dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum):
        return "categorical"
    raise InputError(
        f"the column {column.name!r} of features holds {column.dtype}, which is neither text, numbers nor lists; "
        "convert it or leave it out with columns=[...]."
    )


def _categories(column: "pl.Series", min_count: int) -> "pl.Series":
    """Distinct values in ascending order, without the rare ones."""
    import polars as pl

    values = column.explode() if isinstance(column.dtype, pl.List | pl.Array) else column
    counts = values.drop_nulls().alias("value").value_counts(name="count")
    return counts.filter(pl.col("count") >= min_count)["value"].sort()


def _scaling(column: "pl.Series", scaling: str) -> tuple[float, float]:
    values = _numbers(column)
    values = values[~np.isnan(values)]
    if scaling == "none" or len(values) == 0:
        return 0.0, 1.0
    if scaling == "largest":
        return 0.0, float(np.abs(values).max()) or 1.0
    # A constant column has no deviation; it then stores nothing.
    return float(values.mean()), float(values.std()) or 1.0


def _numbers(column: "pl.Series") -> NDArray[np.float64]:
    """Numbers, NaN where missing; infinity is refused."""
    import polars as pl

    values = np.asarray(column.cast(pl.Float64).to_numpy(), dtype=np.float64)
    if np.any(np.isinf(values)):
        raise InputError(f"the column {column.name!r} of features holds infinity; replace it first.")
    return values


def _numeric(field: Field, column: "pl.Series", rows: NDArray[np.int64]) -> _Cells:
    values = (_numbers(column) - field.shift) / field.scale
    stored = ~np.isnan(values) & (values != 0)
    return rows[stored], np.full(int(stored.sum()), field.start, dtype=np.int64), values[stored]
