"""Factorizations of positives behind one signature, ours among them; the others run in the peers' interpreter.

``fit`` is called through ``peers.workers.Worker``; a library is ``(train, threads, **parameters) -> (P, Q)``.
"""

import functools
import time
from importlib.metadata import version

import numpy as np
import scipy.sparse as sp
from benchmarks.machine import memory


def implicit(train, threads, *, factors=64, regularization=0.01, alpha=1.0, iterations=15):
    """Alternating least squares with conjugate gradient."""
    from implicit.als import AlternatingLeastSquares

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


def irspack(train, threads, *, factors=64, alpha0=0.2, reg=0.01, epochs=12):
    """Implicit ALS with frequency-scaled regularization."""
    from irspack import IALSRecommender

    model = IALSRecommender(train, n_components=factors, alpha0=alpha0, reg=reg, n_threads=threads, train_epochs=epochs)
    model.learn()
    return model.get_user_embedding(), model.get_item_embedding()


def tacit(train, threads, **parameters):
    """Tacit itself."""
    from tacit import FactorRecommender

    model = FactorRecommender(**parameters, threads=threads, progress=False).fit(train)
    return model.row_factors_, model.col_factors_


LIBRARIES = {"implicit": implicit, "irspack": irspack, "tacit": tacit}


@functools.cache
def matrix(path):
    """The training matrix, loaded once."""
    return sp.load_npz(path)


def ready(library, path):
    """Import the library and load the data, before any clock starts; gives back the library's version."""
    __import__(library)
    matrix(path)
    return version(library)


def fit(library, path, threads, save, parameters):
    """Seconds and peak memory of one fit; its factors go to the file ``save``, unless that is nothing."""
    train = matrix(path)
    memory.reset()
    began, worked = time.perf_counter(), time.process_time()
    rows, cols = LIBRARIES[library](train, threads, **parameters)
    seconds, peak, worked = time.perf_counter() - began, memory.peak_mib(), time.process_time() - worked
    if save:
        np.savez(save, rows=rows, cols=cols)
    return {"seconds": seconds, "processor_seconds": worked, "peak_mib": round(peak, 1)}
