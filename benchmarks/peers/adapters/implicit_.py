"""implicit: alternating least squares with conjugate gradient."""

import implicit
import numpy as np
from implicit.als import AlternatingLeastSquares

VERSION = implicit.__version__


def fit(train, threads, *, factors=64, regularization=0.01, alpha=1.0, iterations=15):
    model = AlternatingLeastSquares(
        factors=factors,
        regularization=regularization,
        alpha=alpha,
        iterations=iterations,
        num_threads=threads,
        use_gpu=False,
        random_state=0,
    )
    model.fit(train, show_progress=False)
    return np.asarray(model.user_factors), np.asarray(model.item_factors)
