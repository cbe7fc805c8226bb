"""Search over the parameters of a recommender that matter most, within a budget of seconds or trials.

A seeded (1 + 1) search. The first trial is the model as given; the next ones change only its factors or its loss. Then
some trials are drawn from the whole space, and most take a step from the best so far, with shrinking step sizes.

Every trial stops early on the same held-out positives. Its ridge is scaled up with the noise level of the smaller
training part (``objective.default_ridge.noise_level``), so that the chosen ridge suits all data. A trial with as many
factors as the best one starts from its column factors and needs only a few sweeps; its first sweeps do not count,
because they mix two settings. The same seed tries the same settings, and a larger budget only adds trials.

A budget of seconds includes the last fit on all data, estimated from the sweeps of the best trial. When time runs out,
the running trial ends after its sweep, and so does the last fit.
"""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tacit import checks, threads
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.estimators.recommend import tower_design, whole_data_fit
from tacit.estimators.recommend.factor_recommender import FactorRecommender
from tacit.estimators.recommend.joining import as_interactions
from tacit.estimators.recommend.sensitivity import Sensitivity, sensitivity
from tacit.estimators.recommend.settings import FitSettings
from tacit.objective.default_exponents import default_exponents
from tacit.objective.default_ridge import default_ridge
from tacit.objective.losses import resolve
from tacit.objective.recipes import exponents, unlabelled_total
from tacit.objective.weights import of_positives
from tacit.progress import Callback, Run
from tacit.report.notebook import html_table

Array = NDArray[Any]

SPACE: dict[str, tuple[Any, ...]] = {
    "unlabelled_share": (1.0, 60.0),
    "row_exponent": (0.0, 1.0),
    "col_exponent": (0.0, 0.6),
    "regularization": (0.03, 0.9),
    "ridge_exponent": (0.0, 1.3),
    "factors": (32, 64, 128, 256),
    "loss": ("square", "logistic"),
}
"""Ranges (numbers) and choices. ``unlabelled_share`` is the weight of all cells together over that of the positives,
in units of the loss's relative_curvature; the exponents are the pair ``frequency_exponent``. Whatever the defaults take
on any data lies within."""

LOGARITHMIC = ("unlabelled_share", "regularization")
CHOICES = ("factors", "loss")
SWEEPS, PATIENCE = 16, 2
MIXED = 3
"""Sweeps of a warm start in which the columns still are those of another setting: a ridge far too weak looks good with
columns that a stronger one made."""

SETTLING = 10
"""Sweeps of the last fit at least, where it starts from columns that do not know the held-out positives."""

FRESH, SWITCH = 0.1, 0.15
"""Share of trials drawn from the whole space, and of steps that take the next choice."""

WIDTH = 0.12
"""Length of the first steps, as a share of each range."""


class BudgetWarning(UserWarning):
    """The budget of a search was too small to try anything but its start."""


@dataclass(frozen=True)
class Tuned:
    """What a search found.

    model : fitted on all data with the best parameters
    best : those parameters
    score : NDCG@10 of the best trial on the held-out positives
    table : one record per trial, in the order they were made
    sensitivity : parameter → how the score moved with it among trials near the best
    """

    model: FactorRecommender
    best: dict[str, Any]
    score: float
    table: list[dict[str, Any]]
    sensitivity: dict[str, Sensitivity]

    def _repr_html_(self) -> str:
        rows = [[name, value] for name, value in self.best.items()]
        return html_table(["parameter", "best"], rows, f"NDCG@10 {self.score:.4f}, best of {len(self.table)} trials")

    def to_polars(self) -> Any:
        import polars as pl

        return pl.DataFrame(self.table)


