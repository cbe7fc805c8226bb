"""Every method at its best: the same number of trials for each, parameters and iterations chosen on a validation part.

A method's parameters are tried one after the other, each from the best of those before it: ``stages`` lists them with
their values. A trial trains as long as the validation score rises; how long that was is chosen with the rest. The test
part is looked at once, by the model with the best parameters, trained on all of the training part for as many
iterations.
"""

import contextlib
import itertools
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.papers.engine_sets import Task
from tacit import FactorRecommender, Interactions
from tacit.errors import DivergedError
from tacit.estimators.recommend.tower_design import rows_of
from tacit.objective.default_ridge import noise_level

PATIENCE = 2
"""Looks without a better score after which a trial ends."""

LOOKS = 8
"""Times that a stochastic method's trial is looked at."""

Point = dict[str, Any]
Stages = dict[str, list[Any]]
Watch = Callable[[int, Any], bool]
"""(iterations so far, model) → whether to end."""

Train = Callable[[Point, Interactions, int | None, Watch], Any]
"""(parameters, data, iterations or None for the most, watch) → model."""


@dataclass
class Search:
    """One method's trials on one task."""

    task: Task
    train: Train
    tried: dict[str, tuple[float, int]] = field(default_factory=dict)

    def best(self, start: Point, stages: Stages) -> tuple[Point, int, float]:
        """Parameters and iterations with the best validation score, and that score."""
        point = start
        for name, values in stages.items():
            points = [point | {name: value} for value in values]
            point = max(points, key=lambda candidate: self.trial(candidate)[0])
        score, iterations = self.trial(point)
        return point, iterations, score

    def trial(self, point: Point) -> tuple[float, int]:
        """Best validation score of one point, and after how many iterations; made once."""
        key = repr(sorted(point.items()))
        if key not in self.tried:
            self.tried[key] = self._train(point)
        return self.tried[key]

    def _train(self, point: Point) -> tuple[float, int]:
        seen: list[tuple[float, int]] = []

        def watch(iterations: int, model: Any) -> bool:
            figures = self.task.score(model, self.task.part, self.task.validation)
            seen.append((next(iter(figures.values())), iterations))
            return max(seen) not in seen[-PATIENCE:]

        with contextlib.suppress(DivergedError):
            self.train(point, self.task.part, None, watch)
        return max(seen, default=(-1.0, 1))


def at_its_best(task: Task, train: Train, start: Point, stages: Stages) -> dict[str, Any]:
    """Test figures of the best of all trials, its parameters and iterations, and the seconds of that last training."""
    search = Search(task, train)
    point, iterations, score = search.best(start, stages)
    began = time.perf_counter()
    model = train(point, task.train, iterations, lambda *_: False)
    seconds = time.perf_counter() - began
    return {
        **{name: round(value, 4) for name, value in task.score(model, task.train, task.test).items()},
        "seconds": round(seconds, 2),
        "parameters": point | {"iterations": iterations},
        "validation": round(score, 4),
        "trials": len(search.tried),
    }


def sampled(kind: Any, epochs: int, **given: Any) -> Train:
    """A baseline with sampled negatives, looked at ``LOOKS`` times on its way."""
    every = max(1, epochs // LOOKS)

    def train(point: Point, data: Interactions, iterations: int | None, watch: Watch) -> Any:
        count = itertools.count(1)

        def look(model: Any) -> bool:
            epoch = next(count)
            return epoch % every == 0 and watch(epoch, model)

        return kind(**given, **point, epochs=iterations or epochs).fit(data, callback=look)

    return train


def whole_data(looks: tuple[int, ...], **given: Any) -> Train:
    """A ``FactorRecommender``, looked at after so many iterations; it goes on from its checkpoint.

    ``unlabelled_total`` is the weight of all cells together over that of the positives, which carries over from the
    smaller part to the whole, and ``noise`` is the ridge in units of the data's noise, which carries over too.
    """

    def train(point: Point, data: Interactions, iterations: int | None, watch: Watch) -> Any:
        parameters = _in_units_of(data, given | point)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fit"
            for count in looks if iterations is None else (iterations,):
                model = FactorRecommender(**parameters, iterations=count, checkpoint=file, progress=False).fit(data)
                if watch(count, model):
                    break
        return model

    return train


def once(make: Callable[..., Any]) -> Train:
    """A method without iterations."""

    def train(point: Point, data: Interactions, _iterations: int | None, watch: Watch) -> Any:
        model = make(**point).fit(data)
        watch(1, model)
        return model

    return train


def _in_units_of(data: Interactions, point: Point) -> Point:
    positives = rows_of(data, data.matrix).positives
    point = dict(point)
    if (total := point.pop("unlabelled_total", None)) is not None:
        point["unlabelled_weight"] = total * positives.nnz / (positives.shape[0] * positives.shape[1])
    if (strength := point.pop("noise", None)) is not None:
        point["regularization"] = strength * noise_level(positives)
    return point
