"""Our metrics beside those of other libraries, on the same made-up rankings: do they agree?

    python -m benchmarks.peers.measures

irspack ranks the same factors and measures the lists itself; napkinXC measures the same ranked labels. The results file
holds every pair of numbers and their difference. irspack's map divides by the number of held-out items where ours
divides by the most hits a list can have, so that this one differs by definition. (trec_eval and scikit-learn are
compared in the test suite.)

Writes ``results/measures.json``.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.processes import ask

K = 5
SAME_NAMES = {"precision": "precision", "recall": "recall", "ndcg": "ndcg", "map": "map", "hit": "hit_rate"}


def problem() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    drawn = rng.random((300, 200))
    return {
        "k": K,
        "rows": rng.standard_normal((300, 8)).astype(np.float32),
        "cols": rng.standard_normal((200, 8)).astype(np.float32),
        "train": drawn < 0.1,
        "test": (drawn >= 0.1) & (drawn < 0.13),
        "truth": rng.random((400, 60)) < np.linspace(0.02, 0.3, 60),
        "training": rng.random((2000, 60)) < np.linspace(0.02, 0.3, 60),
        "ranked": np.array([rng.permutation(60)[:K] for _ in range(400)]),
    }


def ours(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    # Here, because the peers' interpreter, which has no Tacit, reads this file as well.
    from tacit.metrics import (
        evaluate_factors,
        inverse_propensities,
        ndcg_at_k,
        precision_at_k,
        psndcg_at_k,
        psp_at_k,
        recall_at_k,
    )

    inverse = inverse_propensities(data["training"].sum(axis=0), len(data["training"]))
    truth, ranked = data["truth"].astype(float), data["ranked"]
    ranking = evaluate_factors(data["rows"], data["cols"], data["train"], data["test"], k=K)
    return {
        "irspack": {name: ranking[f"{mine}@{K}"] for name, mine in SAME_NAMES.items()},
        "napkinxc": {
            "inverse": inverse.tolist(),
            "precision": precision_at_k(truth, ranked, K),
            "recall": recall_at_k(truth, ranked, K),
            "ndcg": ndcg_at_k(truth, ranked, K),
            "psp": psp_at_k(truth, ranked, K, inverse),
            "psndcg": psndcg_at_k(truth, ranked, K, inverse),
        },
    }


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


def measure_theirs(path):
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


def theirs(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "data.npz")
        np.savez(path, **data)
        found: dict[str, dict[str, Any]] = ask("peers.measures:measure_theirs", peers=True, path=path)
    return found


def main() -> None:
    data = problem()
    mine, other = ours(data), theirs(data)
    figures = {}
    for library, values in mine.items():
        if "failed" in other[library]:
            figures[library] = other[library]
            continue
        named = {name.split("@")[0]: value for name, value in other[library].items()}
        figures[library] = {
            name: {
                "ours": value if np.isscalar(value) else None,
                "theirs": named[name] if np.isscalar(value) else None,
                "largest_difference": float(np.max(np.abs(np.subtract(value, named[name])))),
            }
            for name, value in values.items()
        }
    print(results.write("measures", figures))


if __name__ == "__main__":
    main()
