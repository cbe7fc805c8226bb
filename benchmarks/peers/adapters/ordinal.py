"""mord and skordinal on labelled rows; runs in the peers' interpreter.

The folder holds ``job.npz`` (X, y, test). Both are tuned by 3-fold cross-validation of the mean absolute error.
"""

import resource
import time
import warnings
from pathlib import Path

import mord
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from skordinal.classifiers import SVOR

warnings.filterwarnings("ignore")


def machine(name, columns):
    """The model and the grid that it is tuned over."""
    if name == "mord":
        return mord.LogisticAT(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}
    return SVOR(constraints="explicit"), {
        "C": [0.1, 1.0, 10.0, 100.0],
        "gamma": [0.02 / columns, 0.1 / columns, 0.5 / columns],
    }


def evaluate(folder, name):
    """Write ``found.npz`` (score, grade) of the tuned model."""
    folder = Path(folder)
    job = np.load(folder / "job.npz")
    X, y, test = job["X"], job["y"], job["test"]
    model, grid = machine(name, X.shape[1])
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    best = GridSearchCV(model, grid, scoring="neg_mean_absolute_error", cv=splitter).fit(X, y).best_estimator_
    score = test @ best.coef_ if name == "mord" else best.predict_projection(test)
    np.savez(folder / "found.npz", score=score, grade=best.predict(test))


def clock(folder, name):
    """One fit with the library's defaults: seconds, processor seconds, peak MiB, MiB grown."""
    job = np.load(Path(folder) / "job.npz")
    X, y = job["X"], job["y"]
    model, _ = machine(name, X.shape[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    model.fit(X, y)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, worked, peak / 1024, (peak - before) / 1024
