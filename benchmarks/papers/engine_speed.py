"""The whole-data engine in time: against the naive gradient, against implicit, against itself as the data grow.

    python -m benchmarks.papers.engine_speed [gradient] [growth] [iteration] [solvers] [--quick]

Without names all parts run. Each part replaces its own figures in ``results/engine-speed.json``. ``--quick`` takes a
tenth of the size, below a minute a part, and writes to ``results/engine-speed-quick.json``.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.machine.kernel_work import skewed, whole_data
from benchmarks.peers.workers import Worker
from tacit.baselines.naive_gradient import naive_gradient
from tacit.objective.two_towers import TwoTowers
from tacit.progress import Run
from tacit.solvers.als import AlternatingLeastSquares
from tacit.solvers.alternation import alternate
from tacit.solvers.descent import Adagrad, Gradient, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion
from tacit.threads import single_threaded_blas

ROUNDS = 2


def best_of(function: Any, repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    seconds = []
    for _ in range(repeats):
        began = clock()
        function()
        seconds.append(clock() - began)
    return min(seconds)


def factors(n: int, m: int, g: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(0, 0.3, (size, g)).astype(np.float32) for size in (n, m))


def gradient(scale: int) -> dict[str, Any]:
    """Same gradient as the naive one at 2,000 × 2,000; time of both at 10,000 × 10,000."""
    figures: dict[str, Any] = {}
    with single_threaded_blas():
        cells = skewed(2000, 2000, 40_000)
        P, Q = factors(2000, 2000, 32)
        side = whole_data(cells).rows
        half = TwoTowers.of_ids(whole_data(cells), 32).half("rows", Q)
        ours, naive = half.value_and_gradient(P)[1], naive_gradient(side, P, Q)
        difference = np.abs(ours - naive).max() / np.abs(naive).max()
        figures["largest difference at 2,000 × 2,000, relative"] = float(difference)
        size = 10_000 // scale
        cells = skewed(size, size, 11 * size)
        P, Q = factors(size, size, 32)
        towers = TwoTowers.of_ids(whole_data(cells), 32)
        side = towers.objective.rows

        def fast() -> None:
            towers.half("rows", Q).value_and_gradient(P)

    # The naive product may use all threads of BLAS, as ours uses all threads of its pool.
    naive_seconds = best_of(lambda: naive_gradient(side, P, Q), 3)
    with single_threaded_blas():
        fast_seconds = best_of(fast, 10)
    figures[f"{size:,} × {size:,}, 32 factors"] = {
        "positives": int(cells.nnz),
        "naive seconds": naive_seconds,
        "whole-data seconds": fast_seconds,
        "ratio": naive_seconds / fast_seconds,
    }
    return figures


def growth(scale: int) -> dict[str, Any]:
    """Processor seconds of one gradient of the rows as |X|, |P| and g grow, the others fixed."""
    base = {"n": 40_000, "m": 10_000, "count": 1_000_000, "g": 32}
    figures: dict[str, Any] = {}
    grown = {
        "n": (20_000, 40_000, 80_000, 160_000),
        "count": (500_000, 1_000_000, 2_000_000, 4_000_000),
        "g": (16, 32, 64, 128),
    }
    for name, values in grown.items():
        seconds = []
        for value in values:
            shape = base | {name: value}
            n, m, count = (shape[part] // scale for part in ("n", "m", "count"))
            cells = skewed(n, m, count)
            P, Q = factors(n, m, shape["g"])
            towers = TwoTowers.of_ids(whole_data(cells), shape["g"])
            with single_threaded_blas():
                run = lambda towers=towers, P=P, Q=Q: towers.half("rows", Q).value_and_gradient(P)  # noqa: E731
                run()
                seconds.append(best_of(run, 12, time.process_time))
        shrunk = {part: value if part == "g" else value // scale for part, value in base.items() if part != name}
        figures[name] = {
            "values": [value if name == "g" else value // scale for value in values],
            "seconds": seconds,
            "others": shrunk,
        }
    return figures


def iteration(scale: int) -> dict[str, Any]:
    """One Adagrad iteration beside one of implicit's at 100,000 × 20,000, 64 factors, in one run, alternating.

    Processor seconds are those of all threads; unlike seconds, they hardly depend on what else the machine does.
    """
    cells = skewed(100_000 // scale, 20_000 // scale, 5_000_000 // scale)
    towers = TwoTowers.of_ids(whole_data(cells), 64)
    parameters = towers.start(0)
    alternate(towers, parameters, Adagrad(), _quiet(1))
    ours: list[tuple[float, float]] = []
    theirs: list[tuple[float, float]] = []
    with Worker("implicit", cells) as worker:
        for _ in range(ROUNDS):
            began, worked = time.perf_counter(), time.process_time()
            alternate(towers, parameters, Adagrad(), _quiet(4))
            ours.append(((time.perf_counter() - began) / 4, (time.process_time() - worked) / 4))
            one, three = (worker.fit(factors=64, iterations=count) for count in (1, 3))
            theirs.append(
                ((three["seconds"] - one["seconds"]) / 2, (three["processor_seconds"] - one["processor_seconds"]) / 2)
            )
    figures: dict[str, Any] = {"positives": int(cells.nnz), "rounds": ROUNDS}
    for place, unit in enumerate(("seconds", "processor seconds")):
        mine, other = ([pair[place] for pair in pairs] for pairs in (ours, theirs))
        figures[f"adagrad {unit}"] = {"best": min(mine), "median": float(np.median(mine))}
        figures[f"implicit {unit}"] = {"best": min(other), "median": float(np.median(other))}
        figures[f"ratio of best {unit}"] = min(mine) / min(other)
        figures[f"ratio of median {unit}"] = float(np.median(mine) / np.median(other))
    return figures


def solvers(scale: int) -> dict[str, Any]:
    """Every solver on one strongly regularised problem: where it ends, and the seconds to 1e-3 of the lowest."""
    cells = skewed(2000 // scale, 1000 // scale, 40_000 // scale)
    makers: dict[str, tuple[Any, int]] = {
        "als": (AlternatingLeastSquares, 60),
        "newton": (lambda: TrustRegion(steps=2), 60),
        "newton_linesearch": (TruncatedNewton, 60),
        "linesearch": (LineSearch, 600),
        "adagrad": (lambda: Adagrad(0.3), 600),
        "gradient": (lambda: Gradient(8e-3), 1000),
    }
    figures: dict[str, Any] = {}
    for loss in ("square", "logistic"):
        towers = TwoTowers.of_ids(whole_data(cells, loss, ridge=5.0), 16)
        histories = {}
        for name, (make, iterations) in makers.items():
            alternate(towers, towers.start(0, 0.1), make(), _quiet(1))
            parameters = towers.start(0, 0.1)
            with Run(name, iterations, progress=False) as run:
                alternate(towers, parameters, make(), run, after_sweep=_processor_time(time.process_time()))
            histories[name] = (towers.value(parameters), run.history)
        lowest = min(value for value, _ in histories.values())
        figures[loss] = {
            name: {
                "objective over the lowest": value / lowest,
                "processor seconds to 1e-3": next(
                    (record["processor_seconds"] for record in history if record["objective"] <= 1.001 * lowest), None
                ),
            }
            for name, (value, history) in histories.items()
        }
    return figures


def _processor_time(since: float) -> Callable[[], dict[str, float]]:
    """Processor seconds of all threads since then: they hardly depend on what else the machine does."""
    return lambda: {"processor_seconds": time.process_time() - since}


def _quiet(iterations: int) -> Run:
    return Run("warm", iterations, progress=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parts = {"gradient": gradient, "growth": growth, "iteration": iteration, "solvers": solvers}
    parser.add_argument("parts", nargs="*", choices=[*parts, []])
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    arguments = parser.parse_args()
    file = "engine-speed-quick" if arguments.quick else "engine-speed"
    path = results.FOLDER / f"{file}.json"
    figures = json.loads(path.read_text("utf-8"))["figures"] if path.exists() else {}
    for name in arguments.parts or parts:
        figures[name] = parts[name](10 if arguments.quick else 1)
        print(name, json.dumps(figures[name], indent=1))
        results.write(file, figures)


if __name__ == "__main__":
    main()
