"""Search as one types, over ids and titles: every word of the query begins a word of what is found.

Words are sorted, each with the numbers of the texts that hold it, so that a prefix is a range of words and its texts
one slice. Where no word begins with the prefix, words that contain it are taken. Texts are numbered by rank: the first
ones found are the best.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_LONGEST = 200
_CANDIDATES = 2000
_LAST = "\U0010ffff"


class SearchIndex:
    """Texts of ids, the best first.

    >>> index = SearchIndex(["tea", "rye"], ["Green tea", "Rye bread, green"])
    >>> index.search("gre"), index.search("BREAD gr"), index.search("ead")
    ([0, 1], [1], [1])
    """

    def __init__(self, ids: Sequence[Any], titles: Sequence[str | None]) -> None:
        names = pl.Series("id", [str(one) for one in ids], dtype=pl.String)
        texts = pl.Series("title", [one or "" for one in titles], dtype=pl.String)
        self._names, self._titles = names.str.to_lowercase(), texts.str.to_lowercase()
        held = (self._names + " " + self._titles).str.extract_all(r"\w+")
        lengths = held.list.len().to_numpy()
        words = held.filter(pl.Series(lengths > 0)).explode()
        vocabulary = words.unique().sort()
        codes = words.cast(pl.Enum(vocabulary)).to_physical().to_numpy().astype(np.int32)
        self._words: list[str] = vocabulary.to_list()
        starts = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        # Counting sort: texts of words out of words of texts, in the order of the texts.
        by_word = sp.csr_array((np.ones(len(codes), np.int8), codes, starts), (len(names), len(self._words))).tocsc()
        self._starts, self._numbers = by_word.indptr, by_word.indices
        self._joined = "\n".join(self._words)
        self._places = [0, *accumulate(len(word) + 1 for word in self._words)]

    def __len__(self) -> int:
        return len(self._names)

    def search(self, query: str, n: int = 20) -> list[int]:
        """Numbers of at most n texts that hold every word of the query: those that begin with it, then by rank."""
        asked = query[:_LONGEST].lower().strip()
        words = _WORD.findall(asked)
        if not words:
            return [] if asked else list(range(min(n, len(self))))
        held = self._holding(words[0])
        for word in words[1:]:
            held &= self._holding(word)
        numbers = np.flatnonzero(held)[:_CANDIDATES]
        names, titles = self._names.gather(numbers), self._titles.gather(numbers)
        begins = (names.str.starts_with(asked) | titles.str.starts_with(asked)).to_numpy()
        order = np.argsort(~begins, kind="stable")[:n]
        return [int(one) for one in numbers[order]]

    def _holding(self, word: str) -> NDArray[np.bool_]:
        """Which texts hold a word that begins so; else, that holds it inside."""
        held = np.zeros(len(self), dtype=bool)
        first, last = bisect_left(self._words, word), bisect_left(self._words, word + _LAST)
        if first < last:
            held[self._numbers[self._starts[first] : self._starts[last]]] = True
            return held
        place = self._joined.find(word)
        for _ in range(_CANDIDATES):
            if place < 0:
                break
            number = bisect_right(self._places, place) - 1
            held[self._numbers[self._starts[number] : self._starts[number + 1]]] = True
            place = self._joined.find(word, self._places[number + 1])
        return held
