"""Serve models over HTTP, learn from events, and lose nothing that was acknowledged (the extra ``serve``).

    requests ──► guard (token, limits, ids, headers) ──► app ──► questions ──► models
    events   ──► writer: one thread, group commit to the store, then learned, then acknowledged
    restart  ──► newest valid snapshot, then the events that came after it, to the same bits

The service knows estimators by their public calls only.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.service.app import create_app as create_app
    from tacit.service.client import Client as Client

__all__ = ["Client", "create_app"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in __all__:
        from tacit.service.extra import require_extra

        require_extra()
        return getattr(import_module("tacit.service.app" if name == "create_app" else "tacit.service.client"), name)
    raise AttributeError(f"tacit.service has no {name!r}.")
