"""BlendRecommender: a weighted sum of the standardised scores of several recommenders.

Held-out positives choose the weights.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.interactions import Interactions
from tacit.estimators.concurrency import view
from tacit.estimators.evidence import Evidence
from tacit.estimators.members import NamedMembers, copied
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import blend_mixtures, held_out_choice, ridge_choice, row_shares
from tacit.estimators.recommend.asking import AskedRows, ScoreRows, Unknown, one_of
from tacit.estimators.recommend.blend_mixtures import Mixture
from tacit.estimators.recommend.factor_recommender import FactorRecommender
from tacit.estimators.recommend.held_out_choice import Budget, Part
from tacit.estimators.recommend.joining import as_interactions
from tacit.estimators.recommend.linear_choice import Search, sharper
from tacit.estimators.recommend.linear_recommender import AUTO_DENSE_COLUMNS, LinearRecommender
from tacit.estimators.recommend.ridge_choice import RidgeChoice
from tacit.estimators.recommend.row_shares import RowShares
from tacit.estimators.recommend.scored_recommender import ScoredRecommender
from tacit.estimators.recommend.tables import BLEND
from tacit.solvers import popular_row

Array = NDArray[Any]

LARGE, FACTORS_OF_LARGE, FACTORS = 20_000, 128, 64
"""Factors of the default member: more where there are as many rows and columns as this."""


class BlendRecommender(NamedMembers, ScoredRecommender):
    """Scores of several recommenders, standardised within each row, weighted and added.

    Low rank sees what many columns have in common, full rank what single ones do; together they are often better than
    either. Which members count, and how much, is chosen on positives that are held out: every member learns from the
    rest, mixtures in steps of a quarter rank the same rows, and of those within one standard error and half a
    percent of the best the most even one wins: an average is the safer bet where rows to come differ from those held
    out. Members that count then learn from everything; one without weight is left out. Where that leads by a standard
    error, the shares follow the number of positives of a row (``tacit.estimators.recommend.row_shares``). Where the
    data hardly tell rows apart, the popularity of the columns may say more than either member: it is added where that
    leads by more than two standard errors. Of up to 500,000 positives, held-out ones also choose the ridge of factors,
    as a multiple of its default. Above 5,000 columns, where no member has dense weights, local ones
    (``LinearRecommender("local")``) join the default members if that leads by a standard error.

    Parameters
    ----------
    members : pairs of a name and a recommender (``FactorRecommender`` or ``LinearRecommender``), as for scikit-learn's
        ``VotingClassifier``, so that ``set_params(factors__iterations=20)`` and ``GridSearchCV`` reach inside; None
        for one of each, and local weights where they help
    weights : one for each member; None chooses them
    seconds : a budget of time for the choice: members try no more settings of their own once half of it has passed,
        and no further split begins after all of it, which ``validation_`` then says. What is chosen depends on the
        machine in that case; None takes what the data ask for, and gives the same bits anywhere
    random_state : seed of the splits and of the default members; members that are given have their own
    threads : 0 for all cores; the bits are the same at any number; members whose own is not set take it
    progress : True, False, or None for "when a terminal is attached": print what was chosen and why

    Attributes
    ----------
    members_ : the fitted recommenders, those that have a weight
    weights_ : their weights, which sum to one
    row_shares_ : how these weights change with the number of positives of a row; ``exponent`` 0 where they do not
    popularity_ : what every row's score of a column gains because it is popular; None where that did not help
    validation_ : NDCG@10 of the members and mixtures on held-out positives, and a sentence that says what was chosen
    row_ids_, col_ids_ : the caller's ids

    >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "tea"]}
    >>> data = Interactions.from_table(pairs, row="who", col="what")
    >>> members = [("factors", FactorRecommender(2)), ("linear", LinearRecommender())]
    >>> model = BlendRecommender(members).fit(data)
    >>> model.recommend(["cyd"], k=1).ids.tolist()
    [['jam']]
    """

    _schema = BLEND
    _factors = FACTORS

    def __init__(
        self,
        members: Sequence[tuple[str, FactorRecommender | LinearRecommender]] | None = None,
        *,
        weights: Sequence[float] | None = None,
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
        members = self.unfitted_members()
        given = [1.0] if len(members) == 1 and self.weights is None else self._given_weights()
        budget = Budget(self.seconds)
        choices = [_choice(member, data, budget) for member in members]
        self.validation_: dict[str, Any] = {"tried": [], "sentence": "The weights were given."}
        self.popularity_: NDArray[np.float32] | None = None
        self.row_shares_ = RowShares()
        if given is None:
            given, self.validation_ = self._choose(data, members, choices, budget)
            if sys.stderr.isatty() if self.progress is None else self.progress:
                print(self.validation_["sentence"], file=sys.stderr)
            members = self.unfitted_members(local=len(given) > len(members))
        used = [_fitted(member, data, choice) for member, choice, share in zip(members, choices, given) if share]
        self._keep([share / sum(given) for share in given], used)
        self._hold(data.row_ids, data.col_ids, data.matrix)
        return self

    def _keep(self, shares: list[float], members: list[Any]) -> None:
        self._shares, self.members_ = shares, members
        self.weights_ = np.array([share for share in shares if share])

    def similar_cols(self, cols: Any, k: int = 10, *, unknown: Unknown = "error") -> Ranked:
        """The neighbours that the member with the largest weight finds."""
        self._require_fitted("similar_cols")
        result: Ranked = self.members_[int(np.argmax(self.weights_))].similar_cols(cols, k, unknown=unknown)
        return result

    def why(self, row: Any, col: Any) -> Evidence:
        """What each of the row's columns adds to the score of a column; with the remainder they sum to it.

        Σ_m w_m (s_m − μ_m) / σ_m, member by member: contributions c_m z become Σ_m w_m c_mz / σ_m, and the means and
        what members leave over are the remainder. Exact where every member's own ``why`` is.
        """
        self._require_fitted("why")
        x, y = one_of(row, self.row_ids_, "row"), one_of(col, self.col_ids_, "column")
        asked = self._asked(self.row_ids_.take([x]), np.array([x]))
        parts = dict.fromkeys(self.col_ids_.take(asked.positives.indices).tolist(), 0.0)
        remainder, others = 0.0, ["less the row's mean score"]
        shares = self._mixture().of(asked.positives)[0].tolist()
        for member, weight in zip(self.members_, shares):
            scores = member.scorer(asked)(0, 1)[0].astype(np.float64)
            spread = scores.std()
            if not spread:
                continue
            own = member.why(row, col)
            for ident, adds in zip(own.ids.tolist(), own.contributions.tolist()):
                # A file may hold a weight of zero, which is no positive of the blend's and may be one of a member's.
                parts[ident] = parts.get(ident, 0.0) + weight * adds / spread
            # A row of which a member knows nothing is given what is popular, whatever its own account says.
            rest = scores[y] - own.contributions.sum()
            remainder += weight * (rest - scores.mean()) / spread
            if own.remainder or abs(rest) > 1e-5:
                others.insert(0, own.remainder_is if own.remainder else popular_row.NAME)
        if self.popularity_ is not None:
            remainder += float(self.popularity_[y])
            others.insert(0, "popularity")
        named = ", ".join(dict.fromkeys(others))
        return Evidence.of(np.array(list(parts), dtype=object), np.array(list(parts.values())), remainder, named)

    def _add_cells(self, rows: list[Any], cols: list[Any], values: NDArray[np.float32]) -> None:
        super()._add_cells(rows, cols, values)
        # Copies learn: who holds the old members goes on with them.
        self.members_ = [view(member).add_each(rows, cols, values) for member in self.members_]
        if self.popularity_ is not None:
            new = len(self.col_ids_) - len(self.popularity_)
            self.popularity_ = np.pad(self.popularity_, (0, new), constant_values=self.popularity_.min())

    def scorer(self, rows: AskedRows) -> ScoreRows:
        """A function that gives the mixed scores of these rows block by block."""
        return blend_mixtures.mixture_of(self._mixture().scorers(self.members_, rows), self.popularity_)

    def _mixture(self) -> Mixture:
        return Mixture(tuple(self.weights_.tolist()), _low_rank(self.members_), self.row_shares_)

    # -- choosing ----------------------------------------------------------------------------------------------

    def default_members(self) -> list[tuple[str, Any]]:
        """Low rank and full rank."""
        factors = FactorRecommender(self._factors, random_state=self.random_state)
        return [("factors", factors), ("linear", LinearRecommender(random_state=self.random_state))]

    def unfitted_members(self, factors: int | None = None, *, local: bool = False) -> list[Any]:
        """Copies of the recommenders that ``fit`` trains.

        factors : those of the default member in a model file
        local : whether local weights have joined the default members
        """
        self._factors = self._factors if factors is None else factors
        kinds, example = (FactorRecommender, LinearRecommender), "LinearRecommender()"
        named = self._named()
        if local and self.members is None:
            named.append(("local", LinearRecommender("local", random_state=self.random_state)))
        return [
            copied(member, f"members: {name}", kinds, example, threads=self.threads, progress=False)
            for name, member in named
        ]

    def _choose(
        self, data: Interactions, members: list[Any], choices: list[Any], budget: Budget
    ) -> tuple[list[float], dict[str, Any]]:
        """Weights, and what was found on the way; ``choices`` are what members chose for themselves, and change where
        another sharpening does better beside the rest."""
        # Drawn once: every look at the held-out cells must see the same ones, also where random_state is None.
        seed = checks.seed(self.random_state)
        parts = held_out_choice.split(data.matrix, seed)
        if not parts:
            return [1.0] * len(choices), {"tried": [], "sentence": "Too few positives to choose by."}
        for index, member in enumerate(members):
            if isinstance(member, FactorRecommender) and ridge_choice.is_free(member, data):
                choices[index] = ridge_choice.choose(
                    lambda index=index: self.unfitted_members()[index], data, parts, self.threads, budget
                )
        shares = blend_mixtures.mixtures(len(choices))
        low_rank = _low_rank(members)
        tried = [Mixture(one, low_rank) for one in shares]
        scores: dict[tuple[float, ...], list[Array]] = {one: [] for one in shares}
        learned: list[list[Any]] = []
        for number, part in enumerate(parts):
            if number and budget.over():
                break
            train = held_out_choice.learnable(part, data)
            pairs = zip(self.unfitted_members(), choices)
            learned.append([_fitted(member, train, choice, (seed, number)) for member, choice in pairs])
            result = blend_mixtures.ndcg_of_mixtures(learned[-1], tried, part, self.threads)
            for one, rows_of_part in zip(shares, result):
                scores[one].append(rows_of_part)
        rows = {one: np.concatenate(values) for one, values in scores.items()}
        chosen = held_out_choice.first_near_the_best(rows, shares, share=blend_mixtures.MOST_BEHIND)
        names = [type(member).__name__ for member in members]
        account = blend_mixtures.account_of(rows, chosen, names, len(learned))
        looks = Looks(parts[: len(learned)], learned, self.threads)
        mixture = Mixture(chosen, low_rank)
        for index, member in enumerate(members):
            if isinstance(choices[index], RidgeChoice) and choices[index].times != 1.0 and chosen[index]:
                account["sentence"] += f" The factors' ridge is {choices[index].times:g} times the default."
            if 0 < chosen[index] < 1 and _may_sharpen(member, choices[index]):
                account["sentence"] += self._sharpen(data, looks, choices, index, mixture, budget, seed)
        mixture, sentence = self._vary_by_row(data, looks, mixture)
        account["sentence"] += sentence
        mixture, sentence = self._add_local(data, looks, choices, mixture, budget, seed)
        account["sentence"] += sentence + self._add_popularity(data, looks, mixture)
        if budget.cut:
            account["sentence"] += f" The budget of {budget.seconds:g} seconds ended before all had been tried."
        return list(mixture.shares), account

    def _vary_by_row(self, data: Interactions, looks: "Looks", mixture: Mixture) -> tuple[Mixture, str]:
        """The mixture, whose shares follow the rows' positives where that does better; and what to say of it."""
        if len({low for low, share in zip(mixture.low_rank, mixture.shares) if share}) < 2:
            return mixture, ""
        exponents = row_shares.EXPONENTS
        found = looks.ndcg(
            lambda part: [replace(mixture, by_row=RowShares.measured(exponent, part.train)) for exponent in exponents]
        )
        rows = dict(zip(exponents, found))
        exponent = held_out_choice.first_near_the_best(rows, exponents)
        if not exponent:
            return mixture, ""
        self.row_shares_ = RowShares.measured(exponent, data.matrix)
        few = "few" if exponent > 0 else "many"
        return replace(mixture, by_row=self.row_shares_), (
            f" Rows with {few} positives count more on factors (exponent {exponent:g}): {rows[exponent].mean():.4f}."
        )

    def _add_local(
        self, data: Interactions, looks: "Looks", choices: list[Any], mixture: Mixture, budget: Budget, seed: int
    ) -> tuple[Mixture, str]:
        """The mixture with local weights beside the default members, where that does better; and what to say of it."""
        if self.members is not None or data.shape[1] <= AUTO_DENSE_COLUMNS or budget.over():
            return mixture, ""
        choice = self.unfitted_members(local=True)[-1].choose_setting(data, budget)
        for number, part in enumerate(looks.parts):
            member = self.unfitted_members(local=True)[-1]
            looks.learned[number].append(_fitted(member, held_out_choice.learnable(part, data), choice, (seed, number)))
        tried = [blend_mixtures.with_another(mixture, share) for share in blend_mixtures.LOCAL]
        rows = dict(zip(tried, looks.ndcg(lambda part: tried)))
        chosen = held_out_choice.first_near_the_best(rows, tried)
        share = chosen.shares[-1]
        if not share:
            for learned in looks.learned:
                learned.pop()
            return mixture, ""
        choices.append(choice)
        return chosen, f" With local weights as {share:g} of the whole: {rows[chosen].mean():.4f}."

    def _add_popularity(self, data: Interactions, looks: "Looks", mixture: Mixture) -> str:
        """Add the columns' popularity to the mixture where that does better; returns what to say of it."""
        tried = [
            blend_mixtures.ndcg_with_popularity(members, mixture, part, self.threads)
            for members, part in zip(looks.learned, looks.parts)
        ]
        shares = blend_mixtures.POPULARITY
        rows = {share: np.concatenate(results) for share, results in zip(shares, zip(*tried))}
        share = held_out_choice.clearly_ahead(rows, shares)
        if not share:
            return ""
        self.popularity_ = blend_mixtures.popularity(data.matrix, share)
        return f" With {share:g} of the columns' popularity added they do better: {rows[share].mean():.4f}."

    def _sharpen(
        self, data: Interactions, looks: "Looks", choices: list[Any], index: int, mixture: Mixture, budget: Budget,
        seed: int,
    ) -> str:  # fmt: skip
        """Choose the sharpening of one member again, beside the others in their mixture; returns what to say of it."""
        choice = choices[index]
        # The same splits, of the values that linear weights are made of.
        values = looks.learned[0][index].values_of(data.matrix)
        own = held_out_choice.split(values, seed)[: len(looks.parts)]
        weights = [mixture.of(part.seen)[:, index] for part in looks.parts]

        def beside(number: int, start: int, stop: int, blocks: Iterator[Array]) -> Iterator[Array]:
            scorers = mixture.scorers(looks.learned[number], blend_mixtures.asked(looks.parts[number]), leave=index)
            others = blend_mixtures.mixture_of(scorers)(start, stop)
            for block in blocks:
                yield others + blend_mixtures.standardised(block, weights[number][start:stop])

        search = Search(
            own,
            looks.learned[0][index].kept(data.shape[1]),
            self.threads,
            budget,
            beside,
            share=1.0,
            products=choice.products_of(seed),
        )
        better = sharper(search, choice.setting)
        choices[index] = replace(choice, setting=better)
        if better == choice.setting:
            return ""
        for number, part in enumerate(looks.parts):
            member = self.unfitted_members()[index]
            looks.learned[number][index] = _fitted(
                member, held_out_choice.learnable(part, data), choices[index], (seed, number)
            )
        return f" Beside the others sharpening {better.sharpening:g} does better: {search.mean(better):.4f}."

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts = {
            "weights": self._shares,
            "factors": self._factors,
            "row_exponent": self.row_shares_.exponent,
            "usual_positives": self.row_shares_.usual,
            "validation": self.validation_,
            "forgotten_rows": self.forgotten_rows_,
        }
        return facts, self._seen_parts() | {"members": self.members_, "popularity": self.popularity_}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_seen(facts, parts)
        self.validation_, self._factors = facts["validation"], facts["factors"]
        self.popularity_ = parts["popularity"]
        self.row_shares_ = RowShares(facts["row_exponent"], facts["usual_positives"])
        self._keep(list(facts["weights"]), parts["members"])


