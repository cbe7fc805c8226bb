"""mord and skordinal on one training part: reads ``job.npz`` in the folder given, writes ``found.npz``.

Both are tuned by 3-fold cross-validation of the mean absolute error over the labelled rows.
"""

import sys
import warnings
from pathlib import Path

import mord
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from skordinal.classifiers import SVOR

warnings.filterwarnings("ignore")
folder = Path(sys.argv[1])
job = np.load(folder / "job.npz")
X, y, test = job["X"], job["y"], job["test"]
splitter = StratifiedKFold(3, shuffle=True, random_state=0)


def tuned(model, grid):
    search = GridSearchCV(model, grid, scoring="neg_mean_absolute_error", cv=splitter)
    return search.fit(X, y).best_estimator_


logistic = tuned(mord.LogisticAT(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]})
d = X.shape[1]
grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1 / d, 0.5 / d]}
svor = tuned(SVOR(constraints="explicit"), grid)
np.savez(
    folder / "found.npz",
    mord_score=test @ logistic.coef_,
    mord_class=logistic.predict(test),
    skordinal_score=svor.predict_projection(test),
    skordinal_class=svor.predict(test),
)
