"""What the service needs beyond Tacit itself."""

from importlib.util import find_spec

from tacit.errors import MissingExtraError


def require_extra() -> None:
    """One sentence where the extra ``serve`` is not installed."""
    missing = [name for name in ("starlette", "msgspec", "uvicorn", "prometheus_client") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"serving needs {', '.join(missing)}: install it with 'pip install tacit[serve]'.")
