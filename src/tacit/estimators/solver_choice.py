"""Which solver trains a model, and which combinations are not sound, each with its reason."""

from typing import TYPE_CHECKING, Any

from tacit import checks
from tacit.data.interactions import Interactions
from tacit.errors import UnsoundCombinationError
from tacit.objective import losses
from tacit.solvers.alternation import Solver
from tacit.solvers.conjugate import Alternating
from tacit.solvers.descent import Adagrad, Gradient, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

SOLVERS = ("auto", "als", "newton", "newton_linesearch", "linesearch", "adagrad", "gradient")
PROJECTING = ("adagrad", "gradient")
"""Solvers whose steps can be projected onto non-negative parameters."""

CONTEXT_MODELS = ("additive", "pairwise", "product")

ITERATIONS = {"als": 10, "newton": 10, "newton_linesearch": 10, "linesearch": 100, "adagrad": 200, "gradient": 200}
"""Iterations when the caller gives none: a solve is worth many gradient steps."""


def choose(model: "FactorRecommender", data: Interactions) -> str:
    """The name of the solver that ``auto`` stands for, or one sentence on why the one asked for cannot do it."""
    solver = checks.choice("solver", model.solver, SOLVERS)
    loss = losses.resolve(model.loss)
    if solver == "auto":
        solver = "adagrad" if model.nonnegative else "als" if loss.has_majoriser else "newton"
    if model.nonnegative and solver not in PROJECTING:
        raise UnsoundCombinationError(
            f"nonnegative=True needs steps that can be projected, and solver={solver!r} has none; use solver='adagrad'."
        )
    if solver == "als" and not loss.has_majoriser:
        raise UnsoundCombinationError(
            f"solver='als' needs a quadratic above the loss, but loss {loss.name!r} states no curvature_bound; "
            "give one, or use solver='newton'."
        )
    if checks.choice("context_model", model.context_model, CONTEXT_MODELS) != "additive" and data.context_ids:
        _check_tensor(model, data)
    return solver


def _check_tensor(model: "FactorRecommender", data: Interactions) -> None:
    reason = None
    if len(data.context_ids) > 1:
        reason = f"is for one context, and there are {len(data.context_ids)}"
    elif data.row_features is not None:
        reason = "multiplies a row's own factor by its context's, so row_features have no place in it"
    elif model.biases:
        reason = "has no biases"
    if reason is not None:
        raise UnsoundCombinationError(f"context_model={model.context_model!r} {reason}; use context_model='additive'.")


def make(name: str, model: "FactorRecommender") -> Solver:
    """The solver of that name with the model's settings."""
    rate: Any = checks.number("learning_rate", model.learning_rate, above=0.0)
    solvers: dict[str, Any] = {
        "als": Alternating,
        "newton": TrustRegion,
        "newton_linesearch": TruncatedNewton,
        "linesearch": LineSearch,
        "adagrad": lambda: Adagrad(rate, nonnegative=model.nonnegative),
        "gradient": lambda: Gradient(rate, nonnegative=model.nonnegative),
    }
    solver: Solver = solvers[name]()
    return solver