def tune(
    interactions: Any,
    *,
    seconds: float | None = None,
    trials: int | None = None,
    model: FactorRecommender | None = None,
    fixed: tuple[str, ...] = (),
    held_out: float = 0.1,
    seed: Any = 0,
    progress: bool | None = None,
    callback: Callback | None = None,
) -> Tuned:
    """The best ``FactorRecommender`` that a budget finds.

    Parameters
    ----------
    interactions : ``Interactions`` (with features and graphs, if any) or a sparse matrix of positives
    seconds, trials : the budget, the last fit on all data included; at least one of them
    model : where the search starts, and what it leaves alone
    fixed : names out of ``SPACE`` that stay as they are in ``model``
    held_out : share of the positives on which trials are compared; more of them, and what is best for the rest is no
        longer best for all

    >>> positives = np.kron(np.eye(3), np.ones((8, 6)))
    >>> found = tune(positives, trials=2, fixed=("factors",), model=FactorRecommender(factors=4), progress=False)
    >>> len(found.table), found.model.factors
    (2, 4)
    """
    if seconds is None and trials is None:
        raise InputError("tune needs a budget: seconds=..., trials=..., or both.")
    for name in fixed:
        checks.choice("fixed", name, tuple(SPACE))
    limit = checks.integer("trials", trials, 1) if trials is not None else 10_000
    budget = checks.number("seconds", seconds, above=0.0) if seconds is not None else np.inf
    data = as_interactions(interactions)
    seed = checks.seed(seed, "seed")
    began = time.perf_counter()
    share = checks.number("held_out", held_out, above=0.0)
    search = _Search(data, model or FactorRecommender(), fixed, share, seed, began + budget)
    with Run("tune", limit, progress=progress, callback=callback) as run, threads.single_threaded_blas():
        for _ in run.iterations():
            if not search.trial():
                break
            run.report(**search.table[-1])
            if search.is_late(search.table[-1]["seconds"]):
                run.stop()
    taken = search.table[0]["seconds"]
    if len(search.table) == 1 and limit > 1 and search.is_late(taken):
        warnings.warn(
            f"tune tried nothing but its start, whose trial took {taken:.1f} of {budget:g} seconds; "
            f"give seconds={np.ceil(20 * taken):g} or more, or trials=20, to search.",
            BudgetWarning,
            stacklevel=2,
        )
    return search.finish()


