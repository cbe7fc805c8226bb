"""Small random whole-data problems, as dense arrays for the oracles and as the objective for the code under test."""

from dataclasses import dataclass

import numpy as np

from tacit.data.matrix import as_csr
from tacit.objective.losses import resolve
from tacit.objective.whole_data import WholeData


@dataclass
class Problem:
    dense: np.ndarray
    weight: np.ndarray
    target: np.ndarray
    a: np.ndarray
    b: np.ndarray
    t: float
    row_ridge: np.ndarray
    col_ridge: np.ndarray
    P: np.ndarray
    Q: np.ndarray
    loss: str = "square"

    @property
    def parts(self):
        return (self.dense, self.weight, self.target, self.a, self.b, self.t)

    def objective(self, dtype=np.float64):
        positives = as_csr(self.dense.astype(dtype), "positives", dtype=dtype)
        return WholeData.build(
            positives,
            loss=resolve(self.loss),
            weight=self.weight[self.dense],
            target=self.target[self.dense],
            row_weight=self.a,
            col_weight=self.b,
            unlabelled_target=self.t,
            row_ridge=self.row_ridge,
            col_ridge=self.col_ridge,
            dtype=dtype,
        )

    def factors(self, dtype=np.float64):
        return self.P.astype(dtype), self.Q.astype(dtype)


def make_problem(seed=0, n=13, m=9, g=4, density=0.3, t=-0.2, loss="square"):
    rng = np.random.default_rng(seed)
    dense = rng.random((n, m)) < density
    dense[0, 0] = True
    dense[1, :] = False
    return Problem(
        dense=dense,
        weight=rng.uniform(0.5, 2.0, (n, m)),
        target=np.ones((n, m)) if loss != "square" else rng.uniform(0.5, 1.5, (n, m)),
        a=rng.uniform(0.1, 0.5, n),
        b=rng.uniform(0.1, 0.5, m),
        t=t,
        row_ridge=rng.uniform(0.1, 0.4, n),
        col_ridge=rng.uniform(0.1, 0.4, m),
        P=rng.normal(0, 0.5, (n, g)),
        Q=rng.normal(0, 0.5, (m, g)),
        loss=loss,
    )
