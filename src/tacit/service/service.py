"""All that is served by one process: models by name, the store, the writer; starting, reloading, stopping."""

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.errors import InputError, TacitError
from tacit.service.errors import ServiceError
from tacit.service.limits import Limits
from tacit.service.measures import Measures
from tacit.service.patience import Patience
from tacit.service.questions import recommend_together
from tacit.service.served import Served
from tacit.service.store import EventStore, open_store
from tacit.service.together import Together
from tacit.service.warm_up import answer_once
from tacit.service.writer import Rhythm, Writer

_log = logging.getLogger("tacit.service")


@dataclass
class Service:
    """Models and what they need to learn and to come back."""

    paths: Mapping[str, Path]
    store_place: str | os.PathLike[str]
    snapshots: Path
    limits: Limits = field(default_factory=Limits)
    rhythm: Rhythm = field(default_factory=Rhythm)
    titles: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    measures: Measures = field(default_factory=Measures)
    served: dict[str, Served] = field(default_factory=dict)
    store: EventStore | None = None
    writer: Writer | None = None
    ready: bool = False
    together: Together = field(default_factory=lambda: Together(recommend_together))
    patience: Patience = field(init=False)
    _reloading: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.patience = Patience(self.limits.seconds)

    def start(self) -> None:
        """Open the store, restore every model, and begin to take events."""
        self.store = open_store(self.store_place)
        try:
            for name, path in self.paths.items():
                titles = dict(self.titles.get(name, {}))
                self.served[name] = Served.open(name, path, self.snapshots / name, self.store, titles)
                answer_once(self.served[name], self.limits)
                _log.info("model", extra={"model": name, "sequence": self.served[name].sequence,
                                          "digest": self.served[name].state.digest})  # fmt: skip
        except BaseException:
            self.store.close()
            raise
        self.writer = Writer(self.store, self.served, self.rhythm)
        self.writer.start()
        self.ready = True

    def stop(self) -> None:
        """Finish what was accepted, take snapshots, release the store."""
        self.ready = False
        writer, store = self.writer, self.store
        self.writer = self.store = None
        if writer is not None:
            writer.stop()
        if store is not None:
            store.close()

    def model(self, name: str) -> Served:
        """The model of that name."""
        try:
            return self.served[name]
        except KeyError:
            raise ServiceError(404, "there is no model of this name; GET /v1/models lists them.") from None

    def reload(self, name: str) -> Served:
        """Open the model's file anew and swap it in between two commits; a bad file leaves the old model in place."""
        assert self.store is not None and self.writer is not None
        with self._reloading:
            try:
                fresh = self.model(name).fresh(self.store)
                answer_once(fresh, self.limits)
            except (TacitError, OSError) as error:
                self.measures.reloads.labels(name, "refused").inc()
                _log.error("reload refused", extra={"model": name, "why": str(error)})
                raise ServiceError(409, f"the old model stays: {error}") from error

            def swap() -> None:
                # The writer stands still here: what came while the file was read is learned now.
                fresh.learn(self.store.read(name, fresh.sequence))  # type: ignore[union-attr]
                self.served[name] = fresh

            self.writer.between(swap).result()
            self.measures.reloads.labels(name, "done").inc()
            _log.info("reloaded", extra={"model": name, "digest": fresh.state.digest, "sequence": fresh.sequence})
            return fresh

    def snapshot(self, name: str) -> Served:
        """Take a snapshot now."""
        assert self.writer is not None
        served = self.model(name)
        self.writer.between(lambda: self.served[name].snapshot()).result()
        return served


def named(paths: list[Path]) -> dict[str, Path]:
    """Models by the stems of their files."""
    models: dict[str, Path] = {}
    for path in paths:
        name = path.name.split(".")[0]
        if not name or not all(sign.isalnum() or sign in "-_" for sign in name):
            raise InputError(
                f"{str(path)!r}: a model is served under its file's stem, which may hold letters, digits, - and _."
            )
        if name in models:
            raise InputError(f"{str(path)!r} and {str(models[name])!r} have the same stem, {name!r}; rename one.")
        if not path.is_file():
            raise InputError(f"there is no model file {str(path)!r}.")
        models[name] = path
    return models
