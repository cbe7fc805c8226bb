"""Questions to models: what a request may say, and the answer by the model's public calls.

A question is a struct whose fields are the request's; ``answer`` gives what goes back as JSON. Every kind of question
names the call that a model must have.
"""

from collections.abc import Callable
from typing import Any, Literal

import msgspec
import numpy as np

from tacit.errors import InputError
from tacit.service.errors import ServiceError
from tacit.service.events import Id
from tacit.service.learners import TaggerLearner
from tacit.service.limits import Limits
from tacit.service.served import Served

Answer = dict[str, Any]


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """Base of all questions."""


class History(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody unknown has taken."""

    cols: list[Id]
    weights: list[float] | None = None


class Recommend(Question):
    """The k best columns for rows that are known, or for new ones by their histories."""

    rows: list[Id] | None = None
    k: int = 10
    exclude_seen: bool = True
    include: list[Id] | None = None
    exclude: list[Id] | None = None
    context: dict[str, Id] | None = None
    histories: list[History] | None = None
    unknown: Literal["error", "skip", "average"] = "error"


class Similar(Question):
    """The k nearest of columns (or rows)."""

    ids: list[Id]
    k: int = 10
    side: Literal["rows", "cols"] = "cols"


class Score(Question):
    """Scores of pairs."""

    rows: list[Id]
    cols: list[Id]
    context: dict[str, Id] | None = None


class Why(Question):
    """What each part of a row's history adds to the score of a column, or each word of a text to that of a tag."""

    col: Id
    row: Id | None = None
    history: History | None = None
    text: str | None = None


class Tags(Question):
    """The k best tags of texts; ``rows`` are their own ids, under which decisions are known."""

    texts: list[str]
    k: int = 5
    rows: list[Id] | None = None


class Missing(Question):
    """Tags that texts probably lack, beside those that they have, best first."""

    texts: list[str]
    tags: list[list[Id]]
    n: int = 20
    rows: list[Id] | None = None


class Neighbours(Question):
    """The k words nearest to some less others: with ``negative`` an analogy."""

    positive: list[str]
    negative: list[str] = []
    k: int = 10


class Predict(Question):
    """Ratings to expect of pairs."""

    rows: list[Id]
    cols: list[Id]


class Grade(Question):
    """Grades of rows, given as numbers by the names of their features, or in their order."""

    rows: list[dict[str, float] | list[float]]


def recommend(served: Served, ask: Recommend, limits: Limits) -> Answer:
    model = served.state.model
    limits.check_k(ask.k)
    if (ask.rows is None) == (ask.histories is None):
        raise InputError("give either rows or histories.")
    given = ask.rows if ask.rows is not None else ask.histories or []
    limits.check_batch(len(given))
    options: dict[str, Any] = {}
    if hasattr(model, "learn_one"):
        if ask.rows is None:
            raise InputError("a rating stream recommends to rows; it does not take histories.")
        with served.lock:
            return {"results": _lists(model.recommend(ask.rows, k=ask.k, exclude=ask.exclude or ()), ask.rows)}
    if ask.context is not None:
        options["context"] = ask.context
    if ask.unknown != "error":
        options["unknown"] = ask.unknown
    rows: Any = ask.rows if ask.rows is not None else _histories(model, ask.histories or [])
    ranked = model.recommend(
        rows, k=ask.k, exclude_seen=ask.exclude_seen, include=ask.include, exclude=ask.exclude, **options
    )
    results = _lists(ranked, ranked.queries.tolist())
    for result, history in zip(results, ask.histories or ()):
        unknown = _unknown(model, history)
        if unknown:
            result["unknown"] = unknown
    return {"results": results}


def is_plain(served: Served, ask: Recommend) -> bool:
    """One known row and no wishes: such questions may be asked together."""
    return (
        ask.rows is not None
        and len(ask.rows) == 1
        and ask.include is None
        and ask.exclude is None
        and ask.context is None
        and ask.histories is None
        and ask.unknown == "error"
        and not hasattr(served.state.model, "learn_one")
    )


def recommend_together(key: tuple[Served, int, bool, Limits], rows: list[Id]) -> list[Answer]:
    """The list of each of several rows that are asked for in the same way."""
    served, k, exclude_seen, limits = key
    limits.check_k(k)
    if len({isinstance(row, int) for row in rows}) > 1:
        raise InputError("rows of two kinds are asked one by one.")
    return _lists(served.state.model.recommend(rows, k=k, exclude_seen=exclude_seen), rows)


def similar(served: Served, ask: Similar, limits: Limits) -> Answer:
    limits.check_k(ask.k)
    limits.check_batch(len(ask.ids))
    ranked = getattr(served.state.model, f"similar_{ask.side}")(ask.ids, k=ask.k)
    return {"results": _lists(ranked, ask.ids, "id")}


def score(served: Served, ask: Score, limits: Limits) -> Answer:
    limits.check_batch(max(len(ask.rows), len(ask.cols)))
    options = {} if ask.context is None else {"context": ask.context}
    return {"scores": served.state.model.score_pairs(ask.rows, ask.cols, **options).tolist()}


def why(served: Served, ask: Why, limits: Limits) -> Answer:
    """What each part adds by the model's own account; of a history, what is lost when that part is away."""
    model = served.state.model
    if sum(given is not None for given in (ask.row, ask.history, ask.text)) != 1:
        raise InputError("give one of row, history and text.")
    if (ask.text is None) == hasattr(model, "predict_topk"):
        raise InputError("why asks a tagger about a text, and a recommender about a row or a history.")
    if ask.row is not None:
        evidence = model.why(ask.row, ask.col)
        parts = list(zip(evidence.ids.tolist(), evidence.contributions.tolist()))
        return {
            "score": evidence.total,
            "because": [{"id": ident, "adds": adds} for ident, adds in parts],
            "remainder": evidence.remainder,
        }
    if ask.text is not None:
        spoken = model.words_for(ask.text, ask.col)
        total, parts = spoken.total, list(zip(spoken.ids.tolist(), spoken.contributions.tolist()))
    else:
        total, parts = _parts_of_history(model, ask.history or History([]), ask.col, limits)
    parts.sort(key=lambda part: -part[1])
    return {"score": total, "because": [{"id": ident, "adds": adds} for ident, adds in parts]}


def _parts_of_history(model: Any, history: History, col: Id, limits: Limits) -> tuple[float, list[tuple[Any, float]]]:
    """The score of a column by a history, and what each part of it is worth: all less all but that part."""
    limits.check_batch(len(history.cols))
    weights = history.weights if history.weights is not None else [1.0] * len(history.cols)
    without = [
        History(history.cols[:k] + history.cols[k + 1 :], weights[:k] + weights[k + 1 :]) for k in range(len(weights))
    ]
    asked = _histories(model, [History(history.cols, weights), *without])
    ranked = model.recommend(asked, k=1, exclude_seen=False, include=[col])
    scores = ranked.scores[:, 0].astype(np.float64)
    return float(scores[0]), list(zip(history.cols, (scores[0] - scores[1:]).tolist()))


def tags(served: Served, ask: Tags, limits: Limits) -> Answer:
    limits.check_k(ask.k)
    limits.check_batch(len(ask.texts))
    decided = _decided(served, ask.rows, len(ask.texts))
    most = max((len(one) for one in decided), default=0)
    ranked = served.state.model.predict_topk(
        ask.texts, min(ask.k + most, len(served.state.model.classes_)), return_scores=True
    )
    results = []
    for place, listed in enumerate(_lists(ranked, list(range(len(ask.texts))))):
        known = decided[place]
        kept = [(i, s) for i, s in zip(listed["ids"], listed["scores"]) if i not in known]
        accepted = [ident for ident, right in known.items() if right]
        results.append(
            {
                "row": ask.rows[place] if ask.rows else place,
                "ids": [i for i, _ in kept][: ask.k],
                "scores": [s for _, s in kept][: ask.k],
                "accepted": accepted,
            }
        )
    return {"results": results}


def missing(served: Served, ask: Missing, limits: Limits) -> Answer:
    limits.check_k(ask.n)
    limits.check_batch(len(ask.texts))
    if len(ask.tags) != len(ask.texts):
        raise InputError(f"tags must have one list for each of the {len(ask.texts)} texts, not {len(ask.tags)}.")
    decided = _decided(served, ask.rows, len(ask.texts))
    model = served.state.model
    barred = [{*known, *had} for known, had in zip(decided, ask.tags)]
    depth = min(len(model.classes_), ask.n + max(map(len, barred), default=0))
    lists = _lists(model.predict_topk(ask.texts, depth, return_scores=True), list(range(len(ask.texts))))
    cells = [
        {"row": ask.rows[place] if ask.rows else place, "id": ident, "score": value}
        for place, listed in enumerate(lists)
        for ident, value in zip(listed["ids"], listed["scores"])
        if ident not in barred[place]
    ]
    cells.sort(key=lambda cell: -float(cell["score"]))
    return {"results": cells[: ask.n]}


def neighbours(served: Served, ask: Neighbours, limits: Limits) -> Answer:
    limits.check_k(ask.k)
    limits.check_batch(len(ask.positive) + len(ask.negative))
    words = served.state.model.most_similar(ask.positive, ask.negative, k=ask.k)
    return {"results": [{"ids": [word for word, _ in words], "scores": [float(value) for _, value in words]}]}


def predict(served: Served, ask: Predict, limits: Limits) -> Answer:
    limits.check_batch(len(ask.rows))
    if len(ask.rows) != len(ask.cols):
        raise InputError(f"rows and cols must be equally long, not {len(ask.rows)} and {len(ask.cols)}.")
    with served.lock:
        return {"ratings": served.state.model.predict(ask.rows, ask.cols).tolist()}


def grade(served: Served, ask: Grade, limits: Limits) -> Answer:
    limits.check_batch(len(ask.rows))
    model = served.state.model
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    table: list[list[float]] = []
    for place, row in enumerate(ask.rows):
        if isinstance(row, dict):
            lacking = [name for name in names if name not in row]
            if not names or lacking:
                what = f"lacks {lacking[0]!r}" if lacking else "has names, but the model knows features by place only"
                raise InputError(f"rows: row {place} {what}.")
            table.append([row[name] for name in names])
        else:
            table.append(list(row))
    width = int(model.n_features_in_)
    if any(len(row) != width for row in table):
        raise InputError(f"rows: every row needs as many numbers as the model has features, {width}.")
    numbers: Any = np.array(table, dtype=np.float64).reshape(len(table), -1)
    if names:
        import polars as pl

        numbers = (
            pl.DataFrame(numbers, schema=names) if len(table) else pl.DataFrame(schema=dict.fromkeys(names, pl.Float64))
        )
    if not len(table):
        return {"results": []}
    grades, scores, chances = model.predict(numbers), model.rank_score(numbers), model.predict_proba(numbers)
    return {
        "classes": model.classes_.tolist(),
        "results": [
            {"grade": g, "score": s, "chances": c}
            for g, s, c in zip(grades.tolist(), scores.tolist(), chances.tolist())
        ],
    }


ASKS: dict[str, tuple[type[Question], str, Callable[[Served, Any, Limits], Answer]]] = {
    "recommend": (Recommend, "recommend", recommend),
    "similar": (Similar, "similar_cols", similar),
    "score": (Score, "score_pairs", score),
    "why": (Why, "why", why),
    "tags": (Tags, "words_", tags),
    "missing": (Missing, "words_", missing),
    "neighbours": (Neighbours, "most_similar", neighbours),
    "predict": (Predict, "predict_one", predict),
    "grade": (Grade, "rank_score", grade),
}
"""Route → what a request says, what a model must have to answer it, and how."""


def abilities(model: Any) -> list[str]:
    """The questions that a model answers."""
    return [name for name, (_, needs, _) in ASKS.items() if _can(model, name, needs)]


def require(served: Served, name: str) -> None:
    """Refuse a question that the model cannot answer."""
    if not _can(served.state.model, name, ASKS[name][1]):
        able = ", ".join(abilities(served.state.model))
        raise ServiceError(
            409,
            f"{served.name} is a {type(served.state.model).__name__} and does not answer {name}; it answers {able}.",
        )


def _can(model: Any, name: str, needs: str) -> bool:
    if name in ("tags", "missing") and not hasattr(model, "predict_topk"):
        return False
    if name == "why" and not (hasattr(model, "recommend") or hasattr(model, "words_")):
        return False
    return hasattr(model, needs)


def _histories(model: Any, histories: list[History]) -> Any:
    """Histories as a matrix in the model's numbering; columns that it does not know are left out."""
    import scipy.sparse as sp

    rows, cols, values = [], [], []
    for place, history in enumerate(histories):
        weights = history.weights if history.weights is not None else [1.0] * len(history.cols)
        if len(weights) != len(history.cols):
            raise InputError(f"histories: history {place} has {len(history.cols)} cols and {len(weights)} weights.")
        if not all(0 <= weight <= 1e30 for weight in weights):
            raise InputError(f"histories: history {place} has a weight that is not between 0 and 1e30.")
        numbers = model.col_ids_.numbers(history.cols)
        known = numbers >= 0
        rows += [place] * int(known.sum())
        cols += numbers[known].tolist()
        values += [weight for weight, here in zip(weights, known.tolist()) if here]
    shape = len(histories), len(model.col_ids_)
    return sp.csr_array((np.array(values, dtype=np.float32), (np.array(rows, int), np.array(cols, int))), shape=shape)


def _unknown(model: Any, history: History) -> list[Id]:
    """The columns of a history that the model does not know, and so leaves out."""
    return [col for col, number in zip(history.cols, model.col_ids_.numbers(history.cols).tolist()) if number < 0]


def _lists(ranked: Any, queries: list[Any], name: str = "row") -> list[Answer]:
    """Ids and scores of each query, without the places that could not be filled."""
    if np.count_nonzero(ranked.filled) == ranked.filled.size:  # several times as quick as ``all``
        ids, scores = ranked.ids.tolist(), ranked.scores.tolist()
        return [{name: query, "ids": ids[k], "scores": scores[k]} for k, query in enumerate(queries)]
    return [
        {
            name: query,
            "ids": ranked.ids[k][ranked.filled[k]].tolist(),
            "scores": ranked.scores[k][ranked.filled[k]].tolist(),
        }
        for k, query in enumerate(queries)
    ]


def _decided(served: Served, rows: list[Id] | None, count: int) -> list[dict[Id, bool]]:
    """What was decided about the tags of each text."""
    if rows is not None and len(rows) != count:
        raise InputError(f"rows must have one id for each of the {count} texts, not {len(rows)}.")
    learner = served.state.learner
    if rows is None or not isinstance(learner, TaggerLearner):
        return [{} for _ in range(count)]
    return [dict(learner.decisions.get(row, {})) for row in rows]
