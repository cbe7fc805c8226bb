"""ExpertRatingStream: many settings learn side by side, and Hedge weighs their predictions (NN-APA(m)).

Nothing has to be tuned.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.stream.rating_stream import average_share, check_forgetting, check_setting
from tacit.estimators.stream.streaming import Clip, StreamingModel
from tacit.estimators.stream.tables import EXPERT
from tacit.solvers import hedge
from tacit.solvers.passive_aggressive import AIMS, Aim, Rules, Setting


class ExpertRatingStream(StreamingModel):
    """A weighted vote of many ``RatingStream`` settings, weighed by how well each has predicted so far.

        r̂ = Σ_s w_s r̂_s,     w_s ∝ w_s β^{ℓ_s},     expert s learns with probability (1 − ρ) w_s / max w + ρ

    (Eq. 12–17 of the paper that ``RatingStream`` names.) Losses, and C, δ and ε of experts without running means, are
    stated for ratings up to 5 and follow the largest rating seen, so the same experts serve stars, percentages and
    thousands.

    Parameters
    ----------
    experts : settings as mappings of ``RatingStream``'s parameters; None for six that share running means, with factors
        of different lengths and step sizes; "paper" for the paper's grid of fifteen, C in {0.01, 0.05, 0.4, 0.8, 5} × k
        in {5, 10, 15}, or "paper medium" for C in {0.02, 0.1, 0.8, 1.6, 10} × k in {10, 15, 20}
    combine : "hedge", or "uniform" for equal weights with every expert learning (the paper's NN-APA(u))
    beta : β, how quickly the loss of an expert costs it weight
    exploration : ρ, the least probability with which an expert learns from a rating; None lets all of the default ones
        learn from every rating, and takes 0.1 for others
    shrinkage, cold_start : as in ``RatingStream``
    forgetting : φ in (0, 1]; below 1 the weights return towards equal, so another expert can take over after a drift
    aim, clip, random_state : as in ``RatingStream``

    Attributes
    ----------
    weights_ : current weights of the experts
    weights_history_ : (ratings taken in, weights) over time, at most 512 records
    experts_ : the settings in the order of ``weights_``

    >>> model = ExpertRatingStream()
    >>> model.partial_fit(["ann", "bob", "ann"], ["tea", "tea", "rye"], [5, 4, 1]).weights_.shape
    (6,)
    """

    _schema = EXPERT

    def __init__(
        self,
        experts: Sequence[Mapping[str, Any]] | Literal["paper", "paper medium"] | None = None,
        *,
        combine: Literal["hedge", "uniform"] = "hedge",
        beta: float = 0.999,
        exploration: float | None = None,
        shrinkage: float = 2.0,
        cold_start: Literal["average", "random"] = "average",
        forgetting: float = 1.0,
        aim: Aim = "median",
        clip: Clip = "seen",
        random_state: Any = 0,
    ) -> None:
        self.experts = experts
        self.combine = combine
        self.beta = beta
        self.exploration = exploration
        self.shrinkage = shrinkage
        self.cold_start = cold_start
        self.forgetting = forgetting
        self.aim = aim
        self.clip = clip
        self.random_state = random_state

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Current weights of the experts; they sum to 1."""
        state = self.state_
        with state.lock.reading:
            return state.stream.weights

    @property
    def weights_history_(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """After how many ratings, and the weights (records, experts) at that time."""
        state = self.state_
        with state.lock.reading:
            record = state.stream.record
            assert record is not None
            return record.n_seen.copy(), record.weights.copy()

    @property
    def experts_(self) -> tuple[Setting, ...]:
        """The settings, in the order of ``weights_``."""
        return self.stream_.settings

    def settings(self) -> list[Setting]:
        experts: Sequence[Mapping[str, Any] | Setting]
        if isinstance(self.experts, str):
            experts = hedge.PRESETS[checks.choice("experts (when it is text)", self.experts, tuple(hedge.PRESETS))]
        else:
            experts = hedge.DEFAULT if self.experts is None else self.experts
        settings = hedge.as_settings(experts)
        for setting in settings:
            check_setting(setting)
        return settings

    def require_used(self, settings: list[Setting]) -> None:
        needs.require_used_experts(settings)
        means = [setting.biases == "means" for setting in settings]
        needs.require_used(self, with_means=any(means), without_means=not all(means))

    def _have_means(self) -> bool:
        return any(setting.biases == "means" for setting in self.settings())

    def rules(self, seed: int) -> Rules:
        checks.choice("combine", self.combine, ("hedge", "uniform"))
        if not 0 < checks.number("beta", self.beta) < 1:
            raise InputError(f"beta must lie between 0 and 1 (near 1 the weights change slowly), not {self.beta!r}.")
        exploration = self.exploration
        if exploration is None:
            exploration = 1.0 if self.experts is None else 0.1
        if not 0 <= checks.number("exploration", exploration) <= 1:
            raise InputError(f"exploration is a probability from 0 to 1, not {exploration!r}.")
        check_forgetting(self.forgetting)
        return Rules(
            seed=seed,
            average=average_share(self.cold_start),
            reference=hedge.REFERENCE,
            eta=-math.log(self.beta),
            exploration=exploration,
            uniform=self.combine == "uniform",
            forgetting=self.forgetting,
            shrinkage=checks.number("shrinkage", self.shrinkage, 0.0),
            in_range=self.clip == "seen",
            middle=checks.choice("aim", self.aim, AIMS) == "median" and self._have_means(),
        )
