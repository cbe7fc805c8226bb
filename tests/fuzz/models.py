"""One small model of every kind and design, and every question that can be asked of it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

import tacit
from tacit.errors import TacitError
from tacit.estimators.evidence import Evidence
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend.scored_recommender import ScoredRecommender
from tests.contract.registry import CASES

ASKED = 4


def seeds() -> Iterator[tuple[str, Any]]:
    """Names and fitted models: those of the contract suite, and designs that have other arrays."""
    for case in CASES:
        yield case.name, case.make().fit(*case.data(np.random.default_rng(0)))
    rng = np.random.default_rng(1)
    yield from _recommenders(rng)
    yield from _taggers(rng)
    text = [[f"w{word}" for word in rng.zipf(1.5, 12) % 15] for _ in range(50)]
    words = tacit.WordVectors(factors=3, window=3, min_count=2, iterations=2, keep_counts=True, progress=False).fit(
        text
    )
    yield "words with counts", words
    foreign = tacit.WordVectors(factors=3, output="word")
    foreign.words_, foreign.word_factors_, foreign.history_ = words.words_, words.word_factors_, []
    yield "words of a foreign file", foreign
    yield from _streams(rng)
    X = rng.standard_normal((40, 3))
    y = np.where(np.arange(40) < 30, np.digitize(X[:, 0], [-0.5, 0.5]), -1)
    mapped = {"n_components": 8, "bandwidth": 1.0}
    for options in (
        {"kernel": "linear"},
        {"features": "fourier", "kernel": "gaussian", **mapped},
        {"features": "nystrom", **mapped},
    ):
        made = tacit.OrdinalRanker(progress=False, regularization=0.1, cv=2, **options)
        yield f"grades {options}", made.fit(X, y)
    grades = np.array(["bad", "fair", "good"], dtype=object)[np.maximum(y, 0)]
    named = tacit.OrdinalRanker(n_components=8, progress=False, classes=["bad", "fair", "good"], cv=2)
    yield "grades of text", named.fit(X, grades)


def _recommenders(rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender

    n = 60
    table = pl.DataFrame(
        {
            "who": [f"user {k}" for k in rng.integers(0, 9, n)],
            "what": [f"ïtem {k}" for k in rng.integers(0, 8, n)],
            "when": rng.choice(["day", "night"], n),
            "how": rng.integers(1, 5, n),
        }
    )
    plain = Interactions.from_table(table, row="who", col="what", weight="how")
    yield "recommender of text ids", FactorRecommender(factors=3, iterations=2, loss="logistic").fit(plain)
    yield (
        "recommender with biases",
        FactorRecommender(factors=2, iterations=3, biases=True, solver="adagrad").fit(plain),
    )
    sides = {
        "row_features": rng.random((plain.shape[0], 3)),
        "col_features": rng.random((plain.shape[1], 2)),
        "row_graph": sp.random_array((plain.shape[0],) * 2, density=0.3, rng=rng),
    }
    yield "recommender with sides", FactorRecommender(factors=2, iterations=2).fit(plain, **sides)
    timed = Interactions.from_table(table, row="who", col="what", context="when")
    for how in ("additive", "pairwise", "product"):
        solver = "als" if how == "additive" else "newton"
        yield f"{how} contexts", FactorRecommender(factors=2, iterations=2, context_model=how, solver=solver).fit(timed)
    grown = FactorRecommender(factors=2, iterations=2).fit(plain).add("user new", ["ïtem new", "ïtem 1"])
    yield "recommender with an index and a joined column", grown.index_cols()
    yield "linear, dense", LinearRecommender(method="dense").fit(plain)
    yield "linear, sharpened", LinearRecommender(method="sparse", sharpening=1.0).fit(plain)
    yield "linear, local", LinearRecommender(method="local", keep=3).fit(plain)
    members = [("low rank", FactorRecommender(factors=2, iterations=2)), ("full rank", LinearRecommender())]
    yield "blend that has grown", BlendRecommender(members, weights=[1, 2]).fit(plain).add("user new", ["ïtem new"])


def _taggers(rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger, TextTagger

    X = sp.random_array((24, 9), density=0.4, rng=rng, format="csr")
    labels = [[f"l{k}" for k in np.unique(rng.integers(0, 5, 2))] for _ in range(24)]
    yield "factor tagger", FactorTagger(factors=3, iterations=2, idf_power=0.5).fit(X, labels)
    yield "kernel tagger by landmarks", KernelTagger("gaussian", landmarks=6, iterations=2).fit(X, labels)
    similar = KernelTagger("cosine", iterations=2).fit(X, labels)
    yield "kernel tagger by labels too", similar.partial_fit(X[:3], labels[:3])
    yield "linear tagger", KernelTagger("linear", iterations=2).fit(X, labels)
    yield "joint tagger", NeighbourTagger(method="joint", factors=3, neighbours=4, learners=1).fit(X, labels)
    members = [("near", NeighbourTagger(factors=2)), ("low rank", FactorTagger(factors=2))]
    yield "blend tagger", BlendTagger(members, weights=[1.0, 0.5]).fit(X, labels)
    texts = [" ".join(f"word{k}" for k in rng.integers(0, 12, 6)) for _ in range(24)]
    for inner in (NeighbourTagger(factors=2), FactorTagger(factors=2)):
        yield f"text tagger by {inner}", TextTagger(inner, min_count=1).fit(texts, labels)


def _streams(rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    users, items, ratings = [f"u{k}" for k in rng.integers(0, 6, 40)], rng.integers(0, 5, 40), rng.integers(1, 6, 40)
    full = tacit.RatingStream(factors=3, adaptation="full", biases="learned", nonnegative=False)
    yield "stream with a full matrix", full.partial_fit(users, items, ratings)
    experts = [{"factors": 2}, {"factors": 0, "biases": "learned"}, {"factors": 3, "adaptation": None}]
    yield "stream of own experts", tacit.ExpertRatingStream(experts=experts).partial_fit(users, items, ratings)
    empty = tacit.RatingStream(factors=2)
    empty.predict_one("nobody", "nothing")
    yield "stream that has not begun", empty


# -- asking --------------------------------------------------------------------------------------------------------


def ask_everything(model: Any) -> str | None:
    """Every question to a model; errors of Tacit's own are answers too. The first answer that is not finite, if any."""
    if hasattr(model, "threads"):
        # Models this small cost more in waking threads than in answering.
        model.set_params(threads=1)
    for name, question in _questions(model):
        try:
            answer = question()
        except TacitError:
            continue
        if not _is_finite(answer):
            return f"{type(model).__name__}.{name} answers a number that is not finite"
    return None


