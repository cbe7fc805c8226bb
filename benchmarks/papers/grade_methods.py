"""Sets and methods of ``grade.py``: rows and classes by name; ours, and the rivals tuned on the labelled rows alone.

Every method is a function of a ``Draw`` and gives back scores and classes of the rows that are evaluated. A method that
cannot run (the peers' environment is absent, or the library stops) raises ``Unavailable`` with the reason, which stays
in the results.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.processes import Failed, ask
from tacit import OrdinalRanker
from tacit.baselines import MPNUAUC, MSAMULT, SVOREX
from tacit.data.compressed import read_text
from tacit.data.loaders.folder import find
from tacit.data.loaders.ordinal import load_ordinal, load_ordinal_holdout
from tacit.errors import DivergedError
from tacit.features.nystrom import NystromFeatures
from tacit.features.scaling import Scaling
from tacit.metrics.ordinal import ordinal_auc
from tacit.objective.pairwise import Splits
from tacit.solvers.ordinal_exact import collect_moments, solve_path
from tacit.solvers.quadruply import QuadruplyStochastic
from tacit.solvers.stochastic import RowSampler

NUMERIC = (
    "protein", "kin40k", "elevators", "abalone", "bank8FM", "bank32NH", "cpu_small", "kinematics", "puma8NH",
    "house_8L", "friedman", "mv", "delta_ailerons", "autoMpg", "boston_housing", "stock",
)  # fmt: skip
OWN = ("diamonds", "car", "ERA", "LEV", "SWD", "ESL", "nursery", "balance-scale")
HOLDOUTS = ("winequality-red", "eucalyptus", "toy")


def ordinal(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load_ordinal(name, classes=5)
    return data.X, data.y


def both_parts(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The training and test rows of a published hold-out, put together."""
    parts = load_ordinal_holdout(name)
    return np.vstack([parts.X, parts.X_test]), np.concatenate([parts.y, parts.y_test])


def records_of_reviews() -> list[dict[str, Any]]:
    """The All Beauty reviews, as published."""
    path = find("amazon-all-beauty-5core", "All_Beauty_5.json", "Amazon Review Data 2018, J. Ni, UCSD")
    return [json.loads(line) for line in read_text(path).splitlines()]


def reviews(titles: bool) -> tuple[list[str], np.ndarray]:
    """Texts and stars of the All Beauty reviews; ``titles`` puts a review's title before its text."""
    records = records_of_reviews()
    texts = [" ".join([one.get("summary", "")] * titles + [one.get("reviewText", "")]) for one in records]
    return texts, np.array([int(one["overall"]) - 1 for one in records])


def all_beauty(titles: bool = True) -> tuple[Any, np.ndarray]:
    """tf-idf of the reviews, sparse."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, y = reviews(titles)
    return TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(texts).tocsr(), y


def reviews_as_printed() -> tuple[np.ndarray, np.ndarray]:
    """The paper's text pipeline on the texts alone: tf-idf, SVD to 1,000 dimensions, columns scaled to [0, 1]."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import MinMaxScaler

    X, y = all_beauty(titles=False)
    return MinMaxScaler().fit_transform(TruncatedSVD(1000, random_state=0).fit_transform(X)), y


