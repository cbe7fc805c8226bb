"""Taggers that are compared, the parts of a data set, and what is measured on them.

Validation chooses among as many points for the baselines as for ours.
"""

import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.processes import ask
from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger
from tacit.baselines import LemlImcTagger, OneVsRestTagger, PopularTagger, SleecTagger, leml
from tacit.data.loaders.tags import load_multilabel
from tacit.data.matrix import as_csr
from tacit.metrics.labels import inverse_propensities, ndcg_at_k, precision_at_k, psp_at_k
from tacit.neighbours.clusters import unit_rows

Make = Callable[..., Any]
Grid = list[dict[str, Any]]


class Split:
    """One data set: its published split, or a fifth of the rows for the test (seed 0)."""

    def __init__(self, name: str) -> None:
        data = load_multilabel(name)
        if data.X_test is None or data.Y_test is None:
            order = np.random.default_rng(0).permutation(data.X.shape[0])
            cut = len(order) // 5
            self.X_test, self.Y_test = data.X[order[:cut]], data.Y[order[:cut]]
            self.X, self.Y = data.X[order[cut:]], data.Y[order[cut:]]
        else:
            self.X, self.Y, self.X_test, self.Y_test = data.X, data.Y, data.X_test, data.Y_test

    def validation(self) -> "Split":
        """The same with a fifth of the training rows in place of the test."""
        order = np.random.default_rng(1).permutation(self.X.shape[0])
        cut = len(order) // 5
        part = object.__new__(Split)
        part.X, part.Y = self.X[order[cut:]], self.Y[order[cut:]]
        part.X_test, part.Y_test = self.X[order[:cut]], self.Y[order[:cut]]
        return part

    def measure(self, top: np.ndarray) -> dict[str, float]:
        """P@k, nDCG@5 and PSP@k of the five best labels of each test row, in percent."""
        inverse = inverse_propensities(np.bincount(self.Y.indices, minlength=self.Y.shape[1]), self.Y.shape[0])
        figures = {f"P@{k}": 100 * precision_at_k(self.Y_test, top, k) for k in (1, 3, 5)}
        figures["nDCG@5"] = 100 * ndcg_at_k(self.Y_test, top, 5)
        figures |= {f"PSP@{k}": 100 * psp_at_k(self.Y_test, top, k, inverse) for k in (1, 3, 5)}
        return {name: round(float(value), 2) for name, value in figures.items()}


def hide(Y: sp.csr_array, share: float, seed: int) -> sp.csr_array:
    """Y without this share of its positives, drawn at random."""
    cells = as_csr(Y, "Y").tocoo()
    kept = np.random.default_rng(seed).permutation(Y.nnz)[: round((1 - share) * Y.nnz)]
    row, col = cells.coords
    return sp.csr_array((cells.data[kept], (row[kept], col[kept])), shape=Y.shape)


def precisions(Y: Any, top: np.ndarray) -> list[float]:
    """P@1, P@3 and P@5 in percent."""
    return [100 * float(precision_at_k(Y, top, k)) for k in (1, 3, 5)]


def grid(**choices: tuple[Any, ...]) -> Grid:
    """All combinations."""
    return [dict(zip(choices, point)) for point in product(*choices.values())]


def neighbour(method: str, **fixed: Any) -> Make:
    return lambda **own: NeighbourTagger(method, progress=False, **{**fixed, **own})


def paper(name: str) -> Make:
    """A method of the ExMLDS paper with its own settings; ours stand beside it under their own names."""
    return lambda **own: NeighbourTagger.paper(name, progress=False, **own)


def blend(weight: float, idf_power: float) -> BlendTagger:
    near = NeighbourTagger("end_to_end", iterations=3, negatives=1, vote_power=4.0, neighbours=40, idf_power=idf_power)
    return BlendTagger(
        [("kernel", KernelTagger(idf_power=idf_power)), ("near", near)], weights=[1.0, weight], progress=False
    )


