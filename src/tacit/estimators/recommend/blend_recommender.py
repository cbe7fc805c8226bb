"""BlendRecommender: several recommenders, whose scores are standardised and added; held-out positives say how."""

import itertools
import sys
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import held_out_choice
from tacit.estimators.recommend.asking import ScoreRows, Unknown
from tacit.estimators.recommend.factor_recommender import FactorRecommender, as_interactions
from tacit.estimators.recommend.held_out_choice import AT, Budget, Part
from tacit.estimators.recommend.linear_recommender import LinearRecommender
from tacit.estimators.recommend.scored_recommender import Rows, ScoredRecommender
from tacit.estimators.recommend.tables import BLEND

Array = NDArray[Any]

KINDS: dict[str, type[Any]] = {"factors": FactorRecommender, "linear": LinearRecommender}
DEFAULT: tuple[dict[str, Any], ...] = ({"recommender": "factors"}, {"recommender": "linear"})
STEPS = 4
"""Weights are multiples of a quarter that sum to one."""
LARGE, FACTORS_OF_LARGE, FACTORS = 20_000, 128, 64
"""Factors that a member gets when none are given: more where there are as many rows and columns as this."""


class BlendRecommender(ScoredRecommender):
    """Scores of several recommenders, standardised within each row, weighted and added.

    Low rank sees what many columns have in common, full rank what single ones do; together they are often better than
    either. Which members count, and how much, is chosen on positives that are held out: every member learns from the
    rest, mixtures in steps of a quarter rank the same rows, and of those within one standard error of the best the most
    even one wins: an average is the safer bet where rows to come differ from those held out. Members that count then
    learn from everything; one without weight is left out.

    Parameters
    ----------
    members : one dictionary per member: ``"recommender"`` is ``"factors"`` or ``"linear"``, all else its parameters;
        None for one of each
    weights : one for each member; None chooses them
    seconds : a budget of time for the choice: members try no more settings of their own once half of it has passed,
        and no further split begins after all of it, which ``validation_`` then says. What is chosen depends on the
        machine in that case; None takes what the data ask for, and gives the same bits anywhere
    random_state : seed of the splits and of the members
    threads : 0 for all cores; the bits are the same at any number
    progress : True, False, or None for "when a terminal is attached": print what was chosen and why

    Attributes
    ----------
    members_ : the fitted recommenders, those that have a weight
    weights_ : their weights, which sum to one
    validation_ : NDCG@10 of the members and mixtures on held-out positives, and a sentence that says what was chosen
    row_ids_, col_ids_ : the caller's ids

    >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "tea"]}
    >>> data = Interactions.from_table(pairs, row="who", col="what")
    >>> model = BlendRecommender([{"recommender": "factors", "factors": 2}, {"recommender": "linear"}]).fit(data)
    >>> model.recommend(["cyd"], k=1).ids.tolist()
    [['jam']]
    """

    _schema = BLEND

    def __init__(
        self,
        members: Iterable[dict[str, Any]] | None = None,
        *,
        weights: Iterable[float] | None = None,
        seconds: float | None = None,
        random_state: Any = 0,
        threads: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.members = members
        self.weights = weights
        self.seconds = seconds
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def fit(self, interactions: Any, y: Any = None, *, col_features: Any = None) -> Self:
        """Learn from ``Interactions``, or from any sparse matrix whose stored cells are the positives.

        ``col_features`` are those of ``interactions`` when None.
        """
        threads.resolve(self.threads)
        if self.seconds is not None:
            checks.number("seconds", self.seconds, above=0.0)
        data = as_interactions(interactions).with_sides(col_features=col_features)
        self._factors = FACTORS_OF_LARGE if min(data.shape) >= LARGE else FACTORS
        members = self._make_members()
        given = self._given_weights(len(members))
        budget = Budget(self.seconds)
        choices = [_choice(member, data, budget) for member in members]
        self.validation_: dict[str, Any] = {"tried": [], "sentence": "The weights were given."}
        if given is None:
            given, self.validation_ = self._choose(data, choices, budget)
            if sys.stderr.isatty() if self.progress is None else self.progress:
                print(self.validation_["sentence"], file=sys.stderr)
        used = [_fitted(member, data, choice) for member, choice, share in zip(members, choices, given) if share]
        self._keep([share / sum(given) for share in given], used)
        self.row_ids_, self.col_ids_, self.seen_ = data.row_ids, data.col_ids, data.matrix
        return self

    def _keep(self, shares: list[float], members: list[Any]) -> None:
        self._shares, self.members_ = shares, members
        self.weights_ = np.array([share for share in shares if share])

    def similar_cols(self, cols: Any, k: int = 10, *, unknown: Unknown = "error") -> Ranked:
        """The neighbours that the member with the largest weight finds."""
        self._require_fitted("similar_cols")
        found: Ranked = self.members_[int(np.argmax(self.weights_))].similar_cols(cols, k, unknown=unknown)
        return found

    def _add_cell(self, row: Hashable, col: Hashable, value: float) -> None:
        super()._add_cell(row, col, value)
        for member in self.members_:
            member.add(row, [col], value)

    def _scorer(self, rows: Rows) -> ScoreRows:
        return _mixture([(member._scorer(rows), weight) for member, weight in zip(self.members_, self.weights_)])

    # -- choosing ----------------------------------------------------------------------------------------------

    def _make_members(self) -> list[Any]:
        given = list(DEFAULT) if self.members is None else checks.listed("members", self.members)
        if not given:
            raise InputError("members must name at least one recommender.")
        made = []
        for member in given:
            if not isinstance(member, Mapping):
                raise InputError(f"members: each must be a table such as {{'recommender': 'linear'}}, not {member!r}.")
            kind = member.get("recommender")
            if kind not in KINDS:
                raise InputError(f"members: 'recommender' must be one of {', '.join(KINDS)}, not {kind!r}.")
            recommender = KINDS[kind]()
            own = {name: value for name, value in member.items() if name != "recommender"}
            known = recommender.get_params()
            if unknown := sorted(set(own) - set(known)):
                raise InputError(f"members: a {kind} recommender has no parameter {unknown[0]!r}.")
            run = {"random_state": self.random_state, "threads": self.threads, "progress": False}
            if kind == "factors":
                run["factors"] = getattr(self, "_factors", FACTORS)
            made.append(recommender.set_params(**({name: run[name] for name in run if name in known} | own)))
        return made

    def _given_weights(self, members: int) -> tuple[float, ...] | None:
        if self.weights is None:
            return (1.0,) if members == 1 else None
        weights = tuple(checks.number("weights", weight, 0.0) for weight in checks.listed("weights", self.weights))
        if len(weights) != members or not sum(weights):
            raise InputError(f"weights must be {members} numbers, one for each member, that are not all zero.")
        return weights

    def _choose(
        self, data: Interactions, choices: list[Any], budget: Budget
    ) -> tuple[tuple[float, ...], dict[str, Any]]:
        """Weights, and what was found on the way; ``choices`` are what members chose for themselves."""
        parts = held_out_choice.split(data.matrix, checks.seed(self.random_state))
        if not parts:
            return tuple(1.0 for _ in choices), {"tried": [], "sentence": "Too few positives to choose by."}
        mixtures = _mixtures(len(choices))
        scores: dict[tuple[float, ...], list[Array]] = {mixture: [] for mixture in mixtures}
        for number, part in enumerate(parts):
            if number and budget.over():
                break
            train = Interactions(part.train, data.row_ids, data.col_ids, col_features=data.col_features)
            members = [_fitted(member, train, choice) for member, choice in zip(self._make_members(), choices)]
            for mixture in mixtures:
                scores[mixture].append(self._measure(members, mixture, part))
        rows = {mixture: np.concatenate(values) for mixture, values in scores.items()}
        chosen = held_out_choice.first_near_the_best(rows, mixtures)
        account = _account(rows, chosen, [type(member).__name__ for member in self._make_members()])
        if budget.cut:
            account["sentence"] += f" The budget of {budget.seconds:g} seconds ended before all had been tried."
        return chosen, account

    def _measure(self, members: list[Any], mixture: tuple[float, ...], part: Part) -> Array:
        rows = Rows(part.rows, part.seen, part.rows)
        scorers = [(member._scorer(rows), weight) for member, weight in zip(members, mixture) if weight]
        return part.ndcg(_mixture(scorers), self.threads)

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts = {
            "weights": self._shares,
            "factors": self._factors,
            "validation": self.validation_,
        }
        return facts, self._seen_parts() | {"members": self.members_}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_seen(parts)
        self.validation_, self._factors = facts["validation"], facts["factors"]
        used = [own for own, share in zip(self._make_members(), facts["weights"]) if share]
        members = [member.set_params(**own.get_params()) for member, own in zip(parts["members"], used)]
        self._keep(facts["weights"], members)


def _choice(member: Any, data: Interactions, budget: Budget) -> Any:
    """What a member chooses for itself by held-out positives, which it need not choose again on a part of them."""
    return member._choose(data, budget) if isinstance(member, LinearRecommender) else None


def _fitted(member: Any, data: Interactions, choice: Any) -> Any:
    return member.fit(data) if choice is None else member._fit_chosen(data, *choice)


def _mixture(scorers: list[tuple[ScoreRows, float]]) -> ScoreRows:
    """Σ_m w_m (s − mean) / sd, mean and standard deviation over all columns of a row."""

    def score_rows(start: int, stop: int) -> NDArray[np.float32]:
        total: Any = 0.0
        for scorer, weight in scorers:
            scores = scorer(start, stop)
            spread = scores.std(axis=1, keepdims=True, dtype=np.float64)
            scale = np.divide(weight, spread, out=np.zeros_like(spread), where=spread > 0)
            scores -= scores.mean(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
            scores *= scale.astype(np.float32)
            total = total + scores
        return np.asarray(total, dtype=np.float32)

    return score_rows


def _mixtures(members: int) -> list[tuple[float, ...]]:
    """Weights in steps of a quarter that sum to one, the most even first.

    >>> _mixtures(2)
    [(0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.0, 1.0), (1.0, 0.0)]
    """
    shares = itertools.product(range(STEPS + 1), repeat=members)
    made = [tuple(share / STEPS for share in one) for one in shares if sum(one) == STEPS]
    return sorted(made, key=lambda mixture: (max(mixture), mixture))


def _account(rows: dict[tuple[float, ...], Array], chosen: tuple[float, ...], names: list[str]) -> dict[str, Any]:
    """What every mixture reached, and one sentence that says what was chosen and why."""
    tried = [
        {"weights": list(mixture), "ndcg@10": float(found.mean()), "error": float(found.std() / np.sqrt(len(found)))}
        for mixture, found in rows.items()
    ]
    alone = {names[mixture.index(1.0)]: rows[mixture].mean() for mixture in rows if 1.0 in mixture}
    members = ", ".join(f"{name} {value:.4f}" for name, value in alone.items())
    best = max(rows, key=lambda mixture: float(rows[mixture].mean()))
    used = " + ".join(f"{weight:g} {name}" for name, weight in zip(names, chosen) if weight)
    reason = "the best" if chosen == best else "the most even within one standard error of the best"
    sentence = (
        f"NDCG@{AT} on held-out positives: {members}; chosen: {used} with {rows[chosen].mean():.4f}, {reason} "
        f"({rows[best].mean():.4f}, {len(rows[best])} rows)."
    )
    return {"tried": tried, "sentence": sentence}
