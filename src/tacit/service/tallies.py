"""What is counted at every request and event: plain numbers that belong to the event loop's thread, without locks.

prometheus-client takes a lock for each number that changes, which at some ten thousand requests a second costs more
than the counting. Here it reads the numbers when somebody asks for the metrics, in the loop's own thread.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from math import inf, isinf

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends of the histogram's steps; one more holds what took longer."""


class Times:
    """How many answers took how long."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts, self.total = [0] * (len(SECONDS) + 1), 0.0

    def up_to(self) -> list[tuple[float, int]]:
        """The end of each step, and how many answers took at most so long."""
        return list(zip((*SECONDS, inf), accumulate(self.counts)))


class _Requests:
    """Requests of one route, model and status; ``times`` is shared by all statuses."""

    __slots__ = ("count", "times")

    def __init__(self, times: Times) -> None:
        self.count, self.times = 0, times


class Tallies(Collector):
    """Requests, their times, and events.

    >>> tallies = Tallies()
    >>> tallies.request("recommend", "shop", 200, 0.003)
    >>> [count for end, count in tallies.times["recommend", "shop"].up_to()][:4]
    [0, 0, 0, 1]
    """

    def __init__(self) -> None:
        self.times: dict[tuple[str, str], Times] = {}
        self._requests: dict[tuple[str, str, int], _Requests] = {}
        self._events: dict[tuple[str, str], int] = {}

    def request(self, route: str, model: str, status: int, seconds: float) -> None:
        """One more answer."""
        labels = route, model, status
        requests = self._requests.get(labels)
        if requests is None:
            times = self.times.setdefault((route, model), Times())
            requests = self._requests[labels] = _Requests(times)
        requests.count += 1
        requests.times.counts[bisect_left(SECONDS, seconds)] += 1
        requests.times.total += seconds

    def events(self, model: str, outcome: str, count: int) -> None:
        """So many more events that were ``accepted`` or known already."""
        self._events[model, outcome] = self._events.get((model, outcome), 0) + count

    def collect(self) -> Iterator[Metric]:
        """As prometheus-client reads them."""
        requests = CounterMetricFamily("tacit_requests", "Requests answered.", labels=("route", "model", "status"))
        for (route, model, status), one in self._requests.items():
            requests.add_metric((route, model, str(status)), one.count)
        yield requests
        seconds = HistogramMetricFamily("tacit_request_seconds", "Time to an answer.", labels=("route", "model"))
        for route_and_model, times in self.times.items():
            steps = [("+Inf" if isinf(end) else str(end), count) for end, count in times.up_to()]
            seconds.add_metric(route_and_model, steps, times.total)
        yield seconds
        events = CounterMetricFamily("tacit_events", "Events by what became of them.", labels=("model", "outcome"))
        for model_and_outcome, count in self._events.items():
            events.add_metric(model_and_outcome, count)
        yield events
