"""Runs in the interpreter that has the method: fits and answers once for each point, measured.

    python contest/task.py '{"job": …, "method": …, "folder": …, "part": …, "points": […], "threads": 2}'

Everything is imported, and compiled on the small part, before the clock starts. The answers to point i are written to
``answers-i.npy`` in the folder; one line of JSON per point goes to standard output.
"""

import importlib
import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import memory
from contest import Data, Method, load


def main() -> None:
    task = json.loads(sys.argv[1])
    output = os.fdopen(os.dup(1), "w")
    # Libraries print; only what was measured may reach the caller.
    os.dup2(2, 1)
    folder, threads = Path(task["folder"]), task["threads"]
    method = importlib.import_module(f"contest.{task['job']}").METHODS[task["method"]]
    small = load(folder, "small")
    method.predict(method.fit(small, threads, **task["points"][0]), small, threads)
    data = load(folder, task["part"])
    for place, point in enumerate(task["points"]):
        try:
            answers, measured = measure(method, data, threads, point)
            np.save(folder / f"answers-{place}.npy", answers)
        except Exception as error:
            # A point at which a method fails is one that tuning does not choose.
            measured = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(measured), file=output, flush=True)


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


if __name__ == "__main__":
    main()
