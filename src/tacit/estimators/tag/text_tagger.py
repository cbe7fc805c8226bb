"""TextTagger: texts in, labels out. It holds a tagger and its vocabulary in one model."""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import scipy.sparse as sp

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.label_sets import read_labels
from tacit.errors import InputError
from tacit.estimators.concurrency import view
from tacit.estimators.evidence import Evidence
from tacit.estimators.members import copied
from tacit.estimators.model import Array, Callback, Model
from tacit.estimators.tag.kernel_tagger import KernelTagger as KernelTagger
from tacit.estimators.tag.neighbour_tagger import NeighbourTagger
from tacit.estimators.tag.tables import MOST_PHRASES, TEXT
from tacit.estimators.tag.tagger import Tagger

if TYPE_CHECKING:
    from tacit.estimators.tag.audit_report import MissingLabels

_WORD = re.compile(r"\w\w+")
MOST_WORDS = 60
"""Words of a text that are taken away in turn; those after them stay."""


class TextTagger(Model):
    """Tags texts: tf-idf of their words, then a tagger.

    In Python a scikit-learn ``Pipeline`` of any vectoriser and a tagger does as much; this one can be saved, grows by
    words it has not seen, and is what the command line uses.

    Parameters
    ----------
    tagger : any tagger, whose parameters ``set_params(tagger__neighbours=50)`` and ``GridSearchCV`` reach; None for
        ``NeighbourTagger()``
    min_count : words in fewer texts are left out
    phrases : runs of up to so many words are features too

    >>> texts = ["a red ball", "red apples", "the blue sea", "blue sky"]
    >>> model = TextTagger(KernelTagger(), min_count=1).fit(texts, [["red"], ["red"], ["blue"], ["blue"]])
    >>> model.predict_topk(["a blue boat"], k=1).tolist()
    [['blue']]
    """

    _schema = TEXT

    def __init__(
        self,
        tagger: Tagger | None = None,
        *,
        min_count: int = 2,
        phrases: int = 1,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.tagger = tagger
        self.min_count = min_count
        self.phrases = phrases
        self.threads = threads
        self.progress = progress
        self.callback = callback

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tagger_")

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(
        self, texts: Sequence[str], Y: Any, label_graph: Any = None, *, labels: Iterable[Hashable] | None = None
    ) -> Self:
        """Learn from texts and known labels: a matrix, a table, or one collection of labels per text.

        ``label_graph`` is that of ``NeighbourTagger(method="joint")``.
        """
        tagger = self.unfitted_tagger()
        graph = {} if label_graph is None else {"label_graph": label_graph}
        if graph and not isinstance(tagger, NeighbourTagger):
            raise InputError("label_graph is used by NeighbourTagger(method='joint') only; leave it out.")
        self.words_, self._frequency, self._texts_seen = Ids([], "words"), np.empty(0, np.int64), 0
        X = self._learn_words(texts)
        self.tagger_ = tagger.fit(X, Y, labels=labels, **graph)
        return self

    def partial_fit(self, texts: Sequence[str], Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Add texts; new labels join, and new words that occur ``min_count`` times in them."""
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, Y, labels=labels)
        # Whoever asks meanwhile keeps the old words with the old tagger.
        tagger = view(self.tagger_)
        before = self.words_, self._frequency, self._texts_seen
        try:
            self.tagger_ = tagger.partial_fit(self._learn_words(texts), Y, labels=labels)
        except BaseException:
            self.words_, self._frequency, self._texts_seen = before
            raise
        return self

    def unfitted_tagger(self) -> Any:
        """A copy of the tagger that ``fit`` trains."""
        tagger = NeighbourTagger() if self.tagger is None else self.tagger
        outer: dict[str, Any] = {"threads": self.threads, "progress": self.progress, "callback": self.callback}
        return copied(tagger, "tagger", Tagger, "NeighbourTagger()", **outer)

    def _learn_words(self, texts: Sequence[str]) -> sp.csr_array:
        """Count words, add the new ones that occur often enough, and give the texts' features."""
        checks.integer("min_count", self.min_count, 1)
        texts = _checked(texts)
        if not texts:
            raise InputError("texts is empty; give at least one text.")
        counter = self._counter()
        try:
            counts = sp.csr_array(counter.fit_transform(texts))
        except ValueError:
            raise InputError("texts hold no words of two letters or more; give text to learn from.") from None
        occurs = np.bincount(counts.indices, minlength=counts.shape[1])
        seen = counter.get_feature_names_out().tolist()
        numbers = self.words_.numbers(seen)
        new = [word for word, number, often in zip(seen, numbers, occurs) if number < 0 and often >= self.min_count]
        if not len(self.words_) and not new:
            raise InputError(f"no word occurs in at least {self.min_count} texts; lower min_count.")
        self.words_ = self.words_.extended(new) if new else self.words_
        self._frequency = np.concatenate((self._frequency, np.zeros(len(new), np.int64)))
        numbers = self.words_.numbers(seen)
        np.add.at(self._frequency, numbers[numbers >= 0], occurs[numbers >= 0])
        self._texts_seen += len(texts)
        return self._features(texts)

    def _counter(self, vocabulary: list[str] | None = None) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer

        phrases = checks.integer("phrases", self.phrases, 1, most=MOST_PHRASES)
        return CountVectorizer(ngram_range=(1, phrases), vocabulary=vocabulary)

    # -- asking ------------------------------------------------------------------------------------------------

    def _features(self, texts: Sequence[str]) -> sp.csr_array:
        """(1 + log count) · log(1 + n / df) of the known words."""
        texts = _checked(texts)
        if not texts:
            return sp.csr_array((0, len(self.words_)), dtype=np.float32)
        counts = sp.csr_array(self._counter(self.words_.all().tolist()).transform(texts), dtype=np.float32)
        weight = np.log1p(self._texts_seen / np.maximum(self._frequency, 1)).astype(np.float32)
        data = (1 + np.log(counts.data)) * weight[counts.indices]
        return sp.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def why(self, text: str, label: Hashable) -> Evidence:
        """What speaks for a label of one text: words where the tagger weighs features, else training rows.

        See ``KernelTagger.why``: the contributions sum to the score. ``words_for`` names words for any tagger.
        """
        self._require_fitted("why")
        result: Evidence = self.tagger_.why(self._features([text]), label)
        if not self.tagger_.weighs_features:
            return result
        return replace(result, ids=self.words_.take(result.ids))

    def words_for(self, text: str, label: Hashable) -> Evidence:
        """The words of one text that speak for a label, by any tagger; with the remainder they sum to the score.

        Where features are weighed, what each word adds; where neighbours vote, each vote is shared among the words by
        their parts in the likeness to the voter; else what the score loses when the word is taken away. Stop words
        belong to the remainder.

        >>> texts = ["a red ball", "red apples", "the blue sea", "blue sky"]
        >>> model = TextTagger(min_count=1).fit(texts, [["red"], ["red"], ["blue"], ["blue"]])
        >>> print(model.words_for("blue boats and a red sea", "blue").ids.tolist())
        ['blue', 'sea', 'red']
        """
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._require_fitted("words_for")
        column = int(self.label_ids_.require([label])[0])
        result: Evidence | None = self.tagger_.features_for(self._features([text]), column)
        if result is None:
            result = self._words_taken_away(text, column)
        else:
            result = replace(result, ids=self.words_.take(result.ids))
        telling = np.array([word not in ENGLISH_STOP_WORDS for word in result.ids.tolist()], dtype=bool)
        remainder = result.remainder + float(result.contributions[~telling].sum())
        named = "stop words" if not result.remainder else f"{result.remainder_is}, stop words"
        return Evidence.of(
            result.ids[telling],
            result.contributions[telling],
            remainder,
            result.remainder_is if telling.all() else named,
        )

    def _words_taken_away(self, text: str, column: int) -> Evidence:
        """What the score loses without each word; words speak together, so that losses seldom sum to the score."""
        told = list(dict.fromkeys(_WORD.findall(text.lower())))
        known: list[int] = self.words_.numbers(told).tolist() if told else []
        words = [word for word, number in zip(told, known) if number >= 0][:MOST_WORDS]
        without = [re.sub(rf"\b{re.escape(word)}\b", " ", text, flags=re.IGNORECASE) for word in words]
        scores = self.decision_function([text, *without])[:, column].astype(np.float64)
        losses = scores[0] - scores[1:]
        rest = float(scores[0] - losses.sum())
        return Evidence.of(np.array(words, dtype=object), losses, rest, "what words say together")

    @property
    def history_(self) -> list[dict[str, Any]]:
        """What the tagger recorded while it learned."""
        records: list[dict[str, Any]] = self.tagger_.history_
        return records

    @property
    def label_ids_(self) -> Ids:
        """The labels that the tagger knows."""
        labels: Ids = self.tagger_.label_ids_
        return labels

    @property
    def classes_(self) -> Array:
        """The same as an array, as scikit-learn names it."""
        labels: Array = self.tagger_.classes_
        return labels

    def predict_topk(self, texts: Sequence[str], k: int = 5, *, return_scores: bool = False) -> Any:
        """The k best labels of each text; see ``NeighbourTagger.predict_topk``."""
        self._require_fitted("predict_topk")
        return self.tagger_.predict_topk(self._features(texts), k, return_scores=return_scores)

    def predict(self, texts: Sequence[str]) -> Any:
        """Labels of each text, in the form in which ``fit`` got them."""
        self._require_fitted("predict")
        return self.tagger_.predict(self._features(texts))

    def decision_function(self, texts: Sequence[str]) -> Array:
        """Scores of all labels, (n, L)."""
        self._require_fitted("decision_function")
        scores: Array = self.tagger_.decision_function(self._features(texts))
        return scores

    def score(self, texts: Sequence[str], Y: Any) -> float:
        """Mean nDCG@5."""
        self._require_fitted("score")
        return float(self.tagger_.score(self._features(texts), Y))

    def missing_labels(
        self, texts: Sequence[str], Y: Any, n: int = 100, *, labels: Iterable[Hashable] | None = None, **options: Any
    ) -> "MissingLabels":
        """Labels that are probably missing, with texts and words as evidence; see ``Tagger.missing_labels``."""
        texts = _checked(texts)
        reader = TextTagger(min_count=self.min_count, phrases=self.phrases)
        reader.words_, reader._frequency, reader._texts_seen = Ids([], "words"), np.empty(0, np.int64), 0
        X = reader._learn_words(texts)
        matrix, names, _ = read_labels(Y, rows=len(texts), names=labels)
        return cast(Tagger, self.unfitted_tagger()).missing_labels(
            X, matrix, n, labels=names.all(), feature_names=reader.words_.all(), texts=texts, **options
        )

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        parts = {"words": self.words_, "frequency": self._frequency, "tagger": [self.tagger_]}
        return {"texts": self._texts_seen}, parts

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self.words_, self._frequency, self._texts_seen = parts["words"], parts["frequency"], facts["texts"]
        (self.tagger_,) = parts["tagger"]


def _checked(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise InputError("texts must be a list of texts, not one text; put it in a list.")
    listed = ["" if text is None else text for text in checks.listed("texts", texts)]
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            raise InputError(f"texts: entry {index} is {checks.shown(text)}, not text.")
    return listed
