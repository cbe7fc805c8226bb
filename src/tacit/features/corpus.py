"""A text as word numbers: its words, which of them are kept, and how pieces of it make a whole.

``text`` reads it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.kernels import vocabulary as kernels

LEAST_IN_TEXT = 5
"""How often a word of text must occur to be kept, where nothing else is said."""


@dataclass
class Corpus:
    """A text as numbers.

    ids : the distinct words, most frequent first
    counts : (v,) int64, how often each occurs
    tokens : (n,) int32 word numbers, -1 between sentences
    """

    ids: Ids
    counts: NDArray[np.int64]
    tokens: NDArray[np.int32]


class RawCorpus:
    """A text as numbers of all its words, before any is dropped; words are numbered as they first occur.

    >>> from tacit.features.text import read
    >>> raw = read("to be or not to be".split() for _ in range(2))
    >>> raw.counts
    array([4, 4, 2, 2])
    >>> corpus = raw.most_frequent(min_count=3)
    >>> corpus.ids.all().tolist(), corpus.tokens.tolist()
    (['to', 'be'], [0, 1, 0, 1, -1, 0, 1, 0, 1])
    """

    def __init__(
        self, names: Callable[[NDArray[np.int64]], list[Hashable]], counts: Any, tokens: Any, of_ids: bool = False
    ) -> None:
        self._names = names
        self.counts: NDArray[np.int64] = counts
        self.tokens: NDArray[np.int32] = tokens
        self.of_ids = of_ids
        """Whether no token is text: item numbers, tuples."""
        self.came_as: Literal["files", "lines", "tokens"] = "files"

    def least_count(self, given: int | None) -> int:
        """``given``, or where it is None how often a word must occur to be kept: 5 times in text, ids once.

        A word that occurs once or twice is a typing error or a name, and there are more of them than of all others; an
        item that occurs once is one that somebody may ask for.
        """
        return given if given is not None else 1 if self.of_ids else LEAST_IN_TEXT

    def names(self) -> list[Hashable]:
        """All words, as they are numbered."""
        return self._names(np.arange(len(self.counts)))

    def most_frequent(self, min_count: int = 5, max_words: int | None = None) -> Corpus:
        """Keep words that occur ``min_count`` times, at most ``max_words``; consumes the raw tokens.

        Words that are dropped leave no gap: their neighbours move together. Equal counts stay in order of the text.
        """
        kept = _most_frequent(self.counts, min_count, max_words)
        return self._restricted(kept, Ids(self._names(kept), "words"))

    def known_to(self, ids: Ids, min_count: int | None = None) -> Corpus:
        """Number the words as ``ids`` does; unknown ones that occur ``min_count`` times follow, others are dropped."""
        order = np.argsort(-self.counts, kind="stable")
        names = self._names(order)
        places = ids.numbers(names)
        fresh = (
            (places < 0) & (self.counts[order] >= min_count) if min_count is not None else np.zeros(len(order), bool)
        )
        places[fresh] = len(ids) + np.arange(int(fresh.sum()))
        extended = ids.extended([names[k] for k in np.flatnonzero(fresh)]) if fresh.any() else ids
        kept = np.full(len(extended), -1, dtype=np.int64)
        kept[places[places >= 0]] = order[places >= 0]
        return self._restricted(kept, extended)

    def _restricted(self, kept: NDArray[np.int64], ids: Ids) -> Corpus:
        present = np.flatnonzero(kept >= 0)
        numbers = np.full(max(len(self.counts), 1), -1, dtype=np.int32)
        numbers[kept[present]] = present
        counts = np.zeros(len(kept), dtype=np.int64)
        counts[present] = self.counts[kept[present]]
        tokens, self.tokens = self.tokens, np.empty(0, np.int32)
        length = kernels.renumber(tokens, numbers)
        if length and tokens[length - 1] < 0:
            length -= 1
        return Corpus(ids, counts, tokens[:length])


def _most_frequent(counts: NDArray[np.int64], min_count: int, max_words: int | None) -> NDArray[np.int64]:
    """Numbers of the words to keep, the most frequent first; equal counts stay in order of the text."""
    order = np.argsort(-counts, kind="stable")
    return order[counts[order] >= min_count][:max_words]


@dataclass
class Vocabulary:
    """Words of several pieces, numbered as they first occur in them; pieces must come in their order."""

    names: list[Hashable] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)

    def add(self, names: Sequence[Hashable], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of a piece's words."""
        numbers = np.empty(len(names), np.int64)
        for k, (name, count) in enumerate(zip(names, counts.tolist())):
            place = self._places.setdefault(name, len(self.names))
            if place == len(self.names):
                self.names.append(name)
                self.counts.append(0)
            self.counts[place] += count
            numbers[k] = place
        return numbers

    def most_frequent(self, min_count: int, max_words: int | None) -> tuple[Ids, NDArray[np.int64], NDArray[np.int32]]:
        """As of ``RawCorpus``: the ids, their counts, and the number of every word among them or -1."""
        counts = np.array(self.counts, np.int64)
        kept = _most_frequent(counts, min_count, max_words)
        numbers = np.full(len(counts), -1, np.int32)
        numbers[kept] = np.arange(len(kept))
        return Ids([self.names[k] for k in kept.tolist()], "words"), counts[kept], numbers


def renumbered(tokens: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Tokens of a piece as the whole text numbers them, without the words that it drops; borders stay at both ends."""
    # A word in front, which is taken off again, keeps a border at the beginning.
    kept = np.concatenate((np.array([len(numbers)], np.int32), tokens))
    length = kernels.renumber(kept, np.append(numbers, np.int32(0)))
    return kept[1:length].copy()


def ends_of(tokens: NDArray[np.int32]) -> tuple[int, bool, bool]:
    """How many tokens a piece has, and whether it begins and ends with a border."""
    return len(tokens), bool(len(tokens) and tokens[0] < 0), bool(len(tokens) and tokens[-1] < 0)


@dataclass(frozen=True)
class Joined:
    """How pieces make one text: two borders that meet count once, and none begins or ends the text.

    skips : so many tokens at the beginning of each piece do not count
    starts : where each piece then begins, and the length of the text
    """

    skips: list[int]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, ends: Iterable[tuple[int, bool, bool]]) -> "Joined":
        """From what ``ends_of`` says of every piece."""
        skips, sizes, after_border = [], [], True
        for length, begins, closes in ends:
            skips.append(int(begins and after_border))
            sizes.append(length - skips[-1])
            after_border = closes if sizes[-1] else after_border
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        last = int(starts[-1]) - int(after_border and starts[-1] > 0)
        return cls(skips, np.minimum(starts, last))

    def __len__(self) -> int:
        return int(self.starts[-1])
