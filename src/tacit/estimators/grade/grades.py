"""Reading y: which rows are labelled, and the order of the classes.

One coding of what is unknown: −1 in whole numbers, None or NaN anywhere, a missing value in a categorical. The order of
the classes comes from, first that applies: ``classes``; an ordered categorical (pandas or polars); numbers by size.
Text has no order of its own and is refused without one.

``y`` with nothing but −1 and 1 is the one coding that can be read two ways. As "−1 is unlabelled" it has a single
class and nothing can be learned from it, so it is read as two classes, −1 below 1, with a warning that says so;
``unlabelled_mark=None`` states that meaning and keeps silent.
"""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from tacit import checks
from tacit.errors import InputError

Codes = NDArray[np.intp]
Classes = NDArray[Any]


class GradeWarning(UserWarning):
    """The coding of y admits a second reading, and this says which one was taken."""


def read_grades(
    y: Any, classes: Sequence[Any] | None = None, mark: Any = -1, *, all_unlabelled: bool = False
) -> tuple[Codes, Classes]:
    """Class numbers (−1 where unlabelled) and the classes in their order.

    ``all_unlabelled`` permits a y without any label, as a later part of a stream may be.

    >>> codes, classes = read_grades(["bad", None, "good"], classes=["bad", "fair", "good"])
    >>> codes, classes
    (array([ 0, -1,  2]), array(['bad', 'fair', 'good'], dtype='<U4'))
    """
    if y is None:
        raise InputError("OrdinalRanker requires y to be passed, but the target y is None; mark unlabelled rows by -1.")
    ordered = _ordered_categories(y)
    if classes is None and ordered is not None:
        classes = ordered
    values = _as_values(y)
    known = ~_is_missing(values, mark)
    classes = None if classes is None else checks.listed("classes", classes)
    if classes is not None and not all(isinstance(one, Hashable) for one in classes):
        raise InputError("classes must list numbers or text, lowest first, not lists or tables.")
    if classes is not None and mark is not None and any(one is mark or _is_mark(one, mark) for one in classes):
        raise InputError(
            f"classes lists {mark!r}, which marks unlabelled rows; set unlabelled_mark=None or another mark."
        )
    if classes is None and _is_sign_coding(values, mark):
        warnings.warn(
            "y holds only -1 and 1, which is read as two classes and not as one class with unlabelled rows; "
            "set unlabelled_mark=None to confirm.",
            GradeWarning,
            stacklevel=4,
        )
        known = ~_is_missing(values, None)
    if not known.any() and not (all_unlabelled and classes is not None):
        raise InputError("y has no labelled row: every value is -1, None or NaN; give at least two classes.")
    labels = _plain(values[known])
    if classes is None:
        _require_order(labels)
        check_classification_targets(labels)
    order = np.unique(labels) if classes is None else _as_classes(classes)
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[known] = encode(labels, order)
    return codes, order


def encode(labels: NDArray[Any], classes: Classes) -> Codes:
    """Numbers of labels in ``classes``; a label that is not among them is refused."""
    numbers = {value: number for number, value in enumerate(classes.tolist())}
    try:
        distinct, index = np.unique(labels, return_inverse=True)
        hash(tuple(distinct.tolist()))
    except TypeError:
        raise InputError("y mixes values that cannot be compared; give all classes as text or as numbers.") from None
    foreign = [value for value in distinct.tolist() if value not in numbers]
    if foreign:
        known = {str(one).strip().casefold(): one for one in classes.tolist()}
        meant = known.get(str(foreign[0]).strip().casefold())
        remedy = "correct it or add it to them" if meant is None else f"write it as {meant!r}"
        raise InputError(f"y holds {foreign[0]!r}, which is not among the classes {classes.tolist()}; {remedy}.")
    return np.array([numbers[value] for value in distinct.tolist()], dtype=np.intp)[index.ravel()]


def _require_order(labels: NDArray[Any]) -> None:
    """Text sorts by the alphabet, which is hardly ever the order of grades."""
    text = labels.dtype.kind in "US" or (labels.dtype.kind == "O" and any(isinstance(one, str) for one in labels))
    if text:
        result = ", ".join(sorted(set(map(repr, labels.tolist())))[:5])
        raise InputError(
            f"y holds grades as text ({result}), which have no order of their own; list them lowest first, as in "
            "classes=['poor', 'fair', 'good'], or give an ordered categorical."
        )


def _ordered_categories(y: Any) -> list[Any] | None:
    """The categories of an ordered pandas categorical or of a polars Enum, lowest first."""
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False) and hasattr(dtype, "categories"):
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars"):
        return list(dtype.categories)
    return None


def _as_values(y: Any) -> NDArray[Any]:
    """y as one-dimensional array; a list with None among numbers or strings stays an array of objects."""
    if isinstance(y, list | tuple) and any(value is None for value in y):
        y = np.fromiter(y, dtype=object, count=len(y))
    try:
        values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    except Exception:  # a table raises its own library's errors where a column has no place in an array
        raise InputError(
            "y must be a list or array with one number or text per row, not lists of different lengths or a table."
        ) from None
    if values.ndim == 0:
        raise InputError("y must be a list or array with one entry per row, not a single value.")
    if values.dtype.kind == "V":
        raise InputError("y must hold one number or text per row, not records; give the class of each row.")
    return np.asarray(column_or_1d(values, warn=True))


def _is_missing(values: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
    if values.dtype.kind in "iub":
        missing = np.zeros(len(values), dtype=bool)
    elif values.dtype.kind == "f":
        if np.isinf(values).any():
            raise InputError("y contains infinity; give classes as whole numbers or text.")
        missing = np.isnan(values)
    elif values.dtype.kind == "O":
        missing = np.array([str(value) == "<NA>" or not _is_mark(value, value) for value in values], dtype=bool)
        missing |= np.array([value is None for value in values], dtype=bool)
    else:
        missing = np.zeros(len(values), dtype=bool)
    if mark is None:
        return missing
    if values.dtype.kind == "O" or isinstance(mark, str) == (values.dtype.kind in "US"):
        missing |= np.array([_is_mark(value, mark) for value in values.tolist()], dtype=bool)
    return missing


def _is_mark(value: Any, mark: Any) -> bool:
    """Whether a value is the mark of an unlabelled row; what cannot be compared with it is not."""
    try:
        return bool(np.all(value == mark))
    except (TypeError, ValueError):
        return False


def _is_sign_coding(values: NDArray[Any], mark: Any) -> bool:
    """Exactly the values −1 and 1, where −1 is also the mark of the unlabelled."""
    return bool(values.dtype.kind in "if" and _is_mark(mark, -1) and np.array_equal(np.unique(values), [-1, 1]))


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all numbers or all text become an array of that kind."""
    if labels.dtype.kind != "O":
        return labels
    try:
        plain = np.array(labels.tolist())
    except ValueError:
        plain = labels[:, None]
    if plain.ndim != 1:
        raise InputError("y must hold one number or text per row, not lists; give the class of each row.")
    if plain.dtype.kind in "US" and not all(isinstance(value, str) for value in labels.tolist()):
        raise InputError("y mixes text with other values; give all classes as text or all as numbers.")
    return labels if plain.dtype.kind in "US" else plain


def _as_classes(classes: Sequence[Any]) -> Classes:
    try:
        order = np.asarray(classes)
        distinct = len(set(order.tolist())) if order.ndim == 1 else 0
    except (TypeError, ValueError):
        distinct = 0
    if distinct < 2 or distinct != len(order):
        raise InputError("classes must list at least two distinct classes, lowest first.")
    return order
