"""What ``evaluate`` measures of models that are no recommenders, by the public calls that they have.

a model with             is a         data                     measures
``predict_topk``         tagger       X, Y                     precision@k, recall@k, ndcg@k
``rank_score``           ranker       X, y                     those of ``ordinal_metrics``
``predict_then_learn``   stream       users, items, ratings    mae, rmse of ``predict``; nothing is learned
``most_similar``         word space   questions, pairs         analogies (all, semantic, syntactic), similarity
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.label_sets import read_labels
from tacit.data.rating_columns import rating_columns
from tacit.errors import InputError
from tacit.metrics.labels import ndcg_at_k, precision_at_k, recall_at_k
from tacit.metrics.ordinal import ordinal_metrics
from tacit.metrics.ranking import Evaluation
from tacit.metrics.ratings import mae, rmse
from tacit.metrics.words import analogies, similarities

Measure = Callable[..., Evaluation]
"""Of a model, the lengths of lists, and the data of its job."""


def of_tagger(model: Any, cutoffs: Sequence[int], X: Any, Y: Any) -> Evaluation:
    """Are the right labels among the best k? Rows without labels are left out; a label that is unknown is missed."""
    best = model.predict_topk(X, cutoffs[-1], return_scores=True)
    truth, names, _ = read_labels(Y, rows=len(best.ids), known=Ids.of_distinct(model.classes_, "labels"))
    numbers = np.full(best.ids.shape, -1, dtype=np.int64)
    numbers[best.filled] = names.numbers(best.ids[best.filled])
    carrying = np.flatnonzero(np.diff(truth.indptr))
    values = {
        f"{name}@{k}": measure(truth[carrying], numbers[carrying], k)
        for k in cutoffs
        for name, measure in (("precision", precision_at_k), ("recall", recall_at_k), ("ndcg", ndcg_at_k))
    }
    return Evaluation(values, len(carrying), len(numbers) - len(carrying), cases="rows with labels")


def of_ranker(model: Any, cutoffs: Sequence[int], X: Any, y: Any) -> Evaluation:
    """Are grades in the right order, and near the truth? Rows without a grade are left out."""
    code_of = {grade: number for number, grade in enumerate(model.classes_.tolist())}
    codes = np.array([_code(code_of, grade, model) for grade in checks.listed("y", y)], dtype=np.int64)
    scores, predicted = model.rank_score(X), np.array([code_of[grade] for grade in model.predict(X).tolist()])
    if len(scores) != len(codes):
        raise InputError(f"X and y must be equally long, not {len(scores)} and {len(codes)}.")
    known = codes >= 0
    values = ordinal_metrics(codes[known], scores[known], predicted[known])
    return Evaluation(values, int(known.sum()), int((~known).sum()), cases="rows with a grade")


def of_stream(model: Any, cutoffs: Sequence[int], users: Any, items: Any = None, ratings: Any = None) -> Evaluation:
    """How far off are predictions? The stream does not learn here: ``progressive`` predicts and learns in turn."""
    users, items, values = rating_columns(users, items, ratings)
    predicted = model.predict(users, items)
    return Evaluation({"mae": mae(values, predicted), "rmse": rmse(values, predicted)}, len(values), 0, cases="ratings")


def of_words(model: Any, cutoffs: Sequence[int], questions: Any, pairs: Any = None) -> Evaluation:
    """Analogies over the questions whose words are known, and the correlation with people's similarities."""
    values: dict[str, float] = {}
    known = asked = 0
    if questions is not None:
        scores = analogies(model.vectors, model.words, questions)
        parts = {"analogies": scores.total, "semantic": scores.semantic, "syntactic": scores.syntactic}
        values |= {name: part.accuracy for name, part in parts.items() if part.asked}
        known, asked = scores.total.known, scores.total.asked
    if pairs is not None:
        score = similarities(model.vectors, model.words, pairs)
        values["similarity"] = score.correlation
        known, asked = known + score.known, asked + score.asked
    return Evaluation(values, known, asked - known, cases="questions whose words are known")


JOBS: dict[str, Measure] = {
    "predict_topk": of_tagger,
    "rank_score": of_ranker,
    "predict_then_learn": of_stream,
    "most_similar": of_words,
}
"""A call that only such a model has → how it is measured."""


def other_job(model: Any) -> Measure | None:
    """How a model is measured; None where it is none of these."""
    return next((measure for call, measure in JOBS.items() if hasattr(model, call)), None)


def call(
    function: Callable[..., Any], first: tuple[Any, ...], kind: str, data: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """``function(*first, *data, **named)``, or one sentence on what data a model of this kind is measured on."""
    try:
        arguments = signature(function).bind(*first, *data, **named)
    except TypeError:
        names = ", ".join(list(signature(function).parameters)[len(first) :])
        raise InputError(f"evaluate measures a {kind} on {names}; give these, by position or by name.") from None
    return function(*arguments.args, **arguments.kwargs)


def _code(code_of: dict[Any, int], grade: Any, model: Any) -> int:
    """The number of a grade, -1 where there is none."""
    if grade in code_of:
        return code_of[grade]
    if grade is None or grade != grade or grade == getattr(model, "unlabelled_mark", -1):
        return -1
    raise InputError(f"y: {checks.shown(grade)} is no grade that the model knows.")