IDF = (0.0, 0.5)
PRINTED = grid(regularization=(0.3, 1.0, 3.0, 10.0))
NEAR = grid(regularization=(1.0, 3.0), idf_power=IDF)
OURS: dict[str, tuple[Make, Grid]] = {
    "ExMLDS1": (paper("exmlds1"), PRINTED),
    "ExMLDS2": (paper("exmlds2"), PRINTED),
    "ExMLDS3": (paper("exmlds3"), PRINTED),
    "ExMLDS4": (paper("exmlds4"), grid(learning_rate=(0.005, 0.02, 0.1, 0.5))),
    "NeighbourTagger sppmi": (neighbour("sppmi", factors=100), NEAR),
    "NeighbourTagger weighted": (neighbour("weighted"), NEAR),
    "NeighbourTagger skipgram": (neighbour("skipgram"), NEAR),
    "NeighbourTagger joint": (neighbour("joint"), NEAR),
    "NeighbourTagger end_to_end": (neighbour("end_to_end", iterations=3, negatives=1), NEAR),
    "FactorTagger LR-wSQ": (
        lambda **own: FactorTagger(progress=False, **own),
        grid(regularization=(0.4, 1.0), idf_power=IDF),
    ),
    "KernelTagger": (lambda **own: KernelTagger(progress=False, **own), grid(idf_power=IDF)),
    "BlendTagger": (blend, grid(weight=(0.25, 0.5), idf_power=IDF)),
    "label frequency": (PopularTagger, [{}]),
    "one-vs-rest logistic": (OneVsRestTagger, grid(strength=(3.0, 10.0), idf_power=IDF)),
    "LEML": (lambda **own: leml(progress=False, **own), grid(regularization=(0.3, 1.0), idf_power=IDF)),
    "LEML-IMC": (LemlImcTagger, grid(regularization=(0.3, 1.0), idf_power=IDF)),
    "SLEEC": (SleecTagger, grid(regularization=(1.0, 3.0), idf_power=IDF)),
}
PEERS: dict[str, Grid] = {
    "napkinXC PLT": grid(liblinear_c=(3.0, 10.0), idf_power=IDF),
    "omikuji Parabel": grid(linear_c=(1.0, 10.0), idf_power=IDF),
    "omikuji Bonsai": grid(linear_c=(1.0, 10.0), idf_power=IDF),
}
NAMES = [*OURS, *PEERS]
WHILE_CHOOSING: dict[str, dict[str, Any]] = {"ExMLDS4": {"learners": 1}}
"""What is different on validation rows: the rate of a step is chosen by one of the fifteen learners."""


def points(method: str) -> Grid:
    return PEERS[method] if method in PEERS else OURS[method][1]


def fit_and_rank(method: str, point: dict[str, Any], split: Split) -> tuple[np.ndarray, dict[str, float]]:
    """The five best labels of the test rows, and the seconds that training took: of the clock, and of the processor."""
    if method in PEERS:
        return _in_the_peers_interpreter(method, point, split)
    began, worked = time.perf_counter(), time.process_time()
    model = OURS[method][0](**point).fit(split.X, split.Y)
    took = {"seconds": time.perf_counter() - began, "processor seconds": time.process_time() - worked}
    return model.predict_topk(split.X_test, 5), took


def chosen(method: str, split: Split) -> dict[str, Any]:
    """The point with the best nDCG@5 on a fifth of the training rows."""
    grid = points(method)
    if len(grid) == 1:
        return grid[0]
    part = split.validation()
    own = WHILE_CHOOSING.get(method, {})
    scores = [ndcg_at_k(part.Y_test, fit_and_rank(method, point | own, part)[0], 5) for point in grid]
    return grid[int(np.argmax(scores))]


def _in_the_peers_interpreter(method: str, point: dict[str, Any], split: Split) -> tuple[np.ndarray, dict[str, float]]:
    # The peers get the features that our taggers make of X.
    own = dict(point)
    scales = idf(split.X, own.pop("idf_power"))
    parts = {"X": weighed(split.X, scales), "Y": split.Y, "X_test": weighed(split.X_test, scales)}
    with tempfile.TemporaryDirectory() as folder:
        for name, part in parts.items():
            sp.save_npz(Path(folder) / f"{name}.npz", sp.csr_matrix(part))
        answer = ask("peers.adapters:rank", peers=True, method=method, folder=folder, parameters=own)
        return np.load(Path(folder) / "top.npy"), {"seconds": float(answer["seconds"])}


def idf(X: sp.csr_array, power: float) -> np.ndarray:
    df = np.bincount(X.indices, minlength=X.shape[1])
    return np.maximum(np.log(X.shape[0] / (1 + df)), 0.1) ** power


def weighed(X: sp.csr_array, scales: np.ndarray) -> sp.csr_array:
    return unit_rows(sp.csr_array((X.data * scales[X.indices], X.indices, X.indptr), shape=X.shape))
