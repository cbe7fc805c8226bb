"""The five jobs beside their peers: every method behind one signature, each run in a fresh process.

A module per job has

    SIZES      names of its data sets, smallest first
    MEASURES   what is measured, the leading one first; True where more is better
    METHODS    name → ``Method``
    prepare    (size, folder) → facts: writes the parts ``main``, ``small`` and, where methods are tuned, ``validation``
    evaluate   (size, part, answers) → measure → value

and runs in two interpreters, ours and the peers'. So it imports at its top what both have, NumPy and SciPy, and the
libraries inside the functions that need them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

Data = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """How to fit, how to answer, in whose interpreter; ``points`` are tried on the validation part.

    fit : (data, threads, **point) → anything
    predict : (what fit gave, data, threads) → array of answers
    package : whose version is noted; ``tacit`` and ``scikit-learn`` run in our own interpreter
    absent : size → why this method is not run at it

    Our own methods have names that begin with Tacit; what the package holds as baselines of its own does not.
    """

    fit: Callable[..., Any]
    predict: Callable[..., Any]
    package: str
    points: tuple[dict[str, Any], ...] = ({},)
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def at_home(self) -> bool:
        return self.package in ("tacit", "scikit-learn")


def save(folder: Path, part: str, **arrays: Any) -> None:
    """Write matrices and arrays of one part."""
    for name, value in arrays.items():
        if sp.issparse(value):
            sp.save_npz(folder / f"{part}-{name}.npz", sp.csr_matrix(value), compressed=False)
        else:
            np.save(folder / f"{part}-{name}.npy", np.asarray(value))


def load(folder: Path, part: str) -> Data:
    """What ``save`` wrote, by name."""
    found: Data = {"folder": folder}
    for path in sorted(folder.glob(f"{part}-*")):
        name = path.stem.removeprefix(f"{part}-")
        found[name] = sp.load_npz(path) if path.suffix == ".npz" else np.load(path)
    return found
