"""Online non-negative matrix factorization of ratings by adaptive passive-aggressive updates (NN-APA)."""

from typing import Any, Literal

from tacit import checks
from tacit.errors import InputError
from tacit.estimators.stream.streaming import StreamingModel
from tacit.estimators.stream.table import RATING
from tacit.solvers.passive_aggressive import AVERAGE_SHARE, VARIANTS, Adaptation, Rules, Setting, Variant

START = 0.3
START_WITH_BIASES = 0.02


class RatingStream(StreamingModel):
    """Factors of users and items that follow a stream of ratings.

    A rating r of item j by user i is predicted as ⟨u_i, v_j⟩; when it comes, both vectors move as little as possible
    (in the norm of the gradients gathered so far) towards explaining it:

        u ← max(0, u + τ sgn(r − ⟨u, v⟩) G⁻¹ v),     G = (δI + Σ v vᵀ)^{1/2},     τ = ℓ / (‖v‖²_{G⁻¹} + 1/(2C))

    and the same for v with the old u (Liu, Hoi, Zhao, Sun & Lim, CIKM 2016, doi:10.1145/2983323.2983786, Eq. 4–11).

    Parameters
    ----------
    factors : k; 0 with ``biases`` is a model of biases alone
    variant : "PA" satisfies every rating exactly, "PA-I" and "PA-II" bound the step through ``aggressiveness``
    adaptation : "diagonal" or "full" G, or None for G = I, the plain passive-aggressive method (NN-PA)
    aggressiveness : C, how far one rating may move the vectors
    delta : δ, what G starts from
    epsilon : ε, errors up to which nothing is learned
    nonnegative : keep the factors at or above zero, so that they read as topics
    projection : how the full G returns to u ≥ 0: "exact" in the norm of G (Eq. 9), or "plain" max(0, ·)
    biases : predict mean + b_i + b_j + ⟨u_i, v_j⟩, the biases learned by the same update
    cold_start : "average" starts a new user or item near the average of those known; "random" as the paper does
    start : the first prediction to expect, as a share of the largest rating seen; None picks one
    forgetting : φ in (0, 1]; below 1 old gradients fade (H ← φH + v vᵀ), so steps stay large and follow drift
    clip : (lowest, highest) rating; predictions are cut to it
    random_state : seed of the start

    Attributes
    ----------
    user_ids_, item_ids_ : everybody seen so far, in order of arrival
    n_ratings_ : ratings taken in

    >>> model = RatingStream(factors=2, clip=(1, 5))
    >>> for user, item, rating in [("ann", "tea", 5), ("bob", "tea", 4), ("ann", "rye", 1)]:
    ...     model.learn_one(user, item, rating)
    >>> model.predict_one("bob", "tea") > model.predict_one("bob", "rye")
    True
    """

    _schema = RATING

    def __init__(
        self,
        factors: int = 10,
        *,
        variant: Variant = "PA-II",
        adaptation: Adaptation | None = "diagonal",
        aggressiveness: float = 0.05,
        delta: float = 0.05,
        epsilon: float = 0.0,
        nonnegative: bool = True,
        projection: Literal["exact", "plain"] = "exact",
        biases: bool = False,
        cold_start: Literal["average", "random"] = "average",
        start: float | None = None,
        forgetting: float = 1.0,
        clip: tuple[float, float] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.factors = factors
        self.variant = variant
        self.adaptation = adaptation
        self.aggressiveness = aggressiveness
        self.delta = delta
        self.epsilon = epsilon
        self.nonnegative = nonnegative
        self.projection = projection
        self.biases = biases
        self.cold_start = cold_start
        self.start = start
        self.forgetting = forgetting
        self.clip = clip
        self.random_state = random_state

    def _settings(self) -> list[Setting]:
        start = self.start if self.start is not None else START_WITH_BIASES if self.biases else START
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
            start=start,
        )
        check_setting(setting)
        return [setting]

    def _rules(self, seed: int) -> Rules:
        return Rules(seed=seed, average=average_share(self.cold_start))


def average_share(cold_start: str) -> float:
    """The share of the average in a newcomer."""
    return AVERAGE_SHARE if checks.choice("cold_start", cold_start, ("average", "random")) == "average" else 0.0


def check_setting(setting: Setting) -> None:
    """One sentence on the first parameter that cannot be used."""
    checks.integer("factors", setting.factors, 0 if setting.biases else 1)
    checks.choice("variant", setting.variant, VARIANTS)
    if setting.adaptation is not None:
        checks.choice("adaptation (when it is not None)", setting.adaptation, ("diagonal", "full"))
    checks.choice("projection", setting.projection, ("exact", "plain"))
    checks.number("aggressiveness", setting.aggressiveness, above=0)
    checks.number("delta", setting.delta, 0.0)
    if setting.adaptation == "full":
        # G = (δI + H)^{1/2} has no inverse before k independent ratings have come.
        checks.number("delta (with adaptation='full')", setting.delta, above=0)
    checks.number("epsilon", setting.epsilon, 0.0)
    checks.number("start", setting.start, above=0)
    check_forgetting(setting.forgetting)


def check_forgetting(forgetting: float) -> None:
    """A factor in (0, 1]."""
    if not checks.number("forgetting", forgetting, above=0) <= 1:
        raise InputError(f"forgetting must be at most 1 (1 forgets nothing), not {forgetting!r}.")
