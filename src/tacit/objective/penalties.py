"""Penalties on factors: the scale of a ridge that grows with a row's evidence, and the Laplacian of a graph."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tacit.data.matrix import Csr, as_csr
from tacit.errors import InputError

Array = NDArray[Any]


def ridge_scale(evidence: Array, positive_mass: Array, strength: float, exponent: float) -> float:
    """The factor λ in λ_x = λ · evidence_x^ν that makes the mean ridge ``strength`` times the mean positive mass.

    evidence_x = Σ_{y∈Ω_x} c_xy + a_x Σ_y b_y is the total weight of the cells of x, positive_mass_x its first term.
    With ν = 1 the ridge of a row is proportional to its evidence, far better on skewed data than an equal ridge
    for all (ν = 0). Because ``strength`` is relative to the positives, it means the same on dense and sparse data and
    for any unlabelled weight: 0.1 weighs as much as a tenth of a row's positives.

    >>> ridge_scale(np.array([4.0, 8.0]), np.array([2.0, 4.0]), strength=0.5, exponent=1.0)
    0.25
    """
    mean = float(np.mean(evidence**exponent))
    return strength * float(np.mean(positive_mass)) / mean if mean > 0 else strength


def laplacian(graph: Any, strength: float, name: str, rows: int, dtype: DTypeLike = np.float32) -> Csr:
    """λ_g L with L = D − S for the similarities S of a graph; tr(PᵀLP) = ½ Σ S_xx' ‖p_x − p_x'‖² (one-class MF Eq. 2).

    S is made symmetric, (S + Sᵀ)/2, and its diagonal drops out. Similarities must not be negative.

    >>> laplacian(np.array([[0.0, 2.0], [2.0, 0.0]]), 0.5, "row_graph", 2).toarray()
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    similar = as_csr(graph, name, rows=rows, cols=rows, dtype=np.float64, minimum=0.0, allow_empty=True).native()
    if strength < 0:
        raise InputError(f"the strength of {name} must not be negative, but is {strength:g}.")
    similar = (similar + similar.T) / 2
    degree = np.asarray(similar.sum(axis=1)).ravel()
    return as_csr(strength * (sp.diags_array(degree) - similar), name, dtype=dtype, zeros="keep", allow_empty=True)
