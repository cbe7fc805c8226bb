"""Ordinal grades from few labels: OrdinalRanker beside SVOREX, M-PNU-AUC, M-SAMULT, mord and skordinal.

    python -m benchmarks.papers.grade quality [--quick]   500 labels, 5 equal-frequency classes (Figure 2)
    python -m benchmarks.papers.grade real [--quick]      ordinal sets of their own: AUC, MAE, QWK and others
    python -m benchmarks.papers.grade size [--quick]      time and memory over the unlabelled rows (Figure 1)
    python -m benchmarks.papers.grade large [--quick]     400,000 × 90 with 500 frequencies, chosen and solved exactly
    python -m benchmarks.papers.grade rate [--quick]      the stochastic solution against the exact one (Theorem 1)
    python -m benchmarks.papers.grade steps [--quick]     QS³ORAO as printed beside exact, over steps, time and memory

Each table is one results file, ``results/grade-<table>.json``, or ``grade-<table>-quick.json`` with ``--quick``, which
takes less than two minutes. ``--sets`` and ``--methods`` repeat some cells of quality, real and size (``--sets`` those
of steps too) and keep the other figures of the file, which are written as they come, so a long table can be made in
parts. ``render/grade.py`` draws them.

Parameters come from the labelled rows alone. OrdinalRanker chooses by its own cross-validation; the stochastic solver
takes what the exact one chose; "QS³ORAO, Algorithm 1" is the paper's method as printed, with γ of every split searched
over its 11 values; M-PNU-AUC and M-SAMULT hold a kernel matrix and get 1,000 of the unlabelled rows; they, SVOREX and
the peers have their own parameters by 3 folds.
All methods run on the same seeds, ten for quality and five for real unless ``--draws`` says otherwise, and are
evaluated on the same unlabelled rows, at most 10,000; figures compare the draws that all methods have.
"""

import argparse
import datetime
import fcntl
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers import grade_printed
from benchmarks.papers.grade_methods import (
    METHODS,
    PAPERS_LEAST,
    PRINTED,
    SETS,
    Draw,
    Unavailable,
    call_peers,
    reviews_as_printed,
)
from benchmarks.processes import Failed, ask
from tacit import OrdinalRanker
from tacit.baselines import MPNUAUC, MSAMULT, SVOREX
from tacit.metrics.ordinal import average_mae, concordance_index, quadratic_kappa, zero_one_error
from tacit.metrics.ratings import mae

LABELS = 500
EVALUATED = 10_000
SEEDS = {"quality": 10, "real": 5}
QUALITY_SETS = ("protein", "kin40k", "elevators", "all-beauty")
REAL_SETS = ("car", "ERA", "LEV", "SWD", "winequality-red", "diamonds")
QUICK_SETS = {"quality": ("elevators",), "real": ("LEV", "SWD")}
MEASURES = ("auc", "c_index", "mae", "qwk", "mze", "amae")
SLOW = ("squared loss, Fourier features",)
"""Left out of the quick versions."""


