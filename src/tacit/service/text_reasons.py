"""Which words of a text speak for a tag: what its score loses when one of them is taken away."""

import re
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from tacit.service.events import Id

_WORD = re.compile(r"\w\w+")
MOST_WORDS = 60
"""Words of a text that are taken away in turn; those after them stay."""


def words_that_speak(model: Any, text: str, tag: Id) -> tuple[float, list[tuple[str, float]]]:
    """The score of a tag for a text, and what each of the words that the tagger knows is worth, without stop words."""
    label = model.label_ids_.require([tag])[0]
    told = [word for word in dict.fromkeys(_WORD.findall(text.lower())) if word not in ENGLISH_STOP_WORDS]
    known = model.words_.numbers(told) if told else []
    words = [word for word, number in zip(told, known) if number >= 0][:MOST_WORDS]
    without = [re.sub(rf"\b{re.escape(word)}\b", " ", text, flags=re.IGNORECASE) for word in words]
    scores = model.decision_function([text, *without])[:, label].astype(float)
    return float(scores[0]), list(zip(words, (scores[0] - scores[1:]).tolist()))
