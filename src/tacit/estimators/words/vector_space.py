"""Queries on words and their vectors: neighbours, similarity, the odd one out, export.

A class with ``words_`` (ids) and ``vectors`` (v, d) inherits them.
"""

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.compressed import read_text
from tacit.data.ids import Ids
from tacit.data.word2vec_format import write_word2vec
from tacit.errors import InputError
from tacit.estimators.model import Model
from tacit.metrics.words import AnalogyScores, SimilarityScore, analogies, similarities
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import normalise, top_k
from tacit.report.word_map import draw_map

Array = NDArray[Any]
Question = Hashable | Array | Iterable[Hashable | Array]


class VectorSpace(Model):
    """What people ask of word vectors. Words are ids of any kind, similarity is the cosine."""

    words_: Ids
    threads: int

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(v, d), one row per word, in the order of ``words``."""
        raise NotImplementedError

    @property
    def words(self) -> list[Any]:
        """The words, most frequent first."""
        self._require_fitted("words")
        listed: list[Any] = self.words_.all().tolist()
        return listed

    def __contains__(self, word: object) -> bool:
        self._require_fitted("in")
        return word in self.words_

    def __getitem__(self, word: Hashable) -> NDArray[np.float32]:
        """The vector of one word."""
        self._require_fitted("[]")
        row: NDArray[np.float32] = np.array(self.vectors[self.words_.require([word])[0]])
        return row

    @property
    def unit_vectors(self) -> NDArray[np.float32]:
        """The vectors scaled to length one; computed once for the current vectors."""
        vectors = self.vectors
        return self._derived.of("unit vectors", (vectors,), lambda: normalise(vectors))

    def most_similar(self, positive: Question, negative: Question = (), k: int = 10) -> list[tuple[Any, float]]:
        """The k words nearest to the sum of some words (or vectors) less others; the given words are left out.

        The words' vectors are first scaled to length one (3CosAdd), so ``positive=["king", "woman"],
        negative=["man"]`` asks what is to woman as king is to man.
        """
        self._require_fitted("most_similar")
        plus, minus = self._listed(positive), self._listed(negative)
        if not plus and not minus:
            raise InputError("positive and negative are both empty; give at least one word.")
        query = np.zeros(self.vectors.shape[1], dtype=np.float32)
        given: list[int] = []
        for sign, asked in ((1, plus), (-1, minus)):
            for one in asked:
                if isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind == "f":
                    query += sign * normalise(self._checked_vector(one)[None])[0]
                else:
                    given.append(int(self.words_.require([one])[0]))
                    query += sign * self.unit_vectors[given[-1]]
        left_out = np.unique(np.array(given, dtype=np.int32))
        numbers, scores = top_k(
            normalise(query[None]),
            self.unit_vectors,
            min(checks.integer("k", k, 1), len(self.words_)),
            Filters(excluded=(np.array([0, len(left_out)]), left_out)),
            threads=self.threads,
        )
        filled = numbers[0] >= 0
        return list(zip(self.words_.take(numbers[0][filled]).tolist(), scores[0][filled].tolist()))

    def similarity(self, word: Hashable, other: Hashable) -> float:
        """The cosine between two words."""
        self._require_fitted("similarity")
        a, b = self.words_.require([word, other])
        return float(self.unit_vectors[a] @ self.unit_vectors[b])

    def doesnt_match(self, words: Sequence[Hashable]) -> Any:
        """The word that is farthest from the mean direction of all of them; the first one where several are."""
        self._require_fitted("doesnt_match")
        listed = self._listed(words)
        if len(listed) < 2:
            raise InputError(f"words must hold at least two words to choose from, not {len(listed)}.")
        units = self.unit_vectors[self.words_.require(listed)]
        return listed[int(np.argmin(units @ normalise(units.mean(axis=0)[None])[0]))]

    def analogies(self, questions: str | os.PathLike[str] | Iterable[str], lowercase: bool = True) -> AnalogyScores:
        """Answer questions "a is to b as c is to …" by 3CosAdd, in sections, with both denominators.

        questions : a file (may be compressed) or its lines: ``a b c d``, and ``: name`` where a section begins
        """
        self._require_fitted("analogies")
        words = [str(word) for word in self.words]
        return analogies(self.vectors, words, _lines(questions), lowercase=lowercase, threads=self.threads)

    def similarities(self, pairs: str | os.PathLike[str] | Iterable[str], lowercase: bool = True) -> SimilarityScore:
        """Spearman's correlation of the cosines with people's scores.

        pairs : a file (may be compressed) or its lines: two words and a score
        """
        self._require_fitted("similarities")
        return similarities(self.vectors, [str(word) for word in self.words], _lines(pairs), lowercase=lowercase)

    def draw_map(
        self, words: Sequence[Hashable] | None = None, path: str | os.PathLike[str] | None = None, k: int = 200
    ) -> Any:
        """A two-dimensional picture of some words, or of the k most frequent; needs the extra ``viz``.

        Returns the matplotlib figure, and saves it where a path is given.
        """
        self._require_fitted("draw_map")
        chosen = self.words[:k] if words is None else self._listed(words)
        return draw_map(chosen, self.unit_vectors[self.words_.require(chosen)], path)

    def save_word2vec(self, path: str | os.PathLike[str], binary: bool = False) -> None:
        """Write the vectors in word2vec's text or binary format, which gensim and others read."""
        self._require_fitted("save_word2vec")
        write_word2vec(path, [str(word) for word in self.words], self.vectors, binary)

    def _listed(self, asked: Question) -> list[Any]:
        """One word, one vector, or many: a list of them."""
        if isinstance(asked, str | bytes) or (
            isinstance(asked, np.ndarray) and asked.ndim == 1 and asked.dtype.kind == "f"
        ):
            return [asked]
        if isinstance(asked, Iterable) and not (isinstance(asked, tuple) and asked in self.words_):
            return checks.listed("words", asked)
        return [asked]

    def _checked_vector(self, vector: Array) -> Array:
        if vector.shape != (self.vectors.shape[1],) or not np.all(np.isfinite(vector)):
            raise InputError(
                f"positive and negative take words or finite vectors of {self.vectors.shape[1]} values, "
                f"not a vector of shape {vector.shape}."
            )
        return vector


def _lines(source: str | os.PathLike[str] | Iterable[str]) -> Iterable[str]:
    if isinstance(source, str | os.PathLike):
        return read_text(source).splitlines()
    return source
