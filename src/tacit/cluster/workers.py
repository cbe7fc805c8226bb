"""Workers: how they are found or started, and how tasks are named and placed."""

import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tacit.errors import InputError


@contextmanager
def connected(address: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """A client of the scheduler at ``address``, or of ``workers`` processes on this machine with one thread each."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("a cluster needs Dask; install tacit[cluster].") from None
    if address is not None:
        try:
            client = Client(address, timeout="4s")
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(f"cluster: no scheduler answers at {address!r} ({reason}); start one there.") from None
        with client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


class Tasks:
    """Tasks of one fit on a client.

    Every call has a key of its own, so nothing is looked up by the contents of its arguments. A task with a ``place``,
    from 0 to below 1, goes to the worker there as long as that one is alive: a shard stays where it is and the factors
    come to it, although they are larger, because all shards of a worker share them.
    """

    def __init__(self, client: Any) -> None:
        if not (hasattr(client, "submit") and hasattr(client, "scheduler_info")):
            raise InputError(f"client must be a dask.distributed.Client, not {type(client).__name__}.")
        from tacit.cluster.preparation import Prepared

        client.register_plugin(Prepared())
        self.client = client
        self._token = uuid.uuid4().hex[:12]
        self._number = itertools.count()
        known = client.scheduler_info(n_workers=-1)["workers"]
        self._workers = sorted(known)
        self.threads = sum(int(worker["nthreads"]) for worker in known.values())
        if not self._workers:
            raise InputError("client: the cluster has no workers; start some first.")

    @property
    def workers(self) -> int:
        """How many there were at the beginning; they had ``threads`` together."""
        return len(self._workers)

    def owner(self, place: float) -> int:
        """The number of the worker at a place."""
        return int(place * len(self._workers))

    def __call__(self, function: Callable[..., Any], *arguments: Any, place: float | None = None) -> Any:
        """The future of ``function(*arguments)``; futures among the arguments, or in lists of them, are waited for."""
        key = f"{function.__name__}-{self._token}-{next(self._number)}"
        where = {} if place is None else {"workers": [self._workers[self.owner(place)]]}
        return self.client.submit(function, *arguments, key=key, allow_other_workers=bool(where), **where)

    def consecutive(self, count: int) -> list[float]:
        """Places of so many things: those that follow each other lie on one worker, or the next."""
        return [i / count for i in range(count)]

    def dealt(self, count: int) -> list[float]:
        """Places of so many things, dealt forth and back: where work falls from the first to the last, each worker has
        about as much of it."""
        forth = list(range(self.workers))
        return [((forth + forth[::-1])[i % (2 * self.workers)] + 0.5) / self.workers for i in range(count)]

    def spread(
        self, function: Callable[..., Any], things: Iterable[Any], *arguments: Any, places: list[float] | None = None
    ) -> list[Any]:
        """Futures of ``function(thing, *arguments)`` at these places, consecutive ones unless they are given."""
        listed = list(things)
        where = self.consecutive(len(listed)) if places is None else places
        return [self(function, one, *arguments, place=place) for one, place in zip(listed, where)]

    def together(self, things: Sequence[Any]) -> list[tuple[float, list[Any]]]:
        """The same things by the worker on which ``spread`` has put them: its place, and what it has."""
        owners = [self.owner(i / len(things)) for i in range(len(things))]
        return [
            ((owner + 0.5) / len(self._workers), [one for one, of in zip(things, owners) if of == owner])
            for owner in sorted(set(owners))
        ]

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """The same task on every worker: the futures by the number of their worker."""
        return [self(function, *arguments, place=(k + 0.5) / self.workers) for k in range(self.workers)]

    def wait(self, futures: Sequence[Any]) -> None:
        """Until all tasks are done, or the error of the first that failed."""
        from distributed import as_completed

        for done in as_completed(list(futures)):
            if done.status == "error":
                done.result()

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """What the tasks returned, in the order of the futures."""
        results: list[Any] = self.client.gather(list(futures))
        return results


def pick(results: Sequence[Any], place: int) -> Any:
    """One of the results of a task that has several."""
    return results[place]
