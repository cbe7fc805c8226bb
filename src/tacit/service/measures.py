"""Metrics for Prometheus: counters, latencies and gauges, and what the process takes."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest

from tacit.service.tallies import Tallies

if TYPE_CHECKING:
    from tacit.service.served import Served
    from tacit.service.writer import Writer


class Measures:
    """Counters of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.tallies = Tallies()
        self.registry.register(self.tallies)
        ProcessCollector(registry=self.registry)  # memory, processor time and open files, where the system tells
        self.reloads = Counter(
            "tacit_reloads_total", "Reloads of models.", ("model", "outcome"), registry=self.registry
        )
        self._waiting = Gauge("tacit_events_waiting", "Events that wait to be stored.", registry=self.registry)
        self._sequence = Gauge("tacit_sequence", "Last event learned.", ("model",), registry=self.registry)
        self._refused = Gauge(
            "tacit_events_unlearned", "Stored events that cannot be learned.", ("model",), registry=self.registry
        )
        self._age = Gauge("tacit_snapshot_age_seconds", "Since the last snapshot.", ("model",), registry=self.registry)
        self._unsaved = Gauge("tacit_events_since_snapshot", "Events to replay.", ("model",), registry=self.registry)
        self._error = Gauge(
            "tacit_running_error", "Mean absolute error of predictions.", ("model",), registry=self.registry
        )

    def text(self, served: Mapping[str, "Served"], writer: "Writer") -> bytes:
        """The page that Prometheus reads."""
        self._waiting.set(writer.waiting)
        for name, one in served.items():
            self._sequence.labels(name).set(one.sequence)
            self._refused.labels(name).set(one.refused)
            self._age.labels(name).set(time.monotonic() - one.saved_at)
            self._unsaved.labels(name).set(one.sequence - one.saved)
            error = one.state.learner.running_error() if one.state.learner is not None else None
            if error is not None:
                self._error.labels(name).set(error)
        return generate_latest(self.registry)
