"""Train a model anew on all that it knows and all that came since, while the old one is served."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.base import clone

from tacit.errors import InputError
from tacit.estimators import needs
from tacit.service import snapshots
from tacit.service.served import Served
from tacit.service.service import named
from tacit.service.store import EventStore


@dataclass(frozen=True)
class Retrained:
    """What came of it: events up to ``sequence`` are in the new file."""

    name: str
    digest: str
    sequence: int
    rows: int
    cols: int
    positives: int


def retrain(path: Path, store: EventStore, folder: Path) -> Retrained:
    """Fit the model's own settings to its histories, events included, and replace its file.

    The store notes up to which event the new file has learned before the file appears: whoever opens it goes on from
    there.
    """
    ((name, path),) = named([path]).items()
    served = Served.open(name, path, folder / name, store)
    old = served.state.model
    fresh: Any = needs.settled(clone(old)).fit(_all_positives(old))
    digest = replace_file(fresh, path, store, name, served.sequence)
    rows, cols = fresh.seen_.shape
    return Retrained(name, digest, served.sequence, rows, cols, fresh.seen_.nnz)


def replace_file(model: Any, path: Path, store: EventStore, name: str, sequence: int, **options: Any) -> str:
    """Save a model that has learned up to an event, and note that in the store before the file appears; its digest."""
    unnamed = path.with_name(f"{path.name}.learned")
    try:
        model.save(unnamed, **options)
        digest = snapshots.digest_of(unnamed)
        store.set_learned(name, digest, sequence)
        unnamed.replace(path)
    finally:
        unnamed.unlink(missing_ok=True)
    snapshots.sync(path.parent)
    return digest


def _all_positives(model: Any) -> Any:
    from tacit import Interactions

    if not (hasattr(model, "seen_") and hasattr(model, "add")):
        raise InputError(
            f"retrain is for recommenders, which keep their positives; fit a {type(model).__name__} on its own data."
        )
    if model.forgotten_rows_:
        raise InputError(
            "this model was saved without histories, which retrain would train on; fit it anew on the data that it had."
        )
    beside = [
        name for name in ("row_feature_factors_", "col_feature_factors_") if getattr(model, name, None) is not None
    ]
    if beside or getattr(model, "graphs_", None) or getattr(model, "context_ids_", None):
        raise InputError(
            "this model was fitted with features, graphs or contexts, which its file does not keep; fit it anew."
        )
    return Interactions(model.seen_, model.row_ids_, model.col_ids_)