def _is_finite(answer: Any) -> bool:
    if isinstance(answer, Ranked):
        return bool(np.isfinite(np.asarray(answer.scores, dtype=float)[answer.filled]).all())
    if isinstance(answer, Evidence):
        # Shown as a user sees it.
        return bool(str(answer)) and _is_finite([answer.contributions, answer.remainder, answer.total])
    if sp.issparse(answer):
        return bool(np.isfinite(answer.data).all())
    if isinstance(answer, tuple | list):
        return all(_is_finite(part) for part in answer)
    if isinstance(answer, float):
        return bool(np.isfinite(answer))
    return not (isinstance(answer, np.ndarray) and answer.dtype.kind == "f" and not np.isfinite(answer).all())


Question = tuple[str, Callable[[], Any]]


def _questions(model: Any) -> Iterator[Question]:
    yield "repr", lambda: [repr(model), model._repr_html_()]
    if hasattr(model, "col_ids_"):
        yield from _of_recommenders(model)
    elif hasattr(model, "stream_"):
        yield from _of_streams(model)
    elif hasattr(model, "words_") and hasattr(model, "most_similar"):
        yield from _of_words(model)
    elif hasattr(model, "thresholds_"):
        X = np.linspace(-2, 2, 3 * model.n_features_in_).reshape(3, -1)
        for name in ("rank_score", "decision_function", "predict", "predict_proba"):
            yield name, lambda name=name: getattr(model, name)(X)
        yield "score", lambda: model.score(X, model.classes_[[0, 1, 0]])
        yield "sparse", lambda: model.predict(sp.csr_array(X))
        model.set_params(iterations=1, batch_size=4)
        yield "partial_fit", lambda: model.partial_fit(X, model.classes_[[0, 1, 0]]).rank_score(X)
    else:
        yield from _of_taggers(model)


