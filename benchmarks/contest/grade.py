"""Grade: classes in order, from 500 labelled rows (half of the rows of car); the others are asked.

Every method chooses its parameters from the labelled rows, and that counts as part of its fit: ours by its own
cross-validation, with the unlabelled rows; mord and skordinal, which cannot use those, by 3 folds.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Data, Method, save

SIZES = ("car", "elevators", "diamonds")
MEASURES = {"MAE": False, "AUC": True}
LABELS = 500


def prepare(size: str, folder: Path) -> dict[str, Any]:
    from tacit.data.loaders.ordinal import load_ordinal

    data = load_ordinal(size, classes=5) if size == "elevators" else load_ordinal(size)
    X, y = np.asarray(data.X), np.asarray(data.y)
    known = np.random.default_rng(0).permutation(len(y))[: min(LABELS, len(y) // 2)]
    seen = np.full(len(y), -1)
    seen[known] = y[known]
    save(folder, "main", X=X, y=seen, truth=y[seen < 0], classes=np.unique(y))
    few = np.concatenate([known[:150], np.flatnonzero(seen < 0)[:100]])
    save(folder, "small", X=X[few], y=seen[few], classes=np.unique(seen[known[:150]]))
    return {"rows": len(y), "features": X.shape[1], "labelled": len(known), "classes": len(np.unique(y))}


def evaluate(data: Data, answers: np.ndarray) -> dict[str, float]:
    from tacit.metrics.ordinal import ordinal_auc
    from tacit.metrics.ratings import mae

    score, grade = answers
    return {"MAE": mae(data["truth"], grade), "AUC": ordinal_auc(data["truth"], score)}


def fit_ours(data: Data, threads: int, **point: Any) -> Any:
    from tacit import OrdinalRanker

    ranker = OrdinalRanker(threads=threads, classes=data["classes"].tolist(), **point)
    return ranker.fit(data["X"], data["y"])


def grades_ours(model: Any, data: Data, threads: int) -> np.ndarray:
    asked = data["X"][data["y"] < 0]
    return np.stack([model.rank_score(asked), model.predict(asked)])


def standardized(data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labelled rows, their classes, and the rows that are asked, in units of the labelled rows' deviations."""
    X, y = data["X"].astype(float), data["y"]
    known = X[y >= 0]
    scale = np.where(known.std(axis=0) > 0, known.std(axis=0), 1.0)
    scaled = (X - known.mean(axis=0)) / scale
    return scaled[y >= 0], y[y >= 0], scaled[y < 0]


def searched(model: Any, grid: dict[str, Any], X: np.ndarray, y: np.ndarray) -> Any:
    import warnings

    from sklearn.model_selection import GridSearchCV, KFold

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds = KFold(3, shuffle=True, random_state=0)
        return GridSearchCV(model, grid, scoring="neg_mean_absolute_error", cv=folds).fit(X, y).best_estimator_


def fit_mord(data: Data, threads: int) -> Any:
    import mord

    X, y, _ = standardized(data)
    return searched(mord.LogisticAT(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}, X, y)


def grades_mord(model: Any, data: Data, threads: int) -> np.ndarray:
    asked = standardized(data)[2]
    return np.stack([asked @ model.coef_, model.predict(asked)])


def fit_skordinal(data: Data, threads: int) -> Any:
    from skordinal.classifiers import SVOR

    X, y, _ = standardized(data)
    d = X.shape[1]
    return searched(SVOR(constraints="explicit"), {"C": [0.1, 1.0, 10.0], "gamma": [0.1 / d, 0.5 / d]}, X, y)


def grades_skordinal(model: Any, data: Data, threads: int) -> np.ndarray:
    asked = standardized(data)[2]
    return np.stack([model.predict_projection(asked), model.predict(asked)])


METHODS = {
    "Tacit OrdinalRanker": Method(fit_ours, grades_ours, "tacit"),
    "Tacit OrdinalRanker, cuts by error": Method(fit_ours, grades_ours, "tacit", ({"threshold_rule": "absolute"},)),
    "mord LogisticAT": Method(fit_mord, grades_mord, "mord"),
    "skordinal SVOR": Method(fit_skordinal, grades_skordinal, "skordinal"),
}
