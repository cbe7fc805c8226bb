"""What the watching page shows: errors of streams beside baselines, experts' weights, health, latencies, snapshots."""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tacit.service.learners import StreamLearner
from tacit.service.service import Service


def watched(service: Service) -> dict[str, Any]:
    """The whole state, as the page draws it."""
    assert service.writer is not None
    return {
        "ready": service.ready and service.writer.alive,
        "waiting": service.writer.waiting,
        "time": time.time(),
        "latencies": latencies(service),
        "models": [_model(one) for one in service.served.values()],
    }


def _model(served: Any) -> dict[str, Any]:
    learner = served.state.learner
    return {
        "name": served.name,
        "kind": type(served.state.model).__name__,
        "sequence": served.sequence,
        "refused": served.refused,
        "snapshot": served.saved,
        "snapshot_age": time.monotonic() - served.saved_at,
        "stream": _stream(served, learner) if isinstance(learner, StreamLearner) else None,
    }


def _stream(served: Any, learner: StreamLearner) -> dict[str, Any]:
    record = learner.record
    weights = getattr(served.state.model, "weights_", None)
    return {
        "count": record.count,
        "errors": record.running(),
        "curve": list(record.curve),
        "recent": record.recent(),
        "drift": record.drift(),
        "weights": None if weights is None else weights.tolist(),
        "experts": None if weights is None else told_apart(served.state.model.experts_),
    }


def told_apart(experts: Sequence[Any]) -> list[str]:
    """Experts by those of their settings in which they differ."""
    settings = [asdict(one) for one in experts]
    differing = [name for name in settings[0] if len({str(one[name]) for one in settings}) > 1]
    return [", ".join(f"{name} {one[name]}" for name in differing) or "the only one" for one in settings]


def latencies(service: Service) -> list[dict[str, Any]]:
    """Requests of each route with the median and the 99th percentile, as far as the histogram's steps tell."""
    by_route: dict[str, dict[float, float]] = {}
    for (route, _), times in service.measures.tallies.times.items():
        steps = by_route.setdefault(route, {})
        for most, count in times.up_to():
            steps[most] = steps.get(most, 0.0) + count
    return [
        {"route": route, "count": int(steps[math.inf]), "median": _quantile(steps, 0.5), "p99": _quantile(steps, 0.99)}
        for route, steps in sorted(by_route.items())
    ]


def _quantile(steps: dict[float, float], share: float) -> float | None:
    """The smallest step at or below which this share of requests lies; None beyond the last one.

    >>> _quantile({0.1: 5.0, 0.2: 9.0, math.inf: 10.0}, 0.5), _quantile({0.1: 5.0, math.inf: 10.0}, 0.9)
    (0.1, None)
    """
    total = steps[math.inf]
    step = next(most for most in sorted(steps) if steps[most] >= share * total)
    return step if math.isfinite(step) else None
