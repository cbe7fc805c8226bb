"""One learner of ``NeighbourTagger``: rows that carry labels are clustered, and each cluster gets a map of its own."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.neighbours.clusters import bounded_kmeans, spherical_kmeans
from tacit.neighbours.partitioned import Learner, Partition
from tacit.neighbours.topk import normalise
from tacit.solvers.label_maps import METHODS, MapSettings

_ROWS_PER_PARTITION = 6000
_MOST_ROWS = 2 * _ROWS_PER_PARTITION
_SAMPLE = 0.8


def learned(
    X: sp.csr_array,
    Y: sp.csr_array,
    graph: sp.csr_array | None,
    carrying: NDArray[np.int64],
    method: str,
    settings: MapSettings,
    partitions: int | None,
    seed: int,
    number: int,
) -> Learner:
    """The learner of this number.

    carrying : the rows that carry labels
    partitions : how many clusters; None for one per 6,000 rows, none above 12,000
    settings : its threads learn one map together, or as many maps at a time
    """
    rng = np.random.default_rng([seed, number])
    clusters = min(partitions or max(len(carrying) // _ROWS_PER_PARTITION, 1), len(carrying))
    if clusters == 1:
        centres, of_row = np.zeros((1, X.shape[1]), np.float32), np.zeros(len(carrying), dtype=np.int64)
    elif partitions is None:
        centres, of_row = bounded_kmeans(X[carrying], clusters, _MOST_ROWS, rng)
    else:
        centres, of_row = spherical_kmeans(X[carrying], clusters, rng)
    in_each, at_once = (1, settings.threads) if clusters > 1 else (settings.threads, 1)
    one = replace(settings, threads=in_each)
    clusters = len(centres)
    seeds = rng.integers(2**31, size=clusters)

    def learn_partition(cluster: int) -> Partition:
        rows = carrying[of_row == cluster]
        mine, labels = X[rows], Y[rows]
        features = np.unique(mine.indices).astype(np.int32)
        mine = mine[:, features]
        if number == 0:
            result = METHODS[method](mine, labels, graph, one, int(seeds[cluster]))
        else:
            # Later learners see a sample of the rows, so that they differ; all rows still vote.
            order = np.random.default_rng(seeds[cluster]).permutation(len(rows))
            sample = np.sort(order[: max(1, int(_SAMPLE * len(rows)))])
            result = METHODS[method](mine[sample], labels[sample], graph, one, int(seeds[cluster]))
        partition = Partition(features, result.weights, rows, np.empty((0, 0), np.float32), result.labels)
        return replace(partition, points=normalise(partition.project(mine)))

    return Learner(centres, tuple(pool.run(learn_partition, [(c,) for c in range(clusters)], at_once)))