def _of_recommenders(model: Any) -> Iterator[Question]:
    cols = model.col_ids_.take(np.arange(min(ASKED, len(model.col_ids_))))
    rows = model.row_ids_.take(np.arange(min(ASKED, len(model.row_ids_)))) if hasattr(model, "row_ids_") else None
    contexts = {name: ids.take(np.zeros(1, int))[0] for name, ids in getattr(model, "context_ids_", {}).items()}
    context = {"context": contexts} if contexts else {}
    new = sp.csr_array((np.ones(2, np.float32), ([0, 1], [0, len(model.col_ids_) - 1])), (2, len(model.col_ids_)))
    if rows is not None:
        yield "recommend", lambda: model.recommend(rows, k=3, **context)
        yield "recommend seen", lambda: model.recommend(rows, k=3, exclude_seen=False, include=cols, **context)
        if hasattr(model, "score_pairs"):
            yield "score_pairs", lambda: model.score_pairs(rows[:1], cols, **context)
        if not isinstance(model, ScoredRecommender):
            yield "similar_rows", lambda: model.similar_rows(rows, k=3)
        if hasattr(model, "why"):
            for row in rows.tolist():
                yield "why", lambda row=row: model.why(row, cols[0])
        lists = {"include": {rows[0]: cols}, "exclude": {rows[-1]: cols[:1]}}
        yield "recommend within lists", lambda: model.recommend(rows, k=3, **lists, **context)
        yield "positives_of", lambda: model.positives_of(rows[0])[1]
        yield "recommend unknown", lambda: model.recommend([*rows, "nobody"], k=3, unknown="average", **context)
    yield "score", lambda: model.score(new)
    yield "recommend new", lambda: model.recommend(new, k=3)
    yield "similar_cols", lambda: model.similar_cols(cols, k=3)
    if getattr(model, "col_index_", None) is not None:
        yield "recommend by the index", lambda: model.recommend(rows, k=1, search="approximate")
        yield "similar_cols by the index", lambda: model.similar_cols(cols, k=1, search="approximate")
    if hasattr(model, "fold_in"):
        yield "fold_in", lambda: model.fold_in(new)
    if hasattr(model, "index_cols"):
        one = sp.csr_array((np.ones(1, np.float32), ([0], [0])), (len(model.row_ids_), 1))
        yield "fold_in cols", lambda: model.fold_in(one, side="cols")
        yield "index_cols", lambda: model.index_cols().recommend(rows, k=1, search="approximate")
    for side in ("row", "col"):
        weights = getattr(model, f"{side}_feature_factors_", None)
        if weights is not None:
            features = np.ones((1, len(weights)))
            yield f"{side} features", lambda f=features, s=side: model.fold_in(features=f, side=f"{s}s")
    if hasattr(model, "add") and rows is not None:
        yield "add", lambda: model.add(rows[0], cols[:1]).recommend(rows[:1], k=3)
        strange = -7 if model.row_ids_.is_numeric else "nobody", -7 if model.col_ids_.is_numeric else "nothing"
        joined = [rows[0], strange[0]], [strange[1], cols[-1]]
        yield "add_each", lambda: model.add_each(*joined).recommend([rows[0], strange[0]], k=3)
        yield "why of a joined row", lambda: model.why(strange[0], strange[1])
    if hasattr(model, "partial_fit") and hasattr(model, "seen_"):
        more = sp.csr_array((np.ones(1, np.float32), ([0], [0])), model.seen_.shape)
        yield "partial_fit", lambda: model.partial_fit(more, iterations=1).recommend(rows, k=3)