def irrelevant(rows: int = 8_000, columns: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """Synthetic: 2 of 32 columns matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    target = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.standard_normal(rows)
    return X, np.searchsorted(np.quantile(target, [0.2, 0.4, 0.6, 0.8]), target)


SETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    **{name: partial(ordinal, name) for name in (*NUMERIC, *OWN)},
    **{name: partial(both_parts, name) for name in HOLDOUTS},
    "all-beauty": all_beauty,
    "irrelevant columns": irrelevant,
}


# -- methods -----------------------------------------------------------------------------------------------------------

KERNEL_ROWS = 1_000
FOLDS = 3
BANDWIDTHS = (0.7, 1.4, 2.8, 5.6)
"""Of SVOREX and the kernel rivals, as multiples of √columns of standardised rows."""
STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1)
"""λ of the kernel rivals."""
COSTS = (0.1, 1.0, 10.0, 100.0)
"""C of SVOREX."""
PRINTED: dict[str, Any] = {
    "features": "fourier", "solver": "stochastic", "step": "decay", "n_components": 64, "iterations": 200,
}  # fmt: skip
"""Algorithm 1: fresh frequencies at every step, θ/t, λ from the paper's 2⁻³ … 2³."""
PAPERS = (2.0**-3, 2.0**-1, 2.0, 2.0**3)
"""Of σ in exp(−σ‖x − x′‖²), and of λ: both go from 2⁻³ to 2³ in the paper."""
PAPERS_LEAST = PAPERS[0]
BATCH = 32
FREE_IN_FOLDS = 300
"""Unlabelled rows of a fold of Algorithm 1."""


class Unavailable(Exception):
    """Why a method has no figure."""


@dataclass
class Draw:
    """One draw of labels: all rows with y = −1 where unlabelled, and the rows that are evaluated."""

    X: np.ndarray
    truth: np.ndarray
    seen: np.ndarray
    evaluated: np.ndarray
    seed: int
    models: dict[str, OrdinalRanker] = field(default_factory=dict)
    """Models that a later method takes its parameters from."""
    peers: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, labels: int, evaluated: int, seed: int) -> "Draw":
        kept = np.random.default_rng(seed).permutation(len(y))[:labels]
        seen = np.full(len(y), -1)
        seen[kept] = y[kept]
        free = np.random.default_rng(seed).permutation(np.flatnonzero(seen < 0))[:evaluated]
        return cls(X, y, seen, np.sort(free), seed)

    @property
    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """The labelled rows and their labels."""
        return self.X[self.seen >= 0], self.seen[self.seen >= 0]

    @property
    def asked(self) -> np.ndarray:
        return self.X[self.evaluated]

    @property
    def answers(self) -> np.ndarray:
        return self.truth[self.evaluated]


@dataclass
class Answer:
    """Scores of the evaluated rows, one column or one per split, and their classes."""

    score: np.ndarray
    grade: np.ndarray

    def area(self, truth: np.ndarray) -> float:
        """Ordinal AUC; with one score per split, the mean over splits of each one's own AUC."""
        if self.score.ndim == 1:
            return ordinal_auc(truth, self.score)
        splits = [j for j in range(self.score.shape[1]) if truth.min() <= j < truth.max()]
        return float(np.mean([ordinal_auc((truth > j).astype(int), self.score[:, j]) for j in splits]))