class Figures:
    """The figures of one results file; several runs may add to it at once."""

    def __init__(self, table: str, quick: bool, program: str | None = None) -> None:
        self.name = f"grade-{table}" + ("-quick" if quick else "")
        self.command = f"python -m benchmarks.{program or f'papers.grade {table}'}" + (" --quick" if quick else "")

    def put(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the figures on disk, under a lock."""
        results.FOLDER.mkdir(exist_ok=True)
        with (Path(tempfile.gettempdir()) / f"{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            exists = (results.FOLDER / f"{self.name}.json").exists()
            figures = results.read(self.name)["figures"] if exists else {}
            change(figures)
            results.write(self.name, figures, command=self.command)


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes of a set; the reviews as the paper prepares its own, by SVD."""
    return reviews_as_printed() if name == "all-beauty" else SETS[name]()


def measures(answer: Any, truth: np.ndarray) -> dict[str, float]:
    """All measures of one answer."""
    scores = answer.score if answer.score.ndim == 1 else answer.score.mean(axis=1)
    return {
        "auc": answer.area(truth), "c_index": concordance_index(truth, scores), "mae": mae(truth, answer.grade),
        "qwk": quadratic_kappa(truth, answer.grade), "mze": zero_one_error(truth, answer.grade),
        "amae": average_mae(truth, answer.grade),
    }  # fmt: skip


def compare(table: str, quick: bool, sets: list[str], methods: list[str], seeds: int) -> None:
    """Every method on every draw of every set; all measures of all seeds are kept."""
    figures = Figures(table, quick)
    today = datetime.date.today().isoformat()
    for name in sets:
        X, y = load(name)
        figures.put(lambda found, name=name: _clear(found, name, methods))
        for seed in range(seeds):
            draw = Draw.of(X, y, min(LABELS, len(y) // 2), EVALUATED, seed)
            for method in methods:
                began = time.process_time()
                try:
                    found = measures(METHODS[method](draw), draw.answers)
                except Unavailable as reason:
                    figures.put(lambda all_, n=name, m=method, r=str(reason): all_[n]["missing"].update({m: r}))
                    continue
                worked = time.process_time() - began
                figures.put(lambda all_, n=name, m=method, f=found: _add(all_[n], m, f, today))
                print(name, seed, method, {k: round(v, 4) for k, v in found.items()}, f"{worked:.1f} s", flush=True)
            if "default" in draw.models:
                figures.put(lambda all_, n=name, m=draw.models["default"]: all_[n]["chosen"].append(choice(m)))


def _clear(figures: dict[str, Any], name: str, methods: list[str]) -> None:
    """Forget the set's figures of the methods that run anew, and put methods in the order of the registry."""
    found = figures.setdefault(name, {})
    for measure in MEASURES:
        kept = found.get(measure, {}) | {method: [] for method in methods}
        found[measure] = {method: kept[method] for method in METHODS if method in kept}
    found["missing"] = {key: why for key, why in found.get("missing", {}).items() if key not in methods}
    if "OrdinalRanker" in methods or "chosen" not in found:
        found["chosen"] = []


def _add(found: dict[str, Any], method: str, values: dict[str, float], day: str) -> None:
    found.setdefault("measured", {})[method] = day
    for measure, value in values.items():
        found[measure][method].append(value)


def choice(model: OrdinalRanker) -> dict[str, Any]:
    """What cross-validation chose."""
    return {
        "loss": model.loss_,
        "kernel": model.kernel_,
        "bandwidth": model.bandwidth_,
        "regularization": model.regularization_,
        "unlabelled_weight": float(model.unlabelled_weight_[0]),
        **model.selection_,
    }


def synthetic(n: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows with a smooth nonlinear grade, the first 500 labelled."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    target = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * rng.standard_normal(n)
    truth = np.searchsorted(np.quantile(target, [0.2, 0.4, 0.6, 0.8]), target)
    return X, np.where(np.arange(n) < LABELS, truth, -1)


GIVEN = {"bandwidth": 4.0, "regularization": 1e-4, "unlabelled_weight": 0.5, "threads": 2, "loss": "square"}
SIZE_METHODS: dict[str, Callable[[], Any] | None] = {
    "exact": lambda: OrdinalRanker(features="fourier", **GIVEN),
    "stochastic": lambda: OrdinalRanker(features="fourier", solver="stochastic", **GIVEN),
    "QS³ORAO, Algorithm 1": lambda: OrdinalRanker("gaussian", **PRINTED | GIVEN | {"regularization": PAPERS_LEAST}),
    "exact, kernel at the labelled rows": lambda: OrdinalRanker(**GIVEN),
    "M-SAMULT": lambda: MSAMULT(4.0, 1e-4),
    "M-PNU-AUC": lambda: MPNUAUC(4.0, 1e-2),
    "SVOREX": lambda: SVOREX(4.0, 1.0),
    "mord": None,
    "skordinal": None,
}
"""How to make each method; the peers live in another interpreter. The last three see the labelled rows alone."""


def one_size(method: str, rows: int) -> tuple[float, float, float, float]:
    """One fit in this process: seconds, processor seconds, peak memory and what the fit added to it."""
    X, y = synthetic(rows + LABELS, 8)
    make = SIZE_METHODS[method]
    if make is None:
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "job.npz", X=X[y >= 0], y=y[y >= 0])
            answer: tuple[float, float, float, float] = tuple(call_peers("grade_seconds", folder, method))
        return answer
    OrdinalRanker(features="fourier", n_components=8, **GIVEN).fit(X[:600], y[:600])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    make().fit(X, y)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, worked, peak / 1024, (peak - before) / 1024


def size(quick: bool, methods: list[str]) -> None:
    """Each fit in a process of its own; a method stops where it refuses or took two minutes of processor time."""
    figures = Figures("size", quick)
    for method in methods:
        points: list[dict[str, Any]] = []
        for rows in (1_000, 10_000) if quick else (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000):
            try:
                seconds, worked, peak, grown = ask("papers.grade:one_size", method=method, rows=rows)
            except Failed as error:
                points.append({"unlabelled": rows, "stopped": str(error).split(": ", 1)[-1]})
            else:
                record = {"unlabelled": rows, "seconds": seconds, "processor_seconds": worked}
                points.append(record | {"peak_mib": peak, "grown_mib": grown})
            print(method, points[-1], flush=True)
            figures.put(lambda found, m=method, p=points: found.update({m: p}))
            if "stopped" in points[-1] or points[-1]["processor_seconds"] > 120:
                break
    figures.put(_in_order)


def _in_order(figures: dict[str, Any]) -> None:
    kept = {method: figures[method] for method in SIZE_METHODS if method in figures}
    figures.clear()
    figures.update(kept)


def large(quick: bool) -> None:
    """400,000 × 90, 500 labels, 500 frequencies: with parameters given, and selection included."""
    X, y = synthetic(40_000 if quick else 400_000, 90)
    OrdinalRanker(features="fourier", n_components=8).fit(X[:600], y[:600])
    figures: dict[str, Any] = {}
    given = {"bandwidth": 9.5, "regularization": 1e-3, "unlabelled_weight": 0.5, "loss": "square"}
    for key, parameters in (("parameters given", given), ("parameters chosen", {"loss": "square"})):
        began, worked = time.perf_counter(), time.process_time()
        model = OrdinalRanker(features="fourier", n_components=500, solver="exact", threads=2, **parameters).fit(X, y)
        figures[key] = {
            "rows": len(y),
            "seconds": time.perf_counter() - began,
            "processor_seconds": time.process_time() - worked,
            "peak_mib_of_the_process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "selection": model.selection_,
        }
        print(key, figures[key], flush=True)
    results.write("grade-large" + ("-quick" if quick else ""), figures)


def rate(quick: bool) -> None:
    """Squared error of the stochastic score against the exact one, relative, over the steps; slope on log axes."""
    from tacit.estimators.grade.settings import candidate_mixes
    from tacit.features.fourier import FourierFeatures
    from tacit.features.scaling import Scaling
    from tacit.solvers.ordinal_exact import collect_moments, solve_path
    from tacit.solvers.stochastic import Descent, RowSampler

    X, truth = load("elevators")
    y = Draw.of(X, truth, LABELS, EVALUATED, 0).seen
    weights = np.ones(len(y))
    features = FourierFeatures("gaussian", 128, 2.0 * X.shape[1] ** 0.5, 0, Scaling.of(X, weights))
    moments = collect_moments(X, y, weights, 5, features)
    mix = candidate_mixes(0.5, 5, True)[0]
    strength = 1e-2
    exact = solve_path(moments.quadratic(mix), moments.linear(), [strength])[:, 0]
    mapped = features.transform(X[::8])
    mapped -= mapped.mean(axis=0)
    steps = np.unique(np.geomspace(10, 1_000 if quick else 10_000, 16).astype(int))
    seeds = 2 if quick else 10
    figures: dict[str, Any] = {"steps": steps.tolist(), "regularization": strength, "seeds": seeds}
    for rule in ("constant", "decay"):
        errors = []
        for seed in range(seeds):
            descent = Descent(features, moments.splits, mix, strength, batch_size=16, step=rule, seed=seed)
            rows = RowSampler(X, y, weights, 5)
            descent.measure(rows)
            curve = []
            for count in steps:
                while descent.steps < count:
                    descent.advance(rows)
                apart = mapped @ (descent.coefficients - exact)
                curve.append(float(np.mean(apart**2) / np.mean((mapped @ exact) ** 2)))
            errors.append(curve)
        mean = np.mean(errors, axis=0)
        late = steps >= steps[-1] / 30
        slope = float(np.polyfit(np.log(steps[late]), np.log(mean[late]), 1)[0])
        figures[rule] = {
            "error": mean.tolist(), "least": np.min(errors, axis=0).tolist(), "most": np.max(errors, axis=0).tolist(),
            "slope_of_the_last_part": slope,
        }  # fmt: skip
        print(rule, slope, mean.round(6).tolist(), flush=True)
    figures["as printed"] = grade_printed.rate(X, y, 3, 100 if quick else 200)
    results.write("grade-rate" + ("-quick" if quick else ""), figures)


def steps(quick: bool, sets: list[str]) -> None:
    """QS³ORAO as printed beside the exact minimiser, step by step: three draws of each set."""
    figures = Figures("steps", quick)
    for name in sets:
        X, y = load(name)
        found = []
        for seed in range(1 if quick else 3):
            draw = Draw.of(X, y, LABELS, EVALUATED, seed)
            found.append(grade_printed.curves(draw, 3_000, (10, 30, 100) if quick else (10, 30, 100, 300)))
            print(name, seed, found[-1], flush=True)
        figures.put(lambda all_, n=name, f=found: all_.update({n: f}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["quality", "real", "size", "large", "rate", "steps"])
    parser.add_argument("--quick", action="store_true", help="a small version, under two minutes")
    parser.add_argument("--sets", help="some data sets of quality and real, separated by commas")
    parser.add_argument("--methods", help="some methods, separated by semicolons; figures of the others are kept")
    parser.add_argument("--draws", type=int, help="draws of quality and real, where not all of them")
    given = parser.parse_args()
    asked = given.methods.split(";") if given.methods else None
    if given.table == "size":
        size(given.quick, asked or list(SIZE_METHODS))
    elif given.table == "steps":
        steps(
            given.quick, given.sets.split(",") if given.sets else ["kin40k"] if given.quick else ["kin40k", "protein"]
        )
    elif given.table in ("large", "rate"):
        {"large": large, "rate": rate}[given.table](given.quick)
    else:
        all_sets = QUALITY_SETS if given.table == "quality" else REAL_SETS
        sets = given.sets.split(",") if given.sets else list(QUICK_SETS[given.table] if given.quick else all_sets)
        methods = asked or [method for method in METHODS if not (given.quick and method in SLOW)]
        compare(given.table, given.quick, sets, methods, given.draws or (1 if given.quick else SEEDS[given.table]))


if __name__ == "__main__":
    main()