def _of_taggers(model: Any) -> Iterator[Question]:
    X: Any = ["word1 word2 word3 other", "", "word4"]
    if not hasattr(model, "tagger_"):
        d = model.n_features_in_
        X = sp.csr_array((np.ones(4), ([0, 0, 1, 2], [0, d - 1, d // 2, 0])), (3, d))
    for name in ("decision_function", "predict", "predict_topk", "kneighbors", "transform"):
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(X)
    yield "topk scores", lambda: model.predict_topk(X, 2, return_scores=True)
    labels = list(model.classes_[:1])
    for row in range(3):
        one = X[row] if hasattr(model, "tagger_") else X[[row]]
        yield "why", lambda one=one: model.why(one, labels[0])
    yield "score", lambda: model.score(X, [labels] * 3)
    if "iterations" in model.get_params():
        model.set_params(iterations=1)
    if hasattr(model, "partial_fit"):
        yield "partial_fit", lambda: model.partial_fit(X, [labels] * 3) and None
        yield "predict later", lambda: model.decision_function(X)


def _of_streams(model: Any) -> Iterator[Question]:
    users = [*model.user_ids_.all()[:ASKED].tolist(), "nobody new"]
    items = [*model.item_ids_.all()[:ASKED].tolist(), "nothing new"]
    pairs = min(len(users), len(items))
    yield "predict", lambda: model.predict(users[:pairs], items[:pairs])
    yield "predict_one", lambda: model.predict_one(users[0], items[0])
    yield "recommend", lambda: model.recommend(users[0], k=3)
    for by in ("share", "coefficient"):
        yield "topics", lambda by=by: model.topics(k=2, by=by)
    yield "rank", lambda: model.rank(users[0], items)
    yield "counts", lambda: [model.n_ratings_, model.lowest_rating, model.journal_]
    if hasattr(model, "weights_"):
        yield "weights_", lambda: model.weights_
        yield "weights_history_", lambda: model.weights_history_
        yield "experts_", lambda: repr(model.experts_)
    yield "learn_one", lambda: model.learn_one(users[0], items[0], 3.0)
    yield "partial_fit", lambda: model.partial_fit(users[:pairs] * 3, items[:pairs] * 3, [3.0] * (3 * pairs)) and None
    yield "predict_then_learn", lambda: model.predict_then_learn(users[:pairs], items[:pairs], [1.0] * pairs)
    yield "predict later", lambda: model.predict(users[:pairs], items[:pairs])


def _of_words(model: Any) -> Iterator[Question]:
    words = model.words_.take(np.arange(min(3, len(model.words_)))).tolist()
    yield "vectors", lambda: model.vectors
    yield "[]", lambda: model[words[0]]
    yield "most_similar", lambda: [score for _, score in model.most_similar([words[0]], k=3)]
    yield "similarity", lambda: model.similarity(words[0], words[-1])
    yield "doesnt_match", lambda: model.doesnt_match(words)
    yield "in", lambda: [words[0] in model, "nothing" in model, len(model.words)]
    line = " ".join([*map(str, words), *map(str, words)][:4])
    yield "analogies", lambda: model.analogies([": kind", line]) and None
    yield (
        "similarities",
        lambda: model.similarities([f"{words[0]} {words[-1]} 3", f"{words[-1]} {words[0]} 2"]) and None,
    )
    yield "fold_in", lambda: model.fold_in({"a new word": {words[0]: 2.0}})
    model.set_params(iterations=1, progress=False, min_count=1)
    if model.keep_counts:
        yield "partial_fit", lambda: model.partial_fit([[*map(str, words), "other"]] * 3).vectors
