"""Every estimator that runs on a cluster: how it is made, on what, and what one process makes of the same files."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

import tacit

COLUMNS = {"row": "who", "col": "what", "weight": "times"}


@dataclass(frozen=True)
class Job:
    files: str
    make: Callable[[], Any]
    alone: Callable[[Any, str], Any]
    columns: dict[str, Any] = field(default_factory=dict)


def on_positives(model, files):
    return model.fit(tacit.Interactions.from_table(files, **COLUMNS))


def on_rows(model, files):
    frame = pl.read_parquet(files)
    return model.fit(frame.drop("grade", "name"), frame["grade"])


def on_text(model, files):
    return model.fit(files)


GRADED = {"grade": "grade"}
IN_RUNS = {"side": "left", "sentences": "files", "tokenizer": "words", "unlabelled_total": 50, "memory": 1e-5}
ALL_PAIRS = {"loss": "square", "features": "fourier", "unlabelled_weight": 0.5, "class_priors": "matched"}
SETTLED = {"tolerance": 0.5, "frequency_exponent": 0.0, "ridge_exponent": 0.0}
OTHERS = {"unlabelled_target": -0.1, "positive_weight": "one"}
EXPONENTS = {"sparse_exponents": (0.75, 1.0, 0.25)}

POSITIVES, TEXTS, ROWS = "part-*.parquet", "*.txt", "graded-*.parquet"
JOBS = {
    "factors": Job(POSITIVES, lambda: tacit.FactorRecommender(20, iterations=3), on_positives, COLUMNS),
    "other weights": Job(POSITIVES, lambda: tacit.FactorRecommender(8, iterations=3, **OTHERS), on_positives, COLUMNS),
    "until settled": Job(
        POSITIVES, lambda: tacit.FactorRecommender(40, iterations=2, **SETTLED), on_positives, COLUMNS
    ),
    "linear weights": Job(
        POSITIVES, lambda: tacit.LinearRecommender("sparse", keep=30, **EXPONENTS), on_positives, COLUMNS
    ),
    "words": Job(TEXTS, lambda: tacit.WordVectors(8, iterations=2, window=4, min_count=2), on_text),
    "words in runs": Job(TEXTS, lambda: tacit.WordVectors(20, iterations=2, window=3, **IN_RUNS), on_text),
    "grades, all chosen": Job(ROWS, tacit.OrdinalRanker, on_rows, GRADED),
    "grades from all pairs": Job(
        ROWS, lambda: tacit.OrdinalRanker("gaussian", n_components=32, **ALL_PAIRS), on_rows, GRADED
    ),
}


def write_files(folder):
    """Positives whose pairs repeat across files, graded rows, and texts; all small, in several files."""
    rng = np.random.default_rng(0)
    size, people, things = 30_000, 1500, 300
    frame = pl.DataFrame(
        {
            "who": rng.integers(0, people, size) * 7,
            "what": [f"t{n}" for n in (rng.pareto(1.2, size) * 20).astype(int) % things],
            "times": rng.integers(1, 5, size).astype(np.float32),
        }
    )
    x = rng.standard_normal((1500, 4))
    grade = np.where(rng.random(1500) < 0.06, np.digitize(x[:, 0] + x[:, 1] ** 2, [0.3, 1.5]), -1)
    graded = pl.DataFrame({f"x{k}": x[:, k] for k in range(4)} | {"name": ["row"] * 1500, "grade": grade})
    for place in range(3):
        frame[place * 10_000 : (place + 1) * 10_000].write_parquet(folder / f"part-{place}.parquet")
        graded[place * 500 : (place + 1) * 500].write_parquet(folder / f"graded-{place}.parquet")
    tokens = [f"W{int(k)}" for k in np.minimum(rng.pareto(0.9, 30_000) * 3, 2000)]
    lines = [" ".join(tokens[k : k + rng.integers(1, 14)]) for k in range(0, len(tokens), 8)]
    (folder / "first.txt").write_text("\n".join(lines[:2000]))
    (folder / "second.txt").write_text("\n\n".join(lines[2000:]) + " \n")
