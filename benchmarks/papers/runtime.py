"""fBGD in time, as the paper shows it: against naive batch gradient and sampled negatives, over sizes and iterations.

    python -m benchmarks.papers.runtime table7 [--quick]    seconds of an iteration as |X|, |P| and g grow
    python -m benchmarks.papers.runtime table8 [--quick]    one iteration and all: fBGD, SVDFeature ×4, our als
    python -m benchmarks.papers.runtime figure5 [--quick]   naive against fBGD, over the embedding size, and convergence

Each part replaces its own figures in ``results/runtime.json`` (``runtime-quick.json``). Data of Table 7 and Figure 5
are made, few rows and columns having most positives; Table 8 takes Last.fm's next songs with the song before each.
"""

import argparse
import time
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import results
from benchmarks.machine import kernel_work
from benchmarks.machine.roofline import best_seconds
from tacit import FactorRecommender
from tacit.baselines import SvdFeature
from tacit.baselines.naive_gradient import naive_gradient
from tacit.objective.two_towers import TwoTowers
from tacit.progress import Run
from tacit.solvers.als import AlternatingLeastSquares
from tacit.solvers.alternation import alternate
from tacit.solvers.descent import Adagrad

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
            "seconds": [best_seconds(lambda load=load: load.call(1), 3) for load in loads],
            "operations": [load.operations for load in loads],
        }
        print(name, figures[name], flush=True)
    return figures


def table8(quick: bool) -> dict[str, Any]:
    """Seconds of fits with two numbers of iterations: their difference is what one takes."""
    from tacit.data import load_lastfm_next

    data = load_lastfm_next(1 if quick else 7).interactions()
    settings = {"factors": 20, "positive_weight": "one", "progress": False, "regularization": 0.01}
    makers: dict[str, tuple[Any, int]] = {
        "SVDFeature ×4": (lambda count: SvdFeature(20, negatives=4, epochs=count), 50),
        "fBGD": (lambda count: FactorRecommender(solver="adagrad", iterations=count, **settings), 200),
        "the same objective by als": (lambda count: FactorRecommender(solver="als", iterations=count, **settings), 15),
    }
    figures: dict[str, Any] = {"events": data.nnz}
    for name, (make, iterations) in makers.items():
        few, many = 1, 4

        def seconds(count: int, make: Any = make) -> float:
            began = time.perf_counter()
            make(count).fit(data)
            return time.perf_counter() - began

        seconds(few)
        one = (min(seconds(many) for _ in range(2)) - min(seconds(few) for _ in range(2))) / (many - few)
        figures[name] = {"seconds": one, "iterations": iterations, "minutes": one * iterations / 60}
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
            naive = best_seconds(lambda rows=objective.rows, P=P, Q=Q: naive_gradient(rows, P, Q), 2)
            half = lambda towers=towers, P=P, Q=Q: towers.half("rows", Q, n_threads=1).value_and_gradient(P)  # noqa: E731
            figures["naive"].append({"side": side, "naive": naive, "fBGD": best_seconds(half, 5)})
        print(figures["naive"][-1], flush=True)
    shape = SHAPE["quick" if quick else "full"]
    sizes = (16, 32, 64) if quick else (16, 32, 64, 128, 256)
    loads = [kernel_work.adagrad(**shape, g=g) for g in sizes]
    figures["factors"] = {
        "values": sizes,
        "seconds": [best_seconds(lambda load=load: load.call(1), 3) for load in loads],
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


PARTS = {"table7": table7, "table8": table8, "figure5": figure5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--quick", action="store_true", help="small shapes, into a file of its own")
    given = parser.parse_args()
    file = "runtime-quick" if given.quick else "runtime"
    print(results.write_part(file, given.part, PARTS[given.part](given.quick)))


if __name__ == "__main__":
    main()
