"""Other libraries' metrics of given lists; runs in the peers' interpreter.

The file holds factors, train and test cells (irspack ranks and measures them itself), and true labels, ranked label
numbers and training labels (napkinXC measures them).
"""

import numpy as np
import scipy.sparse as sp


def ranking(data, k):
    """irspack's evaluator on scores of all items but the training ones."""
    from irspack import Evaluator

    train, test = (sp.csr_matrix(data[name].astype(float)) for name in ("train", "test"))
    scores = data["rows"].astype(float) @ data["cols"].astype(float).T

    class Scores:
        X_train_all = train
        n_users, n_items = train.shape

        def get_score_block(self, begin, end):
            return scores[begin:end]

    found = Evaluator(test, cutoff=k, masked_interactions=train).get_scores(Scores(), [k])
    return {name: float(value) for name, value in found.items()}


def labels(data, k):
    """napkinXC's metrics of ranked labels."""
    from napkinxc import metrics

    truth = [np.flatnonzero(row).tolist() for row in data["truth"]]
    ranked = data["ranked"].tolist()
    inverse = metrics.Jain_et_al_inverse_propensity(sp.csr_matrix(data["training"].astype(float)), A=0.55, B=1.5)
    return {
        "inverse": np.asarray(inverse).ravel().tolist(),
        "precision": float(metrics.precision_at_k(truth, ranked, k=k)[k - 1]),
        "recall": float(metrics.recall_at_k(truth, ranked, k=k)[k - 1]),
        "ndcg": float(metrics.ndcg_at_k(truth, ranked, k=k)[k - 1]),
        "psp": float(metrics.psprecision_at_k(truth, ranked, inverse, k=k)[k - 1]),
        "psndcg": float(metrics.psndcg_at_k(truth, ranked, inverse, k=k)[k - 1]),
    }


def evaluate(path):
    """Library → its measures of what the file holds."""
    with np.load(path) as file:
        data = dict(file)
    k = int(data["k"])
    found = {}
    for name, measure in (("irspack", ranking), ("napkinxc", labels)):
        try:
            found[name] = measure(data, k)
        except Exception as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"}
    return found
