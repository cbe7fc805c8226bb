"""Rows in a context: the factor of a row and those of its context ids become one factor, as in training.

additive   p_x + Σ_c p_c                 (SVDFeature)
product    p_x ∘ p_c                     (CP)
pairwise   (p_x + p_c, ⟨p_x, p_c⟩)       (PITF)
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.recommend.asking import listed

Array = NDArray[Any]


class Contexts(NamedTuple):
    """Ids and factors (·, g) of each context by its name, and how they combine with a row; empty without contexts."""

    ids: Mapping[str, Ids]
    factors: Mapping[str, Array]
    model: str

    def combine(self, rows: Array, context: Mapping[str, Any] | None) -> Array:
        """Factors (n, ·) of rows (n, g) in their contexts; a context id that is not known changes nothing.

        context : name → one id for all rows, or one for each
        """
        if context is not None and (sp.issparse(context) or not isinstance(context, Mapping)):  # some are both
            raise InputError(f"context must be a table from name to id, not {checks.shown(context)}.")
        if not self.ids:
            if context:
                raise InputError("context: this model was trained without contexts; leave it out.")
            return rows
        given = dict(context or {})
        if set(given) != set(self.ids):
            raise InputError(
                f"context must name {', '.join(map(repr, self.ids))}, one id for all rows or one for each, "
                f"but names {', '.join(map(repr, given)) or 'nothing'}."
            )
        parts = [self._factors_of(name, wanted, len(rows)) for name, wanted in given.items()]
        if self.model == "additive":
            return np.asarray(rows + sum(parts), dtype=np.float32)
        if self.model == "product":
            return np.asarray(rows * parts[0], dtype=np.float32)
        pairs = np.sum(rows * parts[0], axis=1, keepdims=True)
        return np.ascontiguousarray(np.hstack([rows + parts[0], pairs]), dtype=np.float32)

    def _factors_of(self, name: str, wanted: Any, n: int) -> Array:
        ids = listed(wanted, self.ids[name])
        if len(ids) not in (1, n):
            raise InputError(f"context {name!r} has {len(ids)} ids for {n} rows; give one, or one for each.")
        numbers = np.broadcast_to(self.ids[name].numbers(ids), n)
        neutral = np.float32(1.0 if self.model == "product" else 0.0)
        return np.where((numbers >= 0)[:, None], self.factors[name][numbers], neutral)
