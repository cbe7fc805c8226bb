"""Online matrix factorization of ratings by adaptive passive-aggressive updates (NN-APA), beside running means."""

from typing import Any, Literal, Self

from tacit import checks
from tacit.errors import InputError
from tacit.estimators import needs
from tacit.estimators.stream.streaming import Clip, StreamingModel
from tacit.estimators.stream.tables import RATING
from tacit.solvers.passive_aggressive import (
    AIMS,
    AVERAGE_SHARE,
    VARIANTS,
    Adaptation,
    Aim,
    Biases,
    Rules,
    Setting,
    Variant,
)


class RatingStream(StreamingModel):
    """Biases and factors of users and items that follow a stream of ratings.

    A rating r of item j by user i is predicted as mean + b_i + b_j + σ ⟨u_i, v_j⟩. Mean, deviation σ and biases are
    running ones (``kernels/running_means.py``). When a rating comes, both vectors move as little as possible (in the
    norm of the gradients gathered so far) towards explaining what the biases leave of it:

        u ← u + τ sgn(e) G⁻¹ v,     G = (δI + Σ v vᵀ)^{1/2},     τ = ℓ / (‖v‖²_{G⁻¹} + 1/(2C)),     ℓ = |e|

    and the same for v with the old u (Liu, Hoi, Zhao, Sun & Lim, CIKM 2016, doi:10.1145/2983323.2983786, Eq. 4–11).
    ``RatingStream.paper()`` is that paper's own model: ⟨u_i, v_j⟩ alone, of non-negative factors.

    Parameters
    ----------
    factors : k; 0 is a model of biases alone
    biases : "means" for shrunk running means; "learned" for biases that the passive-aggressive update moves as one more
        coordinate; None for none
    shrinkage : κ, in units of ratings: how long a running mean of one user or item is drawn towards that of all
    variant : "PA" satisfies every rating exactly, "PA-I" and "PA-II" bound the step through ``aggressiveness``
    adaptation : "diagonal" or "full" G, or None for G = I, the plain passive-aggressive method (NN-PA)
    aggressiveness : C, how far one rating may move the vectors
    delta : δ, what G starts from
    epsilon : ε, errors up to which nothing is learned
    nonnegative : keep the factors at or above zero, so that they read as topics
    projection : how the full G returns to u ≥ 0: "exact" in the norm of G (Eq. 9), or "plain" max(0, ·)
    cold_start : without running means, "average" starts a new user or item near the average of those known; "random" as
        the paper does
    start : beside running means the size of an item's first factors; otherwise the first prediction to expect, as a
        share of the largest rating seen; None picks one
    forgetting : φ in (0, 1]; below 1 old gradients fade (H ← φH + v vᵀ), so steps stay large and follow drift
    aim : beside running means, what a prediction is of the ratings to expect: their "median", which has the least
        absolute error, or their "mean", which has the least squared one
    clip : what predictions are cut to: "seen", the range of the ratings so far; (lowest, highest); or None
    random_state : seed of the start

    Attributes
    ----------
    user_ids_, item_ids_ : everybody seen so far, in order of arrival
    n_ratings_ : ratings taken in

    >>> model = RatingStream()
    >>> for user, item, rating in [("ann", "tea", 5), ("bob", "tea", 4), ("ann", "rye", 1)]:
    ...     model.learn_one(user, item, rating)
    >>> model.predict_one("bob", "tea") > model.predict_one("bob", "rye")
    True
    """

    _schema = RATING

    def __init__(
        self,
        factors: int = 20,
        *,
        biases: Biases | None = "means",
        shrinkage: float = 2.0,
        variant: Variant = "PA-II",
        adaptation: Adaptation | None = "diagonal",
        aggressiveness: float = 0.1,
        delta: float = 0.2,
        epsilon: float = 0.0,
        nonnegative: bool = False,
        projection: Literal["exact", "plain"] = "exact",
        cold_start: Literal["average", "random"] = "average",
        start: float | None = None,
        forgetting: float = 1.0,
        aim: Aim = "median",
        clip: Clip = "seen",
        random_state: Any = 0,
    ) -> None:
        self.factors = factors
        self.biases = biases
        self.shrinkage = shrinkage
        self.variant = variant
        self.adaptation = adaptation
        self.aggressiveness = aggressiveness
        self.delta = delta
        self.epsilon = epsilon
        self.nonnegative = nonnegative
        self.projection = projection
        self.cold_start = cold_start
        self.start = start
        self.forgetting = forgetting
        self.aim = aim
        self.clip = clip
        self.random_state = random_state

    @classmethod
    def paper(cls, factors: int = 10, **changed: Any) -> Self:
        """The paper's NN-APA: non-negative factors without biases from a random start, predictions as they are.

        >>> RatingStream.paper(5, adaptation="full").biases is None
        True
        """
        chosen: dict[str, Any] = {
            "biases": None, "nonnegative": True, "aggressiveness": 0.05, "delta": 0.05, "cold_start": "random",
            "clip": None,
        }  # fmt: skip
        # Beside what is changed some of it may have no use: δ without adaptation, C of the variant PA.
        idle = needs.unused(cls(factors, **chosen | changed))
        return cls(factors, **{name: value for name, value in chosen.items() if name not in idle} | changed)

    def settings(self) -> list[Setting]:
        checks.truth("nonnegative", self.nonnegative)
        setting = Setting(
            factors=self.factors,
            variant=self.variant,
            adaptation=self.adaptation,
            nonnegative=self.nonnegative,
            projection=self.projection,
            biases=self.biases,
            aggressiveness=self.aggressiveness,
            delta=self.delta,
            epsilon=self.epsilon,
            forgetting=self.forgetting,
            start=self.start,
        )
        check_setting(setting)
        return [setting]

    def require_used(self, settings: list[Setting]) -> None:
        needs.require_used(self)

    def rules(self, seed: int) -> Rules:
        return Rules(
            seed=seed,
            average=average_share(self.cold_start),
            shrinkage=checks.number("shrinkage", self.shrinkage, 0.0),
            in_range=self.clip == "seen",
            middle=checks.choice("aim", self.aim, AIMS) == "median" and self.biases == "means",
        )


