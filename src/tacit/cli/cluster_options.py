"""``--cluster`` and ``--workers``: where a fit runs when not in this process."""

from dataclasses import dataclass
from typing import Any

import click

from tacit.cli.options import Function, packed
from tacit.cli.source import Source
from tacit.errors import InputError


@dataclass(frozen=True)
class Workers:
    """A scheduler's address, or a number of processes to start here; false when neither was given."""

    cluster: str | None
    workers: int | None

    def __bool__(self) -> bool:
        return self.cluster is not None or self.workers is not None

    def require_plain(self, source: Source, method: str | None, sides: bool) -> None:
        """Refuse what only one process can do."""
        if self.cluster is not None and self.workers is not None:
            raise InputError("--cluster and --workers exclude each other: a cluster has its workers.")
        unused = Source.__dataclass_fields__
        used = ("table", "row", "col", "weight", "duplicates", "missing", "time")
        other = [name for name in unused if name not in used and getattr(source, name) != _DEFAULTS.get(name)]
        if other:
            raise InputError(f"--{other[0].replace('_', '-')} is not for clusters; prepare the table beforehand.")
        if method not in (None, "factors") or sides:
            what = "features and graphs are" if sides else f"--method {method} is"
            raise InputError(f"{what} not for clusters, which fit factors of plain ids; leave it out.")

    def fit(self, estimator: Any, source: Source) -> Any:
        """The estimator, fitted on the workers."""
        from tacit import cluster

        table, columns = source.columns()
        with cluster.connected(self.cluster, self.workers) as client:
            return cluster.fit(
                client,
                estimator,
                table,
                row=columns["row"],
                col=columns["col"],
                weight=columns.get("weight"),
                duplicates=source.duplicates,  # type: ignore[arg-type]
                missing=source.missing,  # type: ignore[arg-type]
            )


_DEFAULTS: dict[str, Any] = {"context": (), "binary": False, "min_row_count": 1, "min_col_count": 1, "text_ids": False}
_DEFAULTS |= {"decimal": "."}

_OPTIONS = (
    click.option("--cluster", metavar="ADDRESS", help="Fit factors on a Dask cluster, such as tcp://scheduler:8786."),
    click.option("--workers", type=click.IntRange(1), metavar="N", help="Fit factors on N processes of this machine."),
)


def cluster_options(function: Function) -> Function:
    """Both options; the verb gets one ``workers``."""
    return packed(function, _OPTIONS, lambda given: {"workers": Workers(**given)}, ["cluster", "workers"])
