"""Ordinal grades from few labels: OrdinalRanker beside SVOREX, M-PNU-AUC, M-SAMULT, mord and skordinal.

    python benchmarks/grade.py quality [--quick]   500 labels, 5 equal-frequency classes, the rest unlabelled (Fig. 2);
                                                   --ours repeats our methods and keeps the figures of the others
    python benchmarks/grade.py real [--quick]      ordinal sets of their own: MAE, QWK, AUC
    python benchmarks/grade.py size [--quick]      time and memory against the number of unlabelled rows (Figure 1)
    python benchmarks/grade.py large               400,000 × 90 with 500 frequencies, chosen and solved exactly
    python benchmarks/grade.py rate [--quick]      error of the stochastic solution against the exact one

Parameters come from the labelled rows alone. OrdinalRanker chooses by its own cross-validation; the stochastic solver
takes what the exact one chose; M-PNU-AUC and M-SAMULT hold a kernel matrix, get 1,000 of the unlabelled rows, our
bandwidth and λ, and their own mix by 3 folds; SVOREX and the peers are tuned by 3 folds. Ours run on ten seeds, rivals
on the first four of them; areas are taken over the same 10,000 unlabelled rows for every method. Each table is one
results file, ``results/grade-<table>.json``; pictures go to ``docs/figures``.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import results
from tacit import OrdinalRanker
from tacit.baselines import MPNUAUC, MSAMULT, SVOREX
from tacit.data.loaders.ordinal import load_ordinal, load_ordinal_holdout
from tacit.metrics.ordinal import average_mae, concordance_index, ordinal_auc, quadratic_kappa, zero_one_error
from tacit.metrics.ratings import mae
from workers import peers_python

HERE = Path(__file__).parent
FIGURES = HERE.parent / "docs" / "figures"
LABELS = 500
KERNEL_ROWS = 1_000
FOLDS = 3
JUDGED = 10_000
RIVAL_SEEDS = 4
"""Rivals run on so many of the ten seeds: their tuning takes most of the time."""


def draw(y: np.ndarray, labels: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """y with all but ``labels`` rows unlabelled, and which rows those are."""
    kept = np.random.default_rng(seed).permutation(len(y))[:labels]
    seen = np.full(len(y), -1)
    seen[kept] = y[kept]
    return seen, seen < 0


def folds(count: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    place = np.random.default_rng(seed).permutation(count) % FOLDS
    return [(np.flatnonzero(place != f), np.flatnonzero(place == f)) for f in range(FOLDS)]


def svorex(X: np.ndarray, y: np.ndarray) -> Any:
    """Bandwidth and C by folds over the labelled rows."""
    unit = np.sqrt(X.shape[1])
    grid = [(step * unit, C) for step in (1.0, 2.0, 4.0) for C in (1.0, 10.0, 100.0)]

    def quality(pair: tuple[float, float]) -> float:
        areas = []
        for train, test in folds(len(y)):
            areas.append(ordinal_auc(y[test], SVOREX(*pair).fit(X[train], y[train]).rank_score(X[test])))
        return float(np.mean(areas))

    return SVOREX(*max(grid, key=quality)).fit(X, y)


def split_auc(y: np.ndarray, scores: np.ndarray) -> float:
    """Mean over splits of the AUC of each split's own function."""
    return float(np.mean([ordinal_auc((y > j).astype(int), scores[:, j]) for j in range(scores.shape[1])]))


