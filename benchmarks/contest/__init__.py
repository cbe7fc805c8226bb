"""The five jobs beside their peers: every method behind one signature, each run in a fresh process.

A module per job has

    SIZES      names of its data sets, smallest first
    MEASURES   what is measured, the leading one first; True where more is better
    METHODS    name → ``Method``
    prepare    (size, folder) → facts: writes the parts ``main``, ``small`` and, where methods are tuned, ``validation``
    evaluate   (size, part, answers) → measure → value

and runs in two interpreters, ours and the peers'. So it imports at its top what both have, NumPy and SciPy, and the
libraries inside the functions that need them. ``peers/versus.py`` asks for ``run`` there: it imports everything, and
compiles it on the small part, before the clock starts. With ``profile`` the fit runs once more under Python's profiler,
and the functions of the package that took most of it are named.
"""

import cProfile
import importlib
import os
import pstats
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.processes import forget_peak, peak_mib

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


def run(
    job: str, method: str, folder: str, part: str, points: list[dict[str, Any]], threads: int, profile: bool = False
) -> list[dict[str, Any]]:
    """What was measured at each point; the answers to point i are written to ``answers-i.npy`` in the folder."""
    chosen = importlib.import_module(f"benchmarks.contest.{job}").METHODS[method]
    small = load(Path(folder), "small")
    chosen.predict(chosen.fit(small, threads, **points[0]), small, threads)
    data = load(Path(folder), part)
    found = []
    for place, point in enumerate(points):
        try:
            answers, measured = measure(chosen, data, threads, point)
            if profile:
                measured["profile"] = profiled(chosen, data, threads, point)
            np.save(Path(folder) / f"answers-{place}.npy", answers)
        except Exception as error:
            # A point at which a method fails is one that tuning does not choose.
            measured = {"error": f"{type(error).__name__}: {error}"}
        found.append(measured)
    return found


def measure(method: Method, data: Data, threads: int, point: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    forget_peak()
    began, worked = time.perf_counter(), time.process_time()
    model = method.fit(data, threads, **point)
    fitted, work = time.perf_counter(), time.process_time() - worked
    answers = method.predict(model, data, threads)
    return answers, {
        "fit_seconds": fitted - began,
        "fit_processor_seconds": work,
        "predict_seconds": time.perf_counter() - fitted,
        "peak_mib": round(peak_mib(), 1),
        "version": version(method.package),
    }


def profiled(method: Method, data: Data, threads: int, point: dict[str, Any]) -> list[tuple[str, float]]:
    """Functions of the package and the share of the fit that passes inside them, callees included, largest first."""
    runner = cProfile.Profile()
    began = time.perf_counter()
    runner.runcall(method.fit, data, threads, **point)
    whole = time.perf_counter() - began
    shares: dict[str, float] = {}
    for (file, _, function), (*_, inside, _) in pstats.Stats(runner).stats.items():  # type: ignore[attr-defined]
        module = file.replace(os.sep, ".").removesuffix(".py").rpartition("tacit.")[2]
        if f"{os.sep}tacit{os.sep}" in file and not function.startswith("<"):
            shares[f"{module}.{function}"] = inside / whole
    return [(name, share) for name, share in sorted(shares.items(), key=lambda pair: -pair[1]) if share > 0.03][:12]
