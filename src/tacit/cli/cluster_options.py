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

    def require_plain(self, source: Source, sides: bool) -> None:
        """Refuse what only one process can do."""
        used = ("table", "row", "col", "weight", "duplicates", "missing", "time")
        fields = Source.__dataclass_fields__
        other = [name for name in fields if name not in used and getattr(source, name) != _DEFAULTS.get(name)]
        if other:
            raise InputError(f"--{other[0].replace('_', '-')} is not for clusters; prepare the table beforehand.")
        if sides:
            raise InputError("tables of features, graphs, weights and targets are not for clusters; leave them out.")

    def fit(self, estimator: Any, table: Any, **columns: Any) -> Any:
        """The estimator, fitted on the workers."""
        if self.cluster is not None and self.workers is not None:
            raise InputError("--cluster and --workers exclude each other: a cluster has its workers.")
        from tacit import cluster

        with cluster.connected(self.cluster, self.workers) as client:
            return cluster.fit(client, estimator, table, **columns)

    def fit_positives(self, estimator: Any, source: Source) -> Any:
        """The same for a recommender and its table."""
        table, columns = source.columns()
        named = {name: columns.get(name) for name in ("row", "col", "weight")}
        return self.fit(estimator, table, **named, duplicates=source.duplicates, missing=source.missing)


_DEFAULTS: dict[str, Any] = {"context": (), "binary": False, "min_row_count": 1, "min_col_count": 1, "text_ids": False}
_DEFAULTS |= {"decimal": ".", "skip_bad": False}

_OPTIONS = (
    click.option("--cluster", metavar="ADDRESS", help="Fit on a Dask cluster, such as tcp://scheduler:8786."),
    click.option("--workers", type=click.IntRange(1), metavar="N", help="Fit on N processes of this machine."),
)


def cluster_options(function: Function) -> Function:
    """Both options; the verb gets one ``workers``."""
    return packed(function, _OPTIONS, lambda given: {"workers": Workers(**given)}, ["cluster", "workers"])
