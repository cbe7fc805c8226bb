"""What a worker does before its first task, and again when it is started anew."""

from typing import Any

from distributed import WorkerPlugin


class Prepared(WorkerPlugin):
    """Polars is imported once, by one thread.

    A worker that comes back receives results in one thread while another one begins a task. Both would import polars at
    the same time, and one of them would find it half done.
    """

    name = "tacit"

    def setup(self, worker: Any) -> None:
        import polars  # noqa: F401
