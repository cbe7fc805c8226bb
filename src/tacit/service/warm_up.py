"""A first answer before anybody waits for one: kernels are loaded or compiled, and what searches need is built."""

from collections.abc import Callable
from typing import Any

from tacit.errors import TacitError
from tacit.neighbours.first_answers import allowance
from tacit.service import questions
from tacit.service.limits import Limits
from tacit.service.served import Served

FIRST: dict[str, Callable[[Any], questions.Question]] = {
    "recommend": lambda model: questions.Recommend(rows=model.row_ids_.all()[:1].tolist()),
    "tags": lambda model: questions.Tags(texts=["first"]),
    "neighbours": lambda model: questions.Neighbours(positive=[str(model.words_[0])]),
    "predict": lambda model: questions.Predict(rows=["first"], cols=["first"]),
    "grade": lambda model: questions.Grade(rows=[[0.0] * int(model.n_features_in_)]),
}
"""Route → a question that any model answers which answers there."""


def answer_once(served: Served, limits: Limits) -> None:
    """Ask a model what it will be asked first, and the kernels at once: no later answer waits for them."""
    allowance.end()
    model = served.state.model
    for name in questions.abilities(model):
        if name not in FIRST or (name == "recommend" and not hasattr(model, "row_ids_")):
            continue
        try:
            questions.ASKS[name][2](served, FIRST[name](model), limits)
        except TacitError:
            continue  # a model with contexts, say, answers only who names them
