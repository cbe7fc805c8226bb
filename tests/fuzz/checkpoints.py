"""Fits that are killed at any moment and go on from their checkpoint: the same bits as a fit that nobody disturbed.

    python -m tests.fuzz.checkpoints 200

A trial is a forked process that fits and writes a checkpoint after every sweep; it costs some milliseconds.
"""

import hashlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import tacit
from tacit.estimators import checkpoint

SOLVERS = {"als": 8, "newton": 5, "newton_linesearch": 5, "linesearch": 12, "adagrad": 20, "gradient": 20}
LAST = 1.5
"""A kill comes within this many times the duration of a fit, so that some come too late."""


def fit(solver: str, path: Path | None) -> str:
    """The digest of what is learned."""
    positives = sp.random_array((120, 90), density=0.15, rng=np.random.default_rng(0), format="csr")
    held_out = {"held_out": 0.2, "patience": 100} if solver == "als" else {}
    rate = {"learning_rate": 1e-3} if solver in ("adagrad", "gradient") else {}
    model = tacit.FactorRecommender(
        factors=8, solver=solver, iterations=SOLVERS[solver], threads=1, progress=False, checkpoint=path, **rate,
        **held_out,
    ).fit(positives)  # fmt: skip
    return hashlib.sha256(model.row_factors_.tobytes() + model.col_factors_.tobytes()).hexdigest()


def kills(solver: str, trials: int, seed: int = 0) -> dict[str, int]:
    """Kill fits at random moments until so many kills have hit one that was under way."""
    checkpoint.SECONDS_BETWEEN = -1.0
    rng = random.Random(f"{solver} {seed}")
    expected = fit(solver, None)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        fit(solver, Path(folder) / "warm")
        lasts = LAST * (time.monotonic() - began)
        outcomes = {"killed": 0, "with a checkpoint": 0, "resumed to the same bits": 0}
        while outcomes["killed"] < trials:
            path = Path(folder) / "checkpoint"
            path.unlink(missing_ok=True)
            while not _killed(solver, path, rng.uniform(0.0, lasts)):
                path.unlink(missing_ok=True)
            outcomes["killed"] += 1
            outcomes["with a checkpoint"] += path.exists()
            # Every other time a second kill, into the fit that has resumed.
            if rng.random() < 0.5 and _killed(solver, path, rng.uniform(0.0, lasts)):
                outcomes["killed"] += 1
            assert fit(solver, path) == expected, f"{solver}: other bits after a kill"
            outcomes["resumed to the same bits"] += 1
            left = [name for name in os.listdir(folder) if name.endswith(".part")]  # noqa: PTH208
            assert not left, "a stale temporary file stays"
    return outcomes


def _killed(solver: str, path: Path, after: float) -> bool:
    """Whether the kill came before the fit had ended."""
    child = os.fork()
    if child == 0:
        fit(solver, path)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) != 0


if __name__ == "__main__":
    for name in SOLVERS:
        start = time.monotonic()
        print(name, kills(name, int(sys.argv[1])), f"{time.monotonic() - start:.0f} s", flush=True)
