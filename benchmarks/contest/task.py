"""Runs in the interpreter that has the method: fits and answers once for each point, measured.

Everything is imported, and compiled on the small part, before the clock starts. With ``profile`` the fit runs once more
under Python's profiler, and the functions of the package that took most of it are named.
"""

import cProfile
import importlib
import os
import pstats
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Data, Method, load
from benchmarks.machine import memory


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
    memory.reset()
    began, worked = time.perf_counter(), time.process_time()
    model = method.fit(data, threads, **point)
    fitted, work = time.perf_counter(), time.process_time() - worked
    answers = method.predict(model, data, threads)
    return answers, {
        "fit_seconds": fitted - began,
        "fit_processor_seconds": work,
        "predict_seconds": time.perf_counter() - fitted,
        "peak_mib": round(memory.peak_mib(), 1),
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