@dataclass(frozen=True)
class Looks:
    """Splits, the members that learned from each, and the threads that rank."""

    parts: list[Part]
    learned: list[list[Any]]
    threads: int

    def ndcg(self, tried: Callable[[Part], list[Mixture]]) -> list[Array]:
        """NDCG@10 of every row of all splits, for each of the mixtures of a split."""
        found = [
            blend_mixtures.ndcg_of_mixtures(members, tried(part), part, self.threads)
            for members, part in zip(self.learned, self.parts)
        ]
        return [np.concatenate(rows) for rows in zip(*found)]


def _low_rank(members: Sequence[Any]) -> tuple[bool, ...]:
    return tuple(isinstance(member, FactorRecommender) for member in members)


def _choice(member: Any, data: Interactions, budget: Budget) -> Any:
    """What a member chooses for itself by held-out positives, which it need not choose again on a part of them."""
    return member.choose_setting(data, budget) if isinstance(member, LinearRecommender) else None


def _may_sharpen(member: Any, choice: Any) -> bool:
    """Whether a member has sparse weights whose sharpening is its own choice."""
    if not isinstance(member, LinearRecommender):
        return False
    return member.sharpening is None and member.sparse_exponents is None and choice.setting.method == "sparse"


def _fitted(member: Any, data: Interactions, choice: Any, split: tuple[int, int] | None = None) -> Any:
    """``split`` is the seed and the number of the one that these positives come from; None for all of them."""
    if choice is None:
        return member.fit(data)
    if isinstance(choice, RidgeChoice):
        return choice.fit(member, data) if split is None else choice.learned[split[1]]
    return member.fit_chosen(
        data, choice, products=None if split is None else choice.products_of(split[0]).get(split[1])
    )
