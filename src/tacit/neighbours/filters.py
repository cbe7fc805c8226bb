"""Which items a search may return: one record that every search of this folder takes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Lists = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Item numbers per query: ``indptr`` and ``indices`` of a CSR matrix whose rows are sorted."""


@dataclass(frozen=True)
class Filters:
    """For n queries and m items.

    seen, excluded : per query the items that may not come back
    included : per query the only items that may come back
    limited : (n,) mask of the queries that ``included`` speaks of, all when None; the others may get any item
    allowed : (m,) mask of the items that may come back for any query
    """

    seen: Lists | None = None
    excluded: Lists | None = None
    included: Lists | None = None
    limited: NDArray[np.bool_] | None = None
    allowed: NDArray[np.bool_] | None = None

    @property
    def forbidden(self) -> list[Lists]:
        """The lists of items that may not come back."""
        return [lists for lists in (self.seen, self.excluded) if lists is not None]

    def checked(self, n: int, m: int) -> "Filters":
        """The same for n queries and m items, in the types that kernels take; refused where they do not fit."""
        allowed = self.allowed
        if allowed is not None:
            allowed = np.asarray(allowed)
            if allowed.dtype != np.bool_ or allowed.shape != (m,):
                raise InputError(f"allowed must be a mask of {m} booleans, one per item.")
        lists = {
            name: checked_lists(given, name, n, m)
            for name in ("seen", "excluded", "included")
            if (given := getattr(self, name)) is not None
        }
        limited = np.ones(n, dtype=np.bool_) if self.limited is None else self.limited
        return replace(self, **lists, limited=limited, allowed=allowed)


def whole_k(k: Any) -> int:
    """How many items are wanted, at least one."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k must be a whole number of at least 1, not {k!r}.")
    return int(k)


def checked_lists(lists: Lists, name: str, n: int, m: int) -> Lists:
    """Lists of items in the types that kernels take; refused where they do not fit n queries and m items."""
    indptr = np.ascontiguousarray(lists[0], dtype=np.int64)
    indices = np.ascontiguousarray(lists[1], dtype=np.int32)
    if len(indptr) != n + 1:
        raise InputError(f"{name} must list items for each of the {n} queries, not for {len(indptr) - 1}.")
    if indptr[-1] > len(indices) or (len(indices) and (indices.min() < 0 or indices.max() >= m)):
        raise InputError(f"{name} names items outside 0 to {m - 1}.")
    return indptr, indices


NO_FILTERS = Filters()
