"""Tables in, sparse matrices out: ids, readers, splits, the bundled data set, loaders.

Names are loaded on first use: ``import tacit.data`` imports neither polars nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.data.ids import Ids as Ids
    from tacit.data.interactions import Interactions as Interactions

_HOMES = {
    "Ids": "tacit.data.ids",
    "Interactions": "tacit.data.interactions",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"tacit.data has no name {name!r}; it offers {', '.join(sorted(_HOMES))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