def kernel_rival(
    make: Any, mixes: tuple[float, ...], X: np.ndarray, y: np.ndarray, ours: OrdinalRanker, seed: int
) -> Any:
    """Our bandwidth and λ; its own mix by folds over the labelled rows, with a third of the unlabelled rows."""
    known = np.flatnonzero(y >= 0)
    free = np.random.default_rng(seed).choice(np.flatnonzero(y < 0), KERNEL_ROWS, replace=False)
    strength = max(ours.regularization_, 1e-4)

    def quality(mix: float) -> float:
        areas = []
        for train, test in folds(len(known)):
            rows = np.concatenate([known[train], free[: KERNEL_ROWS // 3]])
            model = make(ours.bandwidth_, strength, mix).fit(X[rows], y[rows])
            areas.append(split_auc(y[known[test]], model.split_scores(X[known[test]])))
        return float(np.mean(areas))

    rows = np.concatenate([known, free])
    return make(ours.bandwidth_, strength, max(mixes, key=quality)).fit(X[rows], y[rows])


def peers(X: np.ndarray, y: np.ndarray, test: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores and classes by mord and skordinal, from an environment of their own."""
    mean, scale = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "job.npz", X=(X - mean) / scale, y=y, test=(test - mean) / scale)
        subprocess.run([peers_python(), HERE / "peers" / "ordinal.py", name], check=True, capture_output=True)
        found = np.load(folder / "found.npz")
        return {key: (found[f"{key}_score"], found[f"{key}_class"]) for key in ("mord", "skordinal")}


def our_models(X: np.ndarray, seen: np.ndarray, seed: int) -> dict[str, OrdinalRanker]:
    """Chosen with the unlabelled rows, without them, and the first one's choice by stochastic steps."""
    exact = OrdinalRanker(random_state=seed).fit(X, seen)
    same = {"bandwidth": exact.bandwidth_, "regularization": exact.regularization_}
    same["unlabelled_weight"] = exact.unlabelled_weight_.tolist()
    return {
        "exact": exact,
        "labelled rows only": OrdinalRanker(unlabelled_weight=0.0, random_state=seed).fit(X, seen),
        "stochastic": OrdinalRanker(solver="stochastic", random_state=seed, **same).fit(X, seen),
    }


def rival_areas(
    X: np.ndarray, y: np.ndarray, seen: np.ndarray, judged: np.ndarray, exact: OrdinalRanker, seed: int
) -> dict[str, float]:
    """Ordinal AUC of Fourier features and of the other methods."""
    known, labels, rest = X[seen >= 0], seen[seen >= 0], X[judged]
    fourier = OrdinalRanker(features="fourier", random_state=seed).fit(X, seen)
    areas = {"exact, Fourier features": ordinal_auc(y[judged], fourier.rank_score(rest))}
    areas["SVOREX"] = ordinal_auc(y[judged], svorex(known, labels).rank_score(rest))
    rivals = {"M-PNU-AUC": (MPNUAUC, (-0.5, 0.0, 0.5)), "M-SAMULT": (MSAMULT, (1.0, 0.5, 0.0))}
    for key, (make, mixes) in rivals.items():
        areas[key] = split_auc(y[judged], kernel_rival(make, mixes, X, seen, exact, seed).split_scores(rest))
    return areas | {key: ordinal_auc(y[judged], score) for key, (score, _) in peers(known, labels, rest).items()}


def quality(quick: bool, ours: bool) -> None:
    """Ordinal AUC over the unlabelled rows; ``ours`` repeats our three rows and keeps all other figures."""
    file = "grade-quality" + ("-quick" if quick else "")
    path = results.FOLDER / f"{file}.json"
    figures: dict[str, Any] = json.loads(path.read_text())["figures"] if ours and path.exists() else {}
    for name in ("elevators",) if quick else ("kin40k", "protein", "elevators"):
        data = load_ordinal(name, classes=5)
        X, y = data.X, data.y
        table: dict[str, list[float]] = {}
        chosen = []
        for seed in range(2 if quick else 10):
            seen, free = draw(y, LABELS, seed)
            judged = np.sort(np.random.default_rng(seed).permutation(np.flatnonzero(free))[:JUDGED])
            models = our_models(X, seen, seed)
            areas = {key: ordinal_auc(y[judged], model.rank_score(X[judged])) for key, model in models.items()}
            exact = models["exact"]
            if seed < RIVAL_SEEDS and not ours:
                areas |= rival_areas(X, y, seen, judged, exact, seed)
            for key, area in areas.items():
                table.setdefault(key, []).append(area)
            chosen.append(
                {"bandwidth": exact.bandwidth_, "regularization": exact.regularization_}
                | {"unlabelled_weight": float(exact.unlabelled_weight_[0])}
                | exact.selection_
            )
            print(name, seed, {key: round(value, 4) for key, value in areas.items()}, flush=True)
        table |= {key: value for key, value in figures.get(name, {}).get("auc", {}).items() if key not in table}
        figures[name] = {
            "auc": table,
            "mean": {key: float(np.mean(values)) for key, values in table.items()},
            "unlabelled_rows_help_by": float(np.mean(np.subtract(table["exact"], table["labelled rows only"]))),
            "stochastic_minus_exact": float(np.mean(np.subtract(table["stochastic"], table["exact"]))),
            "chosen": chosen,
        }
        results.write(file, figures)
    box_plot(figures)


def real(quick: bool) -> None:
    """Ordinal sets with classes of their own; half of a small set, at most 500 rows, is labelled."""
    figures: dict[str, Any] = {}
    for name in ("car", "ERA", "LEV", "SWD", "winequality-red", "diamonds"):
        if name == "winequality-red":
            parts = load_ordinal_holdout(name)
            X, y = np.vstack([parts.X, parts.X_test]), np.concatenate([parts.y, parts.y_test])
        else:
            data = load_ordinal(name)
            X, y = data.X, data.y
        table: dict[str, list[dict[str, float]]] = {}
        for seed in range(2 if quick else 5):
            seen, free = draw(y, min(LABELS, len(y) // 2), seed)
            found = {}
            for key, weight in (("exact", None), ("labelled rows only", 0.0)):
                model = OrdinalRanker(
                    unlabelled_weight=weight, threshold_rule="absolute", random_state=seed, classes=sorted(set(y))
                ).fit(X, seen)
                found[key] = (model.rank_score(X[free]), model.predict(X[free]))
            if name != "diamonds" or not quick:
                found |= peers(X[~free], seen[~free], X[free])
            for key, (score, grade) in found.items():
                truth = y[free]
                table.setdefault(key, []).append(
                    {
                        "auc": ordinal_auc(truth, score), "c_index": concordance_index(truth, score),
                        "mae": mae(truth, grade), "qwk": quadratic_kappa(truth, grade),
                        "mze": zero_one_error(truth, grade), "amae": average_mae(truth, grade),
                    }
                )  # fmt: skip
        figures[name] = {
            key: {measure: float(np.mean([row[measure] for row in rows])) for measure in rows[0]}
            for key, rows in table.items()
        }
        print(name, figures[name], flush=True)
        results.write("grade-real" + ("-quick" if quick else ""), figures)


SIZE_METHODS = ("exact", "stochastic", "M-SAMULT", "M-PNU-AUC", "SVOREX")


def synthetic(n: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian rows with a smooth nonlinear grade, the first 500 labelled."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    target = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.3 * rng.standard_normal(n)
    truth = np.searchsorted(np.quantile(target, [0.2, 0.4, 0.6, 0.8]), target)
    return X, np.where(np.arange(n) < LABELS, truth, -1)


def one_size(method: str, rows: int) -> None:
    """One fit in this process: prints seconds, processor seconds, peak memory and what the fit added to it."""
    import resource

    X, y = synthetic(rows + LABELS, 8)
    given = {"features": "fourier", "bandwidth": 4.0, "regularization": 1e-4, "unlabelled_weight": 0.5, "threads": 2}
    make = {
        "exact": lambda: OrdinalRanker(**given),
        "stochastic": lambda: OrdinalRanker(solver="stochastic", **given),
        "M-SAMULT": lambda: MSAMULT(4.0, 1e-4),
        "M-PNU-AUC": lambda: MPNUAUC(4.0, 1e-2),
        "SVOREX": lambda: SVOREX(4.0, 1.0),
    }[method]
    OrdinalRanker(**given | {"frequencies": 8}).fit(X[:600], y[:600])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    make().fit(X, y)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{seconds} {worked} {peak / 1024} {(peak - before) / 1024}")


def size(quick: bool) -> None:
    """Each fit in a process of its own; a method stops where it refuses or took two minutes of processor time."""
    figures: dict[str, list[dict[str, Any]]] = {method: [] for method in SIZE_METHODS}
    for method in SIZE_METHODS:
        for rows in (1_000, 3_000, 10_000) if quick else (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000):
            command = [sys.executable, __file__, "one-size", "--method", method, "--rows", str(rows)]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                reason = run.stderr.strip().splitlines()[-1].split(": ", 1)[-1]
                figures[method].append({"unlabelled": rows, "stopped": reason})
                break
            seconds, worked, peak, grown = (float(part) for part in run.stdout.split())
            record = {"unlabelled": rows, "seconds": seconds, "processor_seconds": worked}
            record |= {"peak_mib": peak, "grown_mib": grown}
            figures[method].append(record)
            print(method, record, flush=True)
            if worked > 120:
                break
        results.write("grade-size" + ("-quick" if quick else ""), figures)
    size_plot(figures)


def large() -> None:
    """400,000 × 90, 500 labels, 500 frequencies: selection included, and with parameters given."""
    import resource

    X, y = synthetic(400_000, 90)
    OrdinalRanker(frequencies=8).fit(X[:600], y[:600])
    figures: dict[str, Any] = {}
    given = {"bandwidth": 9.5, "regularization": 1e-3, "unlabelled_weight": 0.5}
    for key, parameters in (("parameters given", given), ("parameters chosen", {})):
        began, worked = time.perf_counter(), time.process_time()
        model = OrdinalRanker(features="fourier", frequencies=500, solver="exact", threads=2, **parameters).fit(X, y)
        figures[key] = {
            "seconds": time.perf_counter() - began,
            "processor_seconds": time.process_time() - worked,
            "peak_mib_of_the_process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "selection": model.selection_,
        }
        print(key, figures[key], flush=True)
    results.write("grade-large", figures)


def rate(quick: bool) -> None:
    """Squared error of the stochastic score against the exact one, relative, over the steps; slope on log axes."""
    from tacit.estimators.ordinal_settings import candidate_mixes
    from tacit.features.fourier import FourierFeatures
    from tacit.features.scaling import Scaling
    from tacit.solvers.ordinal_exact import gather, solve_path
    from tacit.solvers.stochastic import Descent, Pool

    data = load_ordinal("elevators", classes=5)
    y, _ = draw(data.y, LABELS, 0)
    weights = np.ones(len(y))
    scaling = Scaling.of(data.X, weights)
    features = FourierFeatures("gaussian", 128, 2.0 * data.X.shape[1] ** 0.5, 0, scaling)
    moments = gather(data.X, y, weights, 5, features)
    mix = candidate_mixes(0.5, 5, True)[0]
    strength = 1e-2
    exact = solve_path(moments.quadratic(mix), moments.linear(), [strength])[:, 0]
    mapped = features.transform(data.X[::8])
    mapped -= mapped.mean(axis=0)
    steps = np.unique(np.geomspace(10, 1_000 if quick else 5_000, 16).astype(int))
    figures: dict[str, Any] = {"steps": steps.tolist(), "regularization": strength}
    for rule in ("constant", "decay"):
        errors = []
        for seed in range(2 if quick else 3):
            descent = Descent(features, moments.splits, mix, strength, batch_size=16, step=rule, seed=seed)
            rows = Pool(data.X, y, weights, 5)
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
        figures[rule] = {"error": mean.tolist(), "slope_of_the_last_part": slope}
        print(rule, slope, mean.round(6).tolist(), flush=True)
    results.write("grade-rate" + ("-quick" if quick else ""), figures)
    rate_plot(figures)


def _axes(columns: int = 1) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    FIGURES.mkdir(parents=True, exist_ok=True)
    return plt.subplots(1, columns, figsize=(5.2 * columns, 3.8), layout="constrained", squeeze=False)


def box_plot(figures: dict[str, Any]) -> None:
    figure, axes = _axes(len(figures))
    for axis, (name, found) in zip(axes[0], figures.items()):
        axis.boxplot(list(found["auc"].values()), tick_labels=list(found["auc"]), orientation="horizontal")
        axis.set(title=name, xlabel="ordinal AUC of the unlabelled rows")
        axis.invert_yaxis()
    figure.savefig(FIGURES / "grade-quality.svg")


def size_plot(figures: dict[str, Any]) -> None:
    figure, axes = _axes(2)
    for axis, key, label in zip(
        axes[0], ("processor_seconds", "grown_mib"), ("processor seconds", "memory beyond the data, MiB")
    ):
        for method, records in figures.items():
            shown = [record for record in records if key in record]
            axis.loglog([r["unlabelled"] for r in shown], [max(r[key], 1e-2) for r in shown], "o-", label=method)
        axis.set(xlabel="unlabelled rows", ylabel=label)
        axis.legend()
    figure.savefig(FIGURES / "grade-size.svg")


def rate_plot(figures: dict[str, Any]) -> None:
    figure, axes = _axes()
    steps = np.array(figures["steps"])
    for rule in ("constant", "decay"):
        found = figures[rule]
        axes[0, 0].loglog(steps, found["error"], "o-", label=f"{rule}: slope {found['slope_of_the_last_part']:.2f}")
    first = figures["constant"]["error"][0]
    axes[0, 0].loglog(steps, first * steps[0] / steps, "k--", label="1/t")
    axes[0, 0].set(xlabel="steps t", ylabel="squared error against the exact score")
    axes[0, 0].legend()
    figure.savefig(FIGURES / "grade-rate.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=["quality", "real", "size", "large", "rate", "one-size"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ours", action="store_true", help="repeat our methods only, keep the others' figures")
    parser.add_argument("--method", choices=SIZE_METHODS, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.table == "one-size":
        one_size(arguments.method, arguments.rows)
    elif arguments.table == "large":
        large()
    elif arguments.table == "quality":
        quality(arguments.quick, arguments.ours)
    else:
        {"real": real, "size": size, "rate": rate}[arguments.table](arguments.quick)


if __name__ == "__main__":
    main()
