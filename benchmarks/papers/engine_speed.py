"""The whole-data engine in time: against the naive gradient, implicit, sampled negatives, and itself as the data grow.

    python -m benchmarks.papers.engine_speed [PART …] [--quick]

    gradient    the same gradient as the naive one, and the time of both
    growth      one gradient of the rows as |X|, |P| and g grow
    iteration   one Adagrad iteration beside one of implicit's
    solvers     every solver on one problem: where it ends, and how soon
    table7      fBGD's Table 7: seconds of an iteration as |X|, |P| and g grow
    figure5     its Figure 5: naive against fBGD, over the embedding size, and convergence

Without names all parts run. Each replaces its own figures: the first four in ``results/engine-speed.json``, those of
the paper in ``results/runtime.json``. ``--quick`` takes small sizes, below a minute a part, and writes to
``engine-speed-quick.json`` and ``runtime-quick.json``. Data are synthetic, few rows and columns having most positives;
``engine_real.py`` has Table 8 and the same on real sets.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import results
from benchmarks.machine import kernel_work, roofline
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
        cells = kernel_work.skewed(2000, 2000, 40_000)
        P, Q = factors(2000, 2000, 32)
        side = kernel_work.whole_data(cells).rows
        of_rows = TwoTowers.of_ids(kernel_work.whole_data(cells), 32).side_objective("rows", Q)
        ours, naive = of_rows.value_and_gradient(P)[1], naive_gradient(side, P, Q)
        difference = np.abs(ours - naive).max() / np.abs(naive).max()
        figures["largest difference at 2,000 × 2,000, relative"] = float(difference)
        size = 10_000 // scale
        cells = kernel_work.skewed(size, size, 11 * size)
        P, Q = factors(size, size, 32)
        towers = TwoTowers.of_ids(kernel_work.whole_data(cells), 32)
        side = towers.objective.rows

        def fast() -> None:
            towers.side_objective("rows", Q).value_and_gradient(P)

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
            cells = kernel_work.skewed(n, m, count)
            P, Q = factors(n, m, shape["g"])
            towers = TwoTowers.of_ids(kernel_work.whole_data(cells), shape["g"])
            with single_threaded_blas():
                run = lambda towers=towers, P=P, Q=Q: towers.side_objective("rows", Q).value_and_gradient(P)  # noqa: E731
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
    cells = kernel_work.skewed(100_000 // scale, 20_000 // scale, 5_000_000 // scale)
    towers = TwoTowers.of_ids(kernel_work.whole_data(cells), 64)
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
    cells = kernel_work.skewed(2000 // scale, 1000 // scale, 40_000 // scale)
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
        towers = TwoTowers.of_ids(kernel_work.whole_data(cells, loss, ridge=5.0), 16)
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


# -- the tables and the figure of the paper ----------------------------------------------------------------------------

SHAPE = {
    "quick": {"n": 10_000, "m": 5_000, "count": 200_000},
    "full": {"n": 40_000, "m": 20_000, "count": 1_000_000},
}


def table7(quick: bool) -> dict[str, Any]:
    """Seconds of one Adagrad iteration over both sides on one thread, one quantity growing, the others fixed."""
    base = SHAPE["quick" if quick else "full"] | {"g": 32}
    steps = 3 if quick else 4
    figures: dict[str, Any] = {"base": base}
    for name in ("n", "count", "g"):
        values = [base[name] * 2**step for step in range(steps)]
        loads = [kernel_work.adagrad(**base | {name: value}) for value in values]
        figures[name] = {
            "values": values,
            "seconds": [roofline.best_seconds(lambda load=load: load.call(1), 3) for load in loads],
            "operations": [load.operations for load in loads],
        }
        print(name, figures[name], flush=True)
    return figures


def figure5(quick: bool) -> dict[str, Any]:
    """One gradient of the rows, naive and ours, on one thread; an iteration over g; the objective along iterations."""
    figures: dict[str, Any] = {"naive": [], "convergence": {}}
    for side in (500, 1_000, 2_000) if quick else (1_000, 2_000, 4_000, 8_000):
        cells = kernel_work.skewed(side, side, 20 * side)
        P, Q = kernel_work.factors(side, 32), kernel_work.factors(side, 32, 1)
        objective = kernel_work.whole_data(cells)
        towers = TwoTowers.of_ids(objective, 32)
        with threadpool_limits(1, user_api="blas"):
            naive = roofline.best_seconds(lambda rows=objective.rows, P=P, Q=Q: naive_gradient(rows, P, Q), 2)

            def ours(towers: TwoTowers = towers, P: Any = P, Q: Any = Q) -> None:
                towers.side_objective("rows", Q, n_threads=1).value_and_gradient(P)

            figures["naive"].append({"side": side, "naive": naive, "fBGD": roofline.best_seconds(ours, 5)})
        print(figures["naive"][-1], flush=True)
    shape = SHAPE["quick" if quick else "full"]
    sizes = (16, 32, 64) if quick else (16, 32, 64, 128, 256)
    loads = [kernel_work.adagrad(**shape, g=g) for g in sizes]
    figures["factors"] = {
        "values": sizes,
        "seconds": [roofline.best_seconds(lambda load=load: load.call(1), 3) for load in loads],
    }
    towers = TwoTowers.of_ids(kernel_work.whole_data(kernel_work.skewed(2_000, 1_000, 40_000)), 16)
    for name, solver, iterations in (("adagrad", Adagrad(0.1), 200), ("als", AlternatingLeastSquares(), 15)):
        parameters = towers.start(0, 0.1)
        with Run(name, iterations, progress=False) as run:
            alternate(towers, parameters, solver, run)
        figures["convergence"][name] = [
            {"iteration": place + 1, "seconds": record["elapsed"], "objective": record["objective"]}
            for place, record in enumerate(run.history)
        ]
    return figures


OURS: dict[str, Callable[[int], dict[str, Any]]] = {
    "gradient": gradient,
    "growth": growth,
    "iteration": iteration,
    "solvers": solvers,
}
PAPER: dict[str, Callable[[bool], dict[str, Any]]] = {"table7": table7, "figure5": figure5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*OURS, *PAPER, []])
    parser.add_argument("--quick", action="store_true", help="small sizes, into files of their own")
    given = parser.parse_args()
    ending = "-quick" if given.quick else ""
    for part in given.parts or (*OURS, *PAPER):
        if part in OURS:
            path = results.write_part(f"engine-speed{ending}", part, OURS[part](10 if given.quick else 1))
        else:
            path = results.write_part(f"runtime{ending}", part, PAPER[part](given.quick))
        print(path, flush=True)


if __name__ == "__main__":
    main()
