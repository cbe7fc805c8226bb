"""Rating streams with nothing to tune: many settings learn side by side and Hedge weighs them (NN-APA(m))."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.growing_ids import GrowingIds
from tacit.errors import InputError
from tacit.estimators.stream.rating_stream import average_share, check_forgetting, check_setting
from tacit.estimators.stream.streaming import StreamingModel
from tacit.estimators.stream.table import EXPERT
from tacit.solvers import hedge
from tacit.solvers.passive_aggressive import Rules, Setting, Stream

Array = NDArray[Any]


class ExpertRatingStream(StreamingModel):
    """A weighted vote of many ``RatingStream`` settings, weighed by how well each has predicted so far.

        r̂ = Σ_s w_s ⟨u_s, v_s⟩,     w_s ∝ w_s β^{ℓ_s},     expert s learns with probability (1 − ρ) w_s / max w + ρ

    (Eq. 12–17 of the paper that ``RatingStream`` names.) C, δ and ε of the experts are stated for ratings up to 5 and
    follow the largest rating seen, so the same experts serve stars, percentages and thousands.

    Parameters
    ----------
    experts : settings as mappings of ``RatingStream``'s parameters; "paper" for the paper's grid of fifteen, C in
        {0.01, 0.05, 0.4, 0.8, 5} × k in {5, 10, 15}; None adds three experts with biases to it
    combine : "hedge", or "uniform" for equal weights with every expert learning (the paper's NN-APA(u))
    beta : β, how quickly the loss of an expert costs it weight
    exploration : ρ, the least probability with which an expert learns from a rating
    cold_start : as in ``RatingStream``
    forgetting : φ in (0, 1]; below 1 the weights return towards equal, so another expert can take over after a drift
    clip, random_state : as in ``RatingStream``

    Attributes
    ----------
    weights_ : current weights of the experts
    weights_history_ : (ratings taken in, weights) over time, at most 512 records
    experts_ : the settings in the order of ``weights_``

    >>> model = ExpertRatingStream(clip=(1, 5))
    >>> model.partial_fit(["ann", "bob", "ann"], ["tea", "tea", "rye"], [5, 4, 1]).weights_.shape
    (18,)
    """

    _schema = EXPERT

    def __init__(
        self,
        experts: Sequence[Mapping[str, Any]] | Literal["paper"] | None = None,
        *,
        combine: Literal["hedge", "uniform"] = "hedge",
        beta: float = 0.999,
        exploration: float = 0.1,
        cold_start: Literal["average", "random"] = "average",
        forgetting: float = 1.0,
        clip: tuple[float, float] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.experts = experts
        self.combine = combine
        self.beta = beta
        self.exploration = exploration
        self.cold_start = cold_start
        self.forgetting = forgetting
        self.clip = clip
        self.random_state = random_state

    def learn_one(self, user: Hashable, item: Hashable, y: float, x: object = None) -> None:
        """Take in one rating. ``x`` is river's place for context, which this model does not use."""
        super().learn_one(user, item, y)
        if self._record.is_due(self.stream_.n_seen):
            self._record.add(self.stream_.n_seen, self.stream_.weights)

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Current weights of the experts; they sum to 1."""
        return self.stream_.weights

    @property
    def weights_history_(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """After how many ratings, and the weights (records, experts) at that time."""
        return self._record.n_seen.copy(), self._record.weights.copy()

    @property
    def experts_(self) -> tuple[Setting, ...]:
        """The settings, in the order of ``weights_``."""
        return self.stream_.settings

    def _settings(self) -> list[Setting]:
        if isinstance(self.experts, str) and self.experts != "paper":
            raise InputError(f"experts must be 'paper', None or a list of settings, not {self.experts!r}.")
        if self.experts is None:
            settings = [*hedge.PAPER, *hedge.BIASED]
        else:
            settings = hedge.as_settings(hedge.PAPER if isinstance(self.experts, str) else self.experts)
        for setting in settings:
            check_setting(setting)
        return settings

    def _rules(self, seed: int) -> Rules:
        checks.choice("combine", self.combine, ("hedge", "uniform"))
        if not 0 < checks.number("beta", self.beta) < 1:
            raise InputError(f"beta must lie between 0 and 1 (close to 1 is slow to judge), not {self.beta!r}.")
        if not 0 <= checks.number("exploration", self.exploration) <= 1:
            raise InputError(f"exploration is a probability from 0 to 1, not {self.exploration!r}.")
        check_forgetting(self.forgetting)
        return Rules(
            seed=seed,
            average=average_share(self.cold_start),
            reference=hedge.REFERENCE,
            eta=-math.log(self.beta),
            exploration=self.exploration,
            uniform=self.combine == "uniform",
            forgetting=self.forgetting,
        )

    def _attach(self, stream: Stream, users: GrowingIds, items: GrowingIds) -> None:
        super()._attach(stream, users, items)
        self._record = hedge.WeightRecord(stream.experts)

    def _advance(self, users: Array, items: Array, ratings: Array) -> NDArray[np.float64]:
        # Cut where a record of the weights is due, so that the record is that of one rating at a time.
        predictions = np.empty(len(ratings))
        done = 0
        while done < len(ratings):
            stop = min(done + self._record.until_next(self.stream_.n_seen), len(ratings))
            predictions[done:stop] = self.stream_.run(users[done:stop], items[done:stop], ratings[done:stop])
            self._record.add(self.stream_.n_seen, self.stream_.weights)
            done = stop
        return predictions

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = super()._state()
        parts |= {"record.n_seen": self._record.n_seen, "record.weights": self._record.weights}
        return facts | {"interval": self._record.interval}, parts

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        super()._restore(facts, parts)
        self._record.restore(facts["interval"], parts["record.n_seen"], parts["record.weights"])
