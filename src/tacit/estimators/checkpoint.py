"""Checkpoints of a fit: written atomically, resumed to the same bits, refused when they belong to something else."""

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import model_file
from tacit.errors import InputError

Array = NDArray[Any]

KIND = "checkpoint"
SECONDS_BETWEEN = 5.0
"""Writing every sweep would cost more than the sweep on small data."""


def fingerprint(parameters: dict[str, Any], *arrays: Array) -> str:
    """A digest of the parameters that shape the training and of the data."""
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True, default=repr).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class Checkpoint:
    """One checkpoint file of one fit; without a path it does nothing."""

    def __init__(self, path: str | os.PathLike[str] | None, mark: str) -> None:
        self.path = None if path is None else _writable(path)
        self.mark = mark
        self._written = time.monotonic()

    def read(self) -> tuple[list[dict[str, Any]], dict[str, Array]] | None:
        """History and arrays of an earlier, unfinished fit of the same model on the same data, or None."""
        if self.path is None or not self.path.exists():
            return None
        kind, state, arrays = model_file.read(self.path)
        if kind != KIND or state["fingerprint"] != self.mark:
            raise InputError(
                f"checkpoint: {str(self.path)!r} belongs to other data or other parameters; "
                "give another path, or delete it to start anew."
            )
        return state["history"], {name: np.array(array) for name, array in arrays.items()}

    def write(self, history: list[dict[str, Any]], arrays: dict[str, Array], *, now: bool = False) -> None:
        """Write if enough time has passed since the last one, or ``now``."""
        if self.path is None or not (now or time.monotonic() - self._written > SECONDS_BETWEEN):
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
