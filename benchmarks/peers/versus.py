"""The five jobs beside their peers, at three sizes: accuracy, time to fit, time to answer, memory.

    python -m benchmarks.peers.versus JOB [--quick] [--size NAME] [--only METHOD] [--again] [--times] [--runs N]
        [--point {…}]

JOB is recommend, tag, words, stream or grade. Data, splits, settings and grids stand in ``contest/JOB.py``. Every
method is chosen on the validation part over its points, then runs three times (twice above ten seconds, once above a
minute), methods alternating, each time in a fresh process that has loaded and compiled everything before the clock
starts; best and median. Ours are profiled as well, in a fit that does not count. Peak memory is that of fit and
answers, data and libraries included. What a file has already is kept, unless ``--again``. ``--times`` runs all that the
file has once more, with the parameters that were chosen, for an idle machine. ``--quick`` takes the smallest size once,
and two points in the middle of each grid.

Writes ``results/versus.json``, with ``--quick`` ``versus-quick.json``.
"""

import argparse
import importlib
import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.contest import Method, load
from benchmarks.processes import THREADS, Failed, ask

JOBS = ("recommend", "tag", "words", "stream", "grade")


def task(job: str, name: str, method: Method, folder: Path, part: str, points: list[Any]) -> list[dict[str, Any]]:
    """One process: what was measured at each point, with the answers evaluated."""
    request = {"job": job, "method": name, "folder": str(folder), "part": part, "points": points, "threads": THREADS}
    profile = part == "main" and name.startswith("Tacit")
    try:
        measured: list[dict[str, Any]] = ask("contest:run", peers=not method.at_home, **request, profile=profile)
    except Failed as error:
        raise RuntimeError(_reason(str(error), folder)) from None
    data, module = load(folder, part), importlib.import_module(f"benchmarks.contest.{job}")
    for place, one in enumerate(measured):
        if "error" not in one:
            one["measures"] = module.evaluate(data, np.load(folder / f"answers-{place}.npy"))
    if all("error" in one for one in measured):
        raise RuntimeError(_reason(measured[0]["error"], folder))
    return measured


def _reason(error: str, folder: Path) -> str:
    """What goes to the results: without the folder, which is another one each time."""
    return error.replace(f"{folder}{os.sep}", "")[:200]