def folds(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    place = np.random.default_rng(0).permutation(count) % FOLDS
    return [(np.flatnonzero(place != f), np.flatnonzero(place == f)) for f in range(FOLDS)]


def ours(name: str, **parameters: Any) -> Callable[[Draw], Answer]:
    """OrdinalRanker with the given parameters; what is not given it chooses itself."""

    def run(draw: Draw) -> Answer:
        model = OrdinalRanker(random_state=draw.seed, classes=sorted(set(draw.truth)), **parameters)
        draw.models[name] = model.fit(draw.X, draw.seen)
        return Answer(model.rank_score(draw.asked), model.predict(draw.asked))

    return run


def stochastic(draw: Draw) -> Answer:
    """The stochastic solver with what the exact one chose."""
    exact = squared_model(draw)
    chosen = {"kernel": exact.kernel_, "regularization": exact.regularization_}
    if exact.kernel_ != "linear":
        chosen["bandwidth"] = exact.bandwidth_
    weights = exact.unlabelled_weight_.tolist()
    return ours("stochastic", solver="stochastic", unlabelled_weight=weights, **chosen)(draw)


def as_printed(draw: Draw) -> Answer:
    """QS³ORAO: σ and λ by folds of Algorithm 1 itself, half as long, then γ of every split over the paper's 11 values.

    The 16 points of σ and λ are from the paper's ranges, at γ = ½; a run that diverges is the worst. γ is compared by
    exact minimisers, split by split. Columns are scaled to [0, 1], as in the paper, and not standardised.
    """
    rows, seen = to_unit(draw.X), draw.seen
    free = np.random.default_rng(draw.seed).permutation(np.flatnonzero(seen < 0))[:FREE_IN_FOLDS]
    known = np.flatnonzero(seen >= 0)
    cuts = [(np.concatenate([known[train], free]), known[test]) for train, test in folds(len(known))]
    even = np.full(4, 0.5)

    def by_steps(point: tuple[float, float]) -> float:
        try:
            models = [fresh_frequencies(rows[train], seen[train], *point, even, draw.seed) for train, _ in cuts]
        except DivergedError:
            return 0.0
        scores = zip(models, cuts)
        return float(np.mean([ordinal_auc(seen[test], model.score(rows[test])) for model, (_, test) in scores]))

    width, strength = max([((2 * sigma) ** -0.5, one) for sigma in PAPERS for one in PAPERS], key=by_steps)
    exact = [ExactFold(rows[train], seen[train], width) for train, _ in cuts]

    def exactly(mix: np.ndarray) -> float:
        scores = [fold.scores(rows[test], mix, strength) for fold, (_, test) in zip(exact, cuts)]
        return float(np.mean([ordinal_auc(seen[test], score) for score, (_, test) in zip(scores, cuts)]))

    mix = even
    for split in range(len(mix)):
        tried = [np.where(np.arange(len(mix)) == split, value, mix) for value in np.linspace(0, 1, 11)]
        mix = max(tried, key=exactly)
    model = OrdinalRanker(
        "gaussian", **PRINTED, bandwidth=width, regularization=strength, unlabelled_weight=(1 - mix).tolist(),
        threshold_rule="square", batch_size=BATCH, standardize=False, random_state=draw.seed, progress=False,
        classes=sorted(set(draw.truth)),
    ).fit(rows, seen)  # fmt: skip
    return Answer(model.rank_score(rows[draw.evaluated]), model.predict(rows[draw.evaluated]))


def fresh_frequencies(
    rows: np.ndarray, codes: np.ndarray, width: float, strength: float, mix: np.ndarray, seed: int
) -> QuadruplyStochastic:
    """Algorithm 1 after half of its steps."""
    columns = rows.shape[1]
    plain = Scaling(np.zeros(columns), np.ones(columns), np.ones(columns))
    splits = Splits.of(np.bincount(codes[codes >= 0]) / np.sum(codes >= 0))
    given = plain, splits, mix, strength
    descent = QuadruplyStochastic("gaussian", PRINTED["n_components"], width, *given, batch_size=BATCH, seed=seed)
    sampler = RowSampler(rows, codes, np.ones(len(codes)), 5)
    for _ in range(PRINTED["iterations"] // 2):
        descent.advance(sampler)
    return descent


class ExactFold:
    """The moments of a fold's rows under the kernel at all of them, from which any γ is solved exactly."""

    def __init__(self, rows: np.ndarray, codes: np.ndarray, width: float) -> None:
        self.features = NystromFeatures("gaussian", width, rows)
        self.moments = collect_moments(rows, codes, np.ones(len(codes)), 5, self.features)

    def scores(self, rows: np.ndarray, mix: np.ndarray, strength: float) -> np.ndarray:
        w = solve_path(self.moments.quadratic(mix), self.moments.linear(), [strength])[:, 0]
        return np.asarray(self.features.transform(rows) @ w)


def to_unit(X: np.ndarray) -> np.ndarray:
    """Columns scaled to [0, 1]."""
    least, most = X.min(axis=0), X.max(axis=0)
    return np.asarray((X - least) / np.where(most > least, most - least, 1.0))


def squared_model(draw: Draw) -> OrdinalRanker:
    """The exact minimiser of the squared pairwise loss, fitted once per draw."""
    if "squared" not in draw.models:
        ours("squared", loss="square")(draw)
    return draw.models["squared"]


def svorex(draw: Draw) -> Answer:
    """Bandwidth and C by folds over the labelled rows."""
    X, y = draw.known
    unit = np.sqrt(X.shape[1])
    grid = [(step * unit, C) for step in BANDWIDTHS for C in COSTS]

    def quality(pair: tuple[float, float]) -> float:
        fits = ((SVOREX(*pair).fit(X[train], y[train]), test) for train, test in folds(len(y)))
        return float(np.mean([ordinal_auc(y[test], model.rank_score(X[test])) for model, test in fits]))

    model = SVOREX(*max(grid, key=quality)).fit(X, y)
    return Answer(model.rank_score(draw.asked), model.predict(draw.asked))


def kernel_rival(make: Any, mixes: tuple[float, ...]) -> Callable[[Draw], Answer]:
    """Its own bandwidth and λ by folds at the middle mix, then its own mix."""

    def run(draw: Draw) -> Answer:
        known, y = np.flatnonzero(draw.seen >= 0), draw.seen
        rest = np.flatnonzero(draw.seen < 0)
        free = np.random.default_rng(draw.seed).permutation(rest)[:KERNEL_ROWS]
        unit = draw.X.shape[1] ** 0.5

        def quality(point: tuple[float, float, float]) -> float:
            areas = []
            for train, test in folds(len(known)):
                rows = np.concatenate([known[train], free[: KERNEL_ROWS // 5]])
                model = make(*point).fit(draw.X[rows], y[rows])
                scores = model.split_scores(draw.X[known[test]])
                areas.append(Answer(scores, scores[:, 0]).area(y[known[test]]))
            return float(np.mean(areas))

        middle = mixes[len(mixes) // 2]
        grid = [(step * unit, strength, middle) for step in BANDWIDTHS for strength in STRENGTHS]
        bandwidth, strength, _ = max(grid, key=quality)
        rows = np.concatenate([known, free])
        best = max(((bandwidth, strength, mix) for mix in mixes), key=quality)
        model = make(*best).fit(draw.X[rows], y[rows])
        return Answer(model.split_scores(draw.asked), model.predict(draw.asked))

    return run


def peer(name: str) -> Callable[[Draw], Answer]:
    """mord or skordinal, tuned in an environment of their own; the columns come standardised by the labelled rows."""

    def run(draw: Draw) -> Answer:
        X, y = draw.known
        mean, scale = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "job.npz", X=(X - mean) / scale, y=y, test=(draw.asked - mean) / scale)
            call_peers("tuned_grades", folder, name)
            found = np.load(Path(folder) / "found.npz")
            return Answer(found["score"], found["grade"])

    return run


def call_peers(function: str, folder: str, name: str) -> Any:
    """What a function of ``peers/adapters.py`` returns, in the interpreter of the peers."""
    try:
        return ask(f"peers.adapters:{function}", peers=True, folder=folder, name=name)
    except (SystemExit, Failed) as reason:
        raise Unavailable(str(reason)) from None


OURS: dict[str, Callable[[Draw], Answer]] = {
    "OrdinalRanker": ours("default"),
    "labelled rows only": ours("labelled", unlabelled_weight=0.0),
    "squared loss, exact": ours("squared", loss="square"),
    "squared loss, labelled rows only": ours("squared labelled", loss="square", unlabelled_weight=0.0),
    "squared loss, stochastic": stochastic,
    "squared loss, Fourier features": ours("fourier", loss="square", features="fourier"),
}
RIVALS: dict[str, Callable[[Draw], Answer]] = {
    "QS³ORAO, Algorithm 1": as_printed,
    "SVOREX": svorex,
    "M-PNU-AUC": kernel_rival(MPNUAUC, (-0.5, 0.0, 0.5)),
    "M-SAMULT": kernel_rival(MSAMULT, (1.0, 0.5, 0.0)),
    "mord": peer("mord"),
    "skordinal": peer("skordinal"),
}
METHODS = OURS | RIVALS
