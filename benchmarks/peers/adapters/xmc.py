"""napkinXC (PLT) and omikuji (Parabel, Bonsai) on one split; runs in the peers' interpreter.

The folder holds X.npz, Y.npz and X_test.npz, and gets top.npy, the five best labels of each test row. Parameters have
the library's own names.
"""

import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

K = 5


def napkinxc_plt(X, Y, X_test, folder, own):
    from napkinxc.models import PLT

    labels = [Y.indices[a:b].tolist() for a, b in zip(Y.indptr[:-1], Y.indptr[1:])]
    began = time.perf_counter()
    model = PLT(str(folder / "plt"), threads=2, seed=0, **own)
    model.fit(X, labels)
    seconds = time.perf_counter() - began
    found = model.predict(X_test, top_k=K)
    return seconds, [list(row) for row in found]


def omikuji_tree(X, Y, X_test, folder, own, bonsai):
    import omikuji

    # A row without features teaches nothing, and the reader of the library's format refuses it.
    filled = np.flatnonzero(np.diff(X.indptr))
    lines = [f"{len(filled)} {X.shape[1]} {Y.shape[1]}"]
    for row in filled:
        labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]]))
        span = slice(X.indptr[row], X.indptr[row + 1])
        lines.append(labels + " " + " ".join(f"{f}:{v:.6g}" for f, v in zip(X.indices[span], X.data[span])))
    path = folder / "train.txt"
    path.write_text("\n".join(lines) + "\n")
    parameters = omikuji.Model.default_hyper_param()
    if bonsai:
        parameters.cluster_balanced, parameters.cluster_k, parameters.collapse_every_n_layers = False, 100, 0
        parameters.max_depth = 3
    for name, value in own.items():
        setattr(parameters, name, value)
    began = time.perf_counter()
    model = omikuji.Model.train_on_data(str(path), parameters, n_threads=2)
    seconds = time.perf_counter() - began
    found = []
    for row in range(X_test.shape[0]):
        span = slice(X_test.indptr[row], X_test.indptr[row + 1])
        pairs = list(zip(X_test.indices[span].tolist(), X_test.data[span].tolist()))
        found.append([label for label, _ in model.predict(pairs, top_k=K)])
    return seconds, found


METHODS = {
    "napkinXC PLT": napkinxc_plt,
    "omikuji Parabel": lambda *data: omikuji_tree(*data, bonsai=False),
    "omikuji Bonsai": lambda *data: omikuji_tree(*data, bonsai=True),
}


def rank(method, folder, parameters):
    """Fit and rank; gives back the seconds of training."""
    folder = Path(folder)
    X, Y, X_test = (sp.csr_matrix(sp.load_npz(folder / f"{name}.npz")) for name in ("X", "Y", "X_test"))
    seconds, found = METHODS[method](X, Y, X_test, folder, parameters)
    top = np.full((len(found), K), -1)
    for row, labels in enumerate(found):
        top[row, : len(labels)] = labels[:K]
    np.save(folder / "top.npy", top)
    return {"seconds": seconds}