def chosen(job: str, name: str, method: Method, folder: Path, quick: bool) -> dict[str, Any]:
    """The point that does best on the validation part."""
    points = list(method.points)
    if quick:
        points = points[len(points) // 2 - 1 : len(points) // 2 + 1] or points
    if len(points) == 1:
        return points[0]
    measured = task(job, name, method, folder, "validation", points)
    leading, more_is_better = next(iter(importlib.import_module(f"benchmarks.contest.{job}").MEASURES.items()))
    sign = 1 if more_is_better else -1
    worked = [(point, one) for point, one in zip(points, measured) if "error" not in one]
    return max(worked, key=lambda pair: sign * pair[1]["measures"][leading])[0]


def summary(runs: list[dict[str, Any]], point: dict[str, Any]) -> dict[str, Any]:
    """Best and median of the runs of one method; what they answered is the same each time."""
    seconds = [run["fit_seconds"] for run in runs]
    profile = {"profile": runs[0]["profile"]} if "profile" in runs[0] else {}
    return {
        **profile,
        "measures": runs[-1]["measures"],
        "fit_seconds": round(min(seconds), 4),
        "fit_seconds_median": round(statistics.median(seconds), 4),
        "fit_processor_seconds": round(min(run["fit_processor_seconds"] for run in runs), 4),
        "predict_seconds": round(min(run["predict_seconds"] for run in runs), 4),
        "peak_mib": max(run["peak_mib"] for run in runs),
        "runs": len(runs),
        "parameters": point,
        "version": runs[-1]["version"],
    }


def one_size(
    job: str, size: str, wanted: dict[str, Method], most_runs: int, known: dict[str, Any], quick: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Facts of the data, and method → figures or the reason why there are none; ``known`` holds parameters chosen."""
    module = importlib.import_module(f"benchmarks.contest.{job}")
    table: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        facts = module.prepare(size, folder)
        points: dict[str, dict[str, Any]] = {}
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in wanted}
        for turn in range(most_runs):
            for name, method in wanted.items():
                past = [run["fit_seconds"] for run in runs[name]]
                if name in table or (past and len(past) >= (3 if min(past) < 10 else 2 if min(past) < 60 else 1)):
                    continue
                if size in method.absent:
                    table[name] = {"absent": method.absent[size]}
                    continue
                try:
                    if turn == 0:
                        given = known.get(name, {}).get("parameters")
                        points[name] = chosen(job, name, method, folder, quick) if given is None else given
                    runs[name] += task(job, name, method, folder, "main", [points[name]])
                except RuntimeError as error:
                    table[name] = {"absent": str(error)}
                    continue
                print(job, size, name, points[name], runs[name][-1], flush=True)
    table |= {name: summary(found, points[name]) for name, found in runs.items() if found}
    return facts, {name: table[name] for name in wanted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("--quick", action="store_true", help="the smallest size, once, two points")
    parser.add_argument("--size", help="only this size")
    parser.add_argument("--only", help="only this method")
    parser.add_argument("--again", action="store_true", help="measure also what the results file has")
    parser.add_argument("--runs", type=int, default=3, help="most runs of a method")
    parser.add_argument("--times", action="store_true", help="once more with the parameters that the file has")
    parser.add_argument("--point", type=json.loads, help="parameters of --only in JSON, chosen elsewhere")
    given = parser.parse_args()
    if given.point is not None and given.only is None:
        parser.error("--point has the parameters of one method: name it with --only")
    module = importlib.import_module(f"benchmarks.contest.{given.job}")
    file = "versus-quick" if given.quick else "versus"
    again = given.again or given.quick or given.times or given.point is not None
    for size in module.SIZES[:1] if given.quick else module.SIZES:
        if given.size not in (None, size):
            continue
        if size in getattr(module, "ELSEWHERE", {}):
            keep(file, given.job, size, {}, module.elsewhere(results.read(module.ELSEWHERE[size])), module)
            continue
        known = measured_before(file, given.job, size)
        if given.point is not None:
            known[given.only] = known.get(given.only, {}) | {"parameters": given.point}
        wanted = {
            name: method
            for name, method in module.METHODS.items()
            if given.only in (None, name) and (again or "fit_seconds" not in known.get(name, {}))
        }
        if wanted:
            runs = 1 if given.quick else given.runs
            parameters = known if given.times or given.point is not None else {}
            facts, table = one_size(given.job, size, wanted, runs, parameters, given.quick)
            keep(file, given.job, size, facts, table, module)
    print(results.FOLDER / f"{file}.json")


def measured_before(file: str, job: str, size: str) -> dict[str, Any]:
    path = results.FOLDER / f"{file}.json"
    figures = results.read(file)["figures"] if path.exists() else {}
    found: dict[str, Any] = figures.get(job, {}).get(size, {}).get("methods", {})
    return found


def keep(file: str, job: str, size: str, facts: dict[str, Any], table: dict[str, Any], module: Any) -> None:
    """Write what is new and keep the rest, in the order of the sizes and methods."""
    path = results.FOLDER / f"{file}.json"
    figures = results.read(file)["figures"] if path.exists() else {}
    sizes = figures.setdefault(job, {})
    both = sizes.get(size, {}).get("methods", {}) | table
    sizes[size] = {
        "facts": facts or sizes.get(size, {}).get("facts", {}),
        "measures": module.MEASURES,
        "methods": {name: both[name] for name in module.METHODS if name in both},
    }
    figures[job] = {name: sizes[name] for name in module.SIZES if name in sizes}
    results.write(file, {name: figures[name] for name in JOBS if name in figures})


if __name__ == "__main__":
    main()
