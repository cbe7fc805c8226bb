"""Checked, frozen parameters of a ``FactorRecommender``. Training reads these and never the estimator."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.errors import InputError
from tacit.objective import losses, recipes
from tacit.objective.default_exponents import default_exponents
from tacit.objective.default_ridge import default_ridge
from tacit.objective.formulations import Unlabelled
from tacit.objective.frequencies import Frequencies
from tacit.objective.losses import Loss
from tacit.objective.recipes import Recipe
from tacit.objective.weights import PositiveWeight
from tacit.progress import Callback
from tacit.solvers import registry

Array = NDArray[Any]

CONTEXT_MODELS = ("additive", "pairwise", "product")
_OF_A_RUN = frozenset({"iterations", "patience", "threads", "progress", "callback", "checkpoint"})
"""What does not say whose checkpoint it is: more iterations of the same fit may resume it."""


@dataclass(frozen=True)
class FitSettings:
    """``FactorRecommender`` explains them; ``solver`` is a solver's name, never "auto", and ``seed`` is a number."""

    factors: int
    loss: Loss
    solver: str
    unlabelled_weight: float | None
    unlabelled_target: float
    frequency_exponent: tuple[float, float] | None
    positive_weight: PositiveWeight
    unlabelled: Unlabelled
    biases: bool
    context_model: str
    graph_weight: float
    nonnegative: bool
    learning_rate: float | None
    trust_steps: int | None
    trust_radius: float | None
    exact_rows: bool
    ids: bool
    regularization: float | tuple[float, float] | None
    ridge_exponent: float | None
    iterations: int
    tolerance: float
    held_out: float
    patience: int
    seed: int
    threads: int
    progress: bool | None
    callback: Callback | None
    checkpoint: str | os.PathLike[str] | None

    @classmethod
    def read(cls, parameters: Mapping[str, Any]) -> "FitSettings":
        """From the parameters of an estimator (``get_params``), or one sentence on the first that cannot be used."""
        given = dict(parameters)
        loss = losses.resolve(given["loss"])
        nonnegative = checks.truth("nonnegative", given["nonnegative"])
        solver = registry.resolve(given["solver"], loss, nonnegative)
        share = checks.number("held_out", given["held_out"], 0.0)
        if share >= 1:
            raise InputError(f"held_out is a share of the positives and must be below 1, not {share:g}.")
        threads.resolve(given["threads"])
        weight, sweeps = given["unlabelled_weight"], given["iterations"]
        if isinstance(weight, list | tuple | np.ndarray):
            raise InputError(
                "unlabelled_weight must be one finite number above 0; give weights of your own as row_weight and "
                "col_weight of fit."
            )
        frequency, spread = given["frequency_exponent"], given["ridge_exponent"]
        rate, steps, radius = given["learning_rate"], given["trust_steps"], given["trust_radius"]
        options = registry.Options(
            learning_rate=None if rate is None else checks.number("learning_rate", rate, above=0.0),
            trust_steps=None if steps is None else checks.integer("trust_steps", steps, 1),
            trust_radius=None if radius is None else checks.number("trust_radius", radius, above=0.0),
            nonnegative=nonnegative,
        )
        registry.require_used(solver, options)
        return cls(
            factors=checks.integer("factors", given["factors"], 1, checks.MOST_FACTORS),
            loss=loss,
            solver=solver,
            unlabelled_weight=None if weight is None else checks.number("unlabelled_weight", weight, above=0.0),
            unlabelled_target=checks.number("unlabelled_target", given["unlabelled_target"]),
            frequency_exponent=None if frequency is None else recipes.exponents(frequency),
            positive_weight=cast(
                PositiveWeight, checks.choice("positive_weight", given["positive_weight"], ("log", "value", "one"))
            ),
            unlabelled=cast(
                Unlabelled, checks.choice("unlabelled", given["unlabelled"], ("all", "sampled", "same_loss"))
            ),
            biases=checks.truth("biases", given["biases"]),
            context_model=checks.choice("context_model", given["context_model"], CONTEXT_MODELS),
            graph_weight=checks.number("graph_weight", given["graph_weight"], 0.0),
            nonnegative=nonnegative,
            learning_rate=options.learning_rate,
            trust_steps=options.trust_steps,
            trust_radius=options.trust_radius,
            exact_rows=checks.truth("exact_rows", given["exact_rows"]),
            ids=checks.truth("ids", given["ids"]),
            regularization=_ridge(given["regularization"]),
            ridge_exponent=None if spread is None else checks.exponent("ridge_exponent", spread),
            iterations=registry.SOLVERS[solver].iterations
            if sweeps is None
            else checks.integer("iterations", sweeps, 1),
            tolerance=checks.number("tolerance", given["tolerance"], 0.0),
            held_out=share,
            patience=checks.integer("patience", given["patience"], 1),
            seed=checks.seed(given["random_state"]),
            threads=given["threads"],
            progress=given["progress"],
            callback=given["callback"],
            checkpoint=given["checkpoint"],
        )

    def shaping(self) -> dict[str, Any]:
        """What shapes the result, for the fingerprint of a checkpoint."""
        shaping = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _OF_A_RUN}
        return shaping | {"loss": self.loss.name}

    def options(self) -> registry.Options:
        """Of the solver."""
        return registry.Options(
            learning_rate=self.learning_rate,
            trust_steps=self.trust_steps,
            trust_radius=self.trust_radius,
            nonnegative=self.nonnegative,
        )

    def recipe(
        self,
        positives: sp.csr_array | Frequencies,
        row_weight: Array | None = None,
        col_weight: Array | None = None,
    ) -> Recipe:
        """The recipe of the objective, measured on these positives and the weights that are given."""
        ridge, usual = self.regularization, default_exponents(positives)
        return recipes.recommend(
            positives,
            loss=self.loss if self.loss.is_custom else self.loss.name,
            positive_weight=self.positive_weight,
            unlabelled_weight=self.unlabelled_weight,
            unlabelled_target=self.unlabelled_target,
            frequency_exponent=usual.frequency if self.frequency_exponent is None else self.frequency_exponent,
            regularization=default_ridge(positives, self.factors) if ridge is None else ridge,
            ridge_exponent=usual.ridge if self.ridge_exponent is None else self.ridge_exponent,
            row_weight=row_weight,
            col_weight=col_weight,
        )


def _ridge(given: Any) -> float | tuple[float, float] | None:
    """None, one ridge for both sides, or a pair (rows, columns)."""
    if given is None:
        return None
    if isinstance(given, tuple | list):
        if len(given) != 2:
            raise InputError(f"regularization must be a number or a pair (rows, columns), not {checks.shown(given)}.")
        row, col = (checks.number("regularization", part, 0.0) for part in given)
        return row, col
    return checks.number("regularization", given, 0.0)
