"""Read ratings from three columns, or from one table with the columns user, item and rating."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.readers import read_table
from tacit.errors import InputError


def _is_matrix(part: Any) -> bool:
    """Sparse matrices have no length, text is one value, and mappings and tables are no column."""
    return hasattr(part, "tocsr") or hasattr(part, "keys") or isinstance(part, str | bytes)


def rating_columns(users: Any, items: Any = None, ratings: Any = None) -> tuple[Any, Any, NDArray[np.float64]]:
    """Users, items and ratings of equal length from three columns, or from one table with columns of these names.

    >>> rating_columns({"user": ["ann"], "item": ["tea"], "rating": [5]})[2]
    array([5.])
    """
    if items is None and ratings is None:
        table = read_table(users, {"user": "user", "item": "item", "rating": "rating"})
        users, items, ratings = table["user"], table["item"], table["rating"]
    elif items is None or ratings is None:
        raise InputError("give users, items and ratings together, or one table with the columns user, item and rating.")
    named = (("users", users), ("items", items), ("ratings", ratings))
    users, items, ratings = (
        part
        if hasattr(part, "__len__") and hasattr(part, "__getitem__") and not _is_matrix(part)
        else checks.listed(name, part)
        for name, part in named
    )
    try:
        values = np.asarray(ratings, dtype=np.float64)
    except Exception:  # a table raises its own library's errors where a column has no place in an array
        raise InputError("ratings must be numbers.") from None
    if values.ndim != 1:
        raise InputError(f"ratings must be one-dimensional, not of shape {values.shape}.")
    if len(values) != len(users) or len(values) != len(items):
        raise InputError(
            f"users, items and ratings must be equally long, not {len(users)}, {len(items)} and {len(values)}."
        )
    return users, items, values
