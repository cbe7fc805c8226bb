"""Tacit itself, behind the same signature as everybody else."""

import tacit

VERSION = tacit.__version__


def fit(train, threads, **parameters):
    model = tacit.FactorRecommender(**parameters, threads=threads, progress=False).fit(train)
    return model.row_factors_, model.col_factors_
