"""Checkpoints of a fit.

They are written atomically and resume to the same bits. A checkpoint of other parameters or other data is refused, by a
fingerprint of both.
"""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import model_file
from tacit.errors import InputError, ModelFileError
from tacit.estimators.values import History

Array = NDArray[Any]

KIND = "checkpoint"
HISTORY = History(required=("objective",))
SECONDS_BETWEEN = 5.0
"""Writing every sweep would cost more than the sweep on small data."""


def fingerprint(parameters: dict[str, Any], *arrays: Array) -> str:
    """A digest of the parameters that shape the training and of the data."""
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True, default=repr).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def prefixed(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays under names that begin so."""
    return {prefix + name: array for name, array in arrays.items()}


def below(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin with ``prefix``, named by the rest: the inverse of ``prefixed``.

    >>> below({"ids/text": 1, "factors": 2}, "ids/")
    {'text': 1}
    """
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class Checkpoint:
    """One checkpoint file of one fit; without a path it does nothing."""

    def __init__(self, path: str | os.PathLike[str] | None, mark: str) -> None:
        self.path = None if path is None else _writable(path)
        self.mark = mark
        self._written = time.monotonic()

    def read(self, learned: Mapping[str, Array]) -> tuple[list[dict[str, Any]], dict[str, Array]] | None:
        """History and arrays of an earlier, unfinished fit of the same model on the same data, or None.

        ``learned`` are the arrays that training works on: those of the file are proved to be like them.
        """
        if self.path is None or not self.path.exists():
            return None
        kind, state, arrays = model_file.read(self.path)
        if kind != KIND or state.get("fingerprint") != self.mark:
            raise InputError(
                f"checkpoint: {str(self.path)!r} belongs to other data or other parameters; "
                "give another path, or delete it to start anew."
            )
        for name, array in arrays.items():
            like = learned.get(name.split(" ")[-1])
            unlike = like is not None and (array.shape != like.shape or array.dtype != like.dtype)
            if unlike or array.dtype.kind != "f" or not np.isfinite(array).all():
                raise self.damaged(f"{name!r} does not fit")
        if missing := sorted(set(learned) - set(arrays)):
            raise self.damaged(f"{missing[0]!r} is missing")
        try:
            return HISTORY.read("history", state.get("history")), arrays
        except InputError as error:
            raise self.damaged(str(error).rstrip(".")) from error

    def resumes(self, done: int, total: int) -> str:
        """What a fit says that goes on from this."""
        if done >= total:
            return f"the checkpoint {str(self.path)!r} has all {total:,} sweeps already; nothing is left to train."
        return f"goes on after sweep {done:,} of {total:,}, from the checkpoint {str(self.path)!r}."

    def damaged(self, why: str) -> ModelFileError:
        """The sentence on a checkpoint that cannot be gone on from."""
        return ModelFileError(f"checkpoint: {str(self.path)!r} is damaged ({why}); delete it to start anew.")

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last one."""
        return self.path is not None and time.monotonic() - self._written > SECONDS_BETWEEN

    def write(self, history: list[dict[str, Any]], arrays: dict[str, Array], *, now: bool = False) -> None:
        """Write if enough time has passed since the last one, or ``now``."""
        if self.path is None or not (now or self.is_due):
            return
        model_file.write(self.path, KIND, {"fingerprint": self.mark, "history": history}, arrays)
        self._written = time.monotonic()


def _writable(path: Any) -> Path:
    """Found out before training, not when the first checkpoint is due."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"checkpoint must be the path of a file, not {path!r}.")
    file = Path(path)
    if file.is_dir():
        raise InputError(f"checkpoint: {str(file)!r} is a folder; give the name of a file in it.")
    if not file.parent.is_dir():
        raise InputError(f"checkpoint: the folder {str(file.parent)!r} does not exist; create it first.")
    return file
