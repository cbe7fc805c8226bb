"""The same models on the workers of a Dask cluster (``pip install tacit[cluster]``).

    from dask.distributed import Client
    import tacit, tacit.cluster

    with Client("tcp://scheduler:8786") as client:
        model = tacit.cluster.fit(client, tacit.FactorRecommender(64), "events/*.parquet", row="user", col="item")

Workers read the parts, rows and columns lie on them in shards, and a half-sweep is a task per shard: a function of the
shard, of the other side's factors and of their Gram matrix. Shards are made of the chunks into which one process would
cut the same data, and partial sums are added in the same order, so the model is that of one process to the last bit,
at any number of workers and threads, and a lost worker's tasks are simply run again.
"""

from tacit.cluster.evaluate import evaluate as evaluate
from tacit.cluster.fit import fit as fit
from tacit.cluster.recommend import recommend as recommend
from tacit.cluster.workers import connected as connected

__all__ = ["connected", "evaluate", "fit", "recommend"]