def average_share(cold_start: str) -> float:
    """The share of the average in a newcomer."""
    return AVERAGE_SHARE if checks.choice("cold_start", cold_start, ("average", "random")) == "average" else 0.0


_MOST_WITH_FULL_MATRIX = 1024
"""Every user and item then keeps a triangle of 2 MB."""


def check_setting(setting: Setting) -> None:
    """One sentence on the first parameter that cannot be used."""
    if setting.biases is not None:
        checks.choice("biases (when it is not None)", setting.biases, ("means", "learned"))
    checks.integer("factors", setting.factors, 1 if setting.biases is None else 0, checks.MOST_FACTORS)
    checks.choice("variant", setting.variant, VARIANTS)
    if setting.adaptation is not None:
        checks.choice("adaptation (when it is not None)", setting.adaptation, ("diagonal", "full"))
    checks.choice("projection", setting.projection, ("exact", "plain"))
    checks.number("aggressiveness", setting.aggressiveness, above=0)
    checks.number("delta", setting.delta, 0.0)
    if setting.adaptation == "full":
        checks.integer("factors (with adaptation='full')", setting.factors, 0, _MOST_WITH_FULL_MATRIX)
        # G = (δI + H)^{1/2} has no inverse before k independent ratings have come.
        checks.number("delta (with adaptation='full')", setting.delta, above=0)
    checks.number("epsilon", setting.epsilon, 0.0)
    if setting.start is not None:
        checks.number("start", setting.start, above=0)
    check_forgetting(setting.forgetting)


def check_forgetting(forgetting: float) -> None:
    """A factor in (0, 1]."""
    if not checks.number("forgetting", forgetting, above=0) <= 1:
        raise InputError(f"forgetting must be at most 1 (1 forgets nothing), not {forgetting!r}.")