class _Search:
    def __init__(
        self,
        data: Interactions,
        model: FactorRecommender,
        fixed: tuple[str, ...],
        held_out: float,
        seed: int,
        deadline: float,
    ) -> None:
        self.data, self.model, self.held_out, self.seed, self.deadline = data, model, held_out, seed, deadline
        self.free = [name for name in SPACE if name not in fixed]
        self.rng = np.random.default_rng(seed)
        self.table: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}
        self.per_sweep = 0.0
        """Seconds of a sweep of the best trial, everything around it included."""
        self.columns: Array | None = None
        self.plain = tower_design.is_plain(model.biases, data)
        mass = of_positives(data.matrix.data, model.positive_weight).astype(np.float64).sum()
        self.unit = float(mass) / (data.shape[0] * data.shape[1])
        """Weight per cell at which all cells together weigh as much as the positives."""

    def trial(self) -> bool:
        """Try one more setting; False when it was interrupted before it could be evaluated."""
        setting = self._first() if not self.table else self._next()
        began = time.perf_counter()
        built, start = self._build(setting), self._start(setting)
        mixed = 0 if start is None else MIXED
        model = built.set_params(
            regularization=built.regularization / np.sqrt(1 - self.held_out),
            held_out=self.held_out,
            patience=PATIENCE,
            tolerance=0.0,
            random_state=self.seed,
            progress=False,
            callback=self._stop_in_time(began),
        )
        settings = replace(FitSettings.read(model.get_params(deep=False)), iterations=SWEEPS)
        fitted = whole_data_fit.fit(settings, self.data, start=start, unsettled=mixed)
        scores = [record["held_out_ndcg"] for record in fitted.history][mixed:]
        if not scores:
            return False
        record = {
            **setting,
            "score": max(scores),
            "sweeps": mixed + int(np.argmax(scores)) + 1,
            "warm": start is not None,
            "seconds": time.perf_counter() - began,
        }
        self.table.append(record)
        if not self.best or record["score"] > self.best["score"]:
            self.best = record
            self.per_sweep = record["seconds"] / len(fitted.history)
            # Columns alone: rows are solved first, and these were solved on the held-out positives too.
            self.columns = fitted.learned.col_factors.copy() if fitted.solver == "als" and self.plain else None
        return True

    def is_late(self, seconds: float = 0.0) -> bool:
        """Whether nothing but the last fit fits into the time that is left after so many seconds."""
        last = self.per_sweep * (self._last_sweeps() + 1)
        return time.perf_counter() + seconds + last > self.deadline

    def _stop_in_time(self, began: float) -> Callback:
        def stop(record: Mapping[str, Any]) -> bool:
            # The first trial decides how long the last fit will be: as long as itself.
            first = 0.0 if self.best else time.perf_counter() - began
            return self.is_late(first)

        return stop

    def _last_sweeps(self) -> int:
        """Sweeps of the last fit, if it were made of the best trial so far."""
        if not self.best:
            return 0
        own: int = self.best["sweeps"]
        return own if self._start(self.best) is None else max(own, SETTLING)

    def finish(self) -> Tuned:
        """The best setting on all data, from where its trial ended, for as many sweeps as it took or ``SETTLING``."""
        setting = {name: self.best[name] for name in SPACE}
        model, callback = self._build(setting), self.model.callback

        def stop(record: Mapping[str, Any]) -> bool:
            asked = callback is not None and bool(callback(record))
            return asked or time.perf_counter() + self.per_sweep > self.deadline

        settings = FitSettings.read(model.get_params(deep=False))
        settings = replace(settings, iterations=self._last_sweeps(), callback=stop)
        model.adopt(self.data, whole_data_fit.fit(settings, self.data, start=self._start(setting)))
        return Tuned(model, setting, self.best["score"], self.table, sensitivity(self.table, setting, _position))

    def _start(self, setting: dict[str, Any]) -> tuple[Array, Array] | None:
        if self.columns is None or self.columns.shape[1] != setting["factors"]:
            return None
        return np.zeros((self.data.shape[0], self.columns.shape[1]), np.float32), self.columns.copy()

    def _build(self, setting: dict[str, Any]) -> FactorRecommender:
        parameters = {name: setting[name] for name in ("regularization", "ridge_exponent", "factors", "loss")}
        parameters["frequency_exponent"] = (setting["row_exponent"], setting["col_exponent"])
        weight = setting["unlabelled_share"] * self.unit * resolve(setting["loss"]).relative_curvature
        built: FactorRecommender = clone(self.model)
        built.set_params(unlabelled_weight=weight, checkpoint=None, **parameters)
        return built

    def _first(self) -> dict[str, Any]:
        weight = self.model.unlabelled_weight
        curvature = resolve(self.model.loss).relative_curvature
        share = unlabelled_total(self.data.matrix) if weight is None else weight / (self.unit * curvature)
        usual, frequency = default_exponents(self.data.matrix), self.model.frequency_exponent
        row_exponent, col_exponent = usual.frequency if frequency is None else exponents(frequency)
        names = ("regularization", "ridge_exponent", "factors", "loss")
        given = {name: getattr(self.model, name) for name in names}
        if given["regularization"] is None:
            given["regularization"] = default_ridge(self.data.matrix, self.model.factors)
        if given["ridge_exponent"] is None:
            given["ridge_exponent"] = usual.ridge
        return {"unlabelled_share": share, "row_exponent": row_exponent, "col_exponent": col_exponent, **given}

    def _next(self) -> dict[str, Any]:
        """One change alone at first; then a draw from the whole space, or a step from the best so far."""
        setting = {name: self.best[name] for name in SPACE}
        probes = [{name: self._neighbour(name, self.table[0][name], 1.0)} for name in CHOICES if name in self.free]
        if len(self.table) <= len(probes):
            return setting | probes[len(self.table) - 1]
        fresh = self.rng.random() < FRESH
        width = WIDTH / np.sqrt(1 + len(self.table) / 20)
        for name in self.free:
            draw, step, switch = self.rng.random(), self.rng.standard_normal(), self.rng.random()
            if name in CHOICES:
                if fresh or switch < SWITCH:
                    setting[name] = self._neighbour(name, setting[name], step)
                continue
            here = _position(name, setting[name])
            assert here is not None
            there = float(np.clip(draw if fresh else here + width * step, 0.0, 1.0))
            low, high = np.log(SPACE[name]) if name in LOGARITHMIC else SPACE[name]
            at = float(low + there * (high - low))
            setting[name] = float(np.exp(at)) if name in LOGARITHMIC else at
        return setting

    @staticmethod
    def _neighbour(name: str, choice: Any, step: float) -> Any:
        """The next choice up or down; one that is not listed counts as the nearest below."""
        listed = SPACE[name]
        at = listed.index(choice) if choice in listed else sum(other < choice for other in listed) - 1
        return listed[int(np.clip(at + (1 if step > 0 else -1), 0, len(listed) - 1))]


def _position(name: str, value: Any) -> float | None:
    """Where a number lies in its range, 0 to 1 (beyond them outside it); None for a choice."""
    if name in CHOICES:
        return None
    low, high, at = np.log([*SPACE[name], value]) if name in LOGARITHMIC else (*SPACE[name], value)
    return float((at - low) / (high - low))
