"""The approximate index of a recommender's columns, for ``recommend`` and for ``similar_cols``.

It belongs to the column factors from which it was built. Once a fit or new columns have replaced them, the exact search
answers until the index is built again.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.estimators.derived import Derived
from tacit.estimators.schema_parts import Array as ArrayPart
from tacit.estimators.schema_parts import Borders, Repeated
from tacit.neighbours import approximate
from tacit.neighbours.approximate import ItemIndex
from tacit.neighbours.few_queries import Tiled, top_k_of_few
from tacit.neighbours.filters import Filters
from tacit.neighbours.selection import Result
from tacit.neighbours.topk import QUERIES, normalise, top_k

Array = NDArray[Any]
Search = Literal["auto", "exact", "approximate"]
SEARCHES = ("auto", "exact", "approximate")

CHEAPER_BY = 4
"""The approximate search is taken where it looks at so many times fewer columns than the exact one."""


@dataclass(frozen=True)
class ColIndex:
    """Indexes of the columns' factors and of their directions, and the factors that they belong to."""

    factors: Array
    recommend: ItemIndex
    similar: ItemIndex

    @classmethod
    def build(cls, rows: Array, cols: Array, *, recall: float, seed: Any, threads: int) -> "ColIndex":
        """Of columns (m, g), measured on rows (n, g) and, for neighbours, on columns."""
        how: dict[str, Any] = {"recall": recall, "seed": seed, "threads": threads}
        directions = normalise(cols)
        known = rows[np.abs(rows).max(axis=1, initial=0.0) > 0]
        if not len(known):
            raise InputError("no row has a factor to measure the recall of an index with; fit with more positives.")
        return cls(cols, approximate.build(cols, known, **how), approximate.build(directions, directions, **how))

    def parts(self) -> list[dict[str, Array]]:
        """What a model file holds of it."""
        return [asdict(self.recommend), asdict(self.similar)]

    @classmethod
    def from_parts(cls, factors: Array, parts: list[dict[str, Array]]) -> "ColIndex | None":
        return cls(factors, *(ItemIndex(**part) for part in parts)) if parts else None

    def __str__(self) -> str:
        return f"recommend: {self.recommend}; similar: {self.similar}"


PART = Repeated(
    "col_index",
    lambda proof: 2 * proof.facts["has_col_index"],
    (
        ArrayPart("order", "i4", ("cols",), below="cols"),
        Borders("starts", "lists", "cols"),
        ArrayPart("centres", "f4", ("lists", "col width")),
        ArrayPart("depths", "i8", ("depths",), least=1, ascending=True),
        ArrayPart("probes", "i8", ("depths",), least=1),
        ArrayPart("recalls", "f8", ("depths",), least=0.0, most=1.0),
    ),
    shared=("cols", "col width"),
)


def find(
    index: ItemIndex | None,
    derived: Derived,
    queries: Array,
    items: Array,
    k: int,
    search: Search,
    filters: Filters,
    threads: int,
) -> Result:
    """The k best items by the index where it may be used and pays, else by the exact search."""
    checks.choice("search", search, SEARCHES)
    if search == "approximate" and index is None:
        raise InputError("search='approximate' needs an index of the columns as they are; call index_cols first.")
    if search == "approximate" and index is not None and not index.serves(k):
        raise InputError(
            f"search='approximate' answers up to k={index.depths[-1]}, for which its recall was measured, not {k}."
        )
    if index is None or search == "exact" or filters.included is not None or not _pays(index, k, filters.allowed):
        filtered = not (filters.included is None and filters.excluded is None and filters.allowed is None)
        if not filtered and 0 < len(queries) <= QUERIES[0] and len(items):
            return top_k_of_few(queries, tiles_of(items, derived), k, seen=filters.seen, threads=threads)
        return top_k(queries, items, k, filters, threads=threads)
    order = index.order
    grouped = derived.of("items by list", (items, order), lambda: items[order])
    return approximate.search(index, grouped, queries, k, filters, threads=threads)


def tiles_of(items: Array, derived: Derived) -> Tiled:
    """Items (m, g) as the search for few queries takes them."""
    return derived.of("items in tiles", (items,), lambda: Tiled.of(items))


def _pays(index: ItemIndex, k: int, allowed: NDArray[np.bool_] | None) -> bool:
    """Whether the lists that would be searched hold far fewer items than the exact search would look at."""
    if not index.serves(k):
        return False
    share = 1.0 if allowed is None else max(1, int(np.count_nonzero(allowed))) / len(allowed)
    searched = index.lists_for(k) / len(index.centres) / share
    return bool(CHEAPER_BY * searched < share)
