"""The weighted factorisation of SPPMI that the label-embedding paper suggests, through the one objective.

    Σ_{SPPMI > 0} c_ab (SPPMI_ab − ⟨p_a, q_b⟩)² + Σ_{other pairs} w (0 − ⟨p_a, q_b⟩)² + ridge

Pairs of rows that share more labels weigh more, c_ab = 1 + log M_ab, and pairs that share none weigh w < 1: the
unweighted SVD has c = w = 1. Rows with equal labels are one row whose weights are multiplied by their number.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr
from tacit.features.label_space import distinct_sets, shared_labels
from tacit.objective import losses
from tacit.objective.two_towers import TwoTowers
from tacit.objective.whole_data import WholeData
from tacit.progress import Run
from tacit.solvers.als import AlternatingLeastSquares
from tacit.solvers.alternation import alternate
from tacit.solvers.label_embedding import label_space_sppmi

_RIDGE = 0.01


def weighted_embedding(
    Y: sp.csr_array,
    factors: int,
    *,
    unlabelled_weight: float = 0.3,
    shift: float = 1.0,
    max_partners: int | None = None,
    iterations: int = 10,
    seed: int = 0,
    threads: int = 0,
) -> NDArray[np.float64]:
    """P (n, factors), one row per instance."""
    result = distinct_sets(Y)
    values = as_csr(label_space_sppmi(result, shift, max_partners, threads), "label space", allow_empty=True)
    count = result.count.astype(np.float64)
    row = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    common = shared_labels(result.sets, max_partners)
    shared = as_csr(common, "label space")[row, values.indices]
    # Frequent sets would drown all others in a plain sum of rows; means of one keep the ridge's meaning.
    count /= count.mean()
    objective = WholeData.build(
        values,
        loss=losses.resolve("square"),
        weight=count[row] * count[values.indices] * (1 + np.log(np.asarray(shared, dtype=np.float64))),
        target=values.data,
        row_weight=count,
        col_weight=unlabelled_weight * count,
        unlabelled_target=0.0,
        row_ridge=_RIDGE * count * len(count),
        col_ridge=_RIDGE * count * len(count),
    )
    problem = TwoTowers.of_ids(objective, factors)
    parameters = problem.start(seed, 1.0 / np.sqrt(factors))
    with Run("embed labels", iterations, progress=False) as run:
        alternate(problem, parameters, AlternatingLeastSquares(), run, n_threads=threads)
    return problem.factors(parameters)[0][result.of_row].astype(np.float64)
