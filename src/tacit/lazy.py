"""Lazy imports: a package's names are imported on first use (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], rooms: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package (PEP 562).

    homes : name → module that defines it; rooms : subpackages that may be asked for without an import
    """

    def get(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
            setattr(sys.modules[package], name, value)
            return value
        if name in rooms:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"{package} has no name {name!r}; it offers {', '.join(sorted(homes))}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
