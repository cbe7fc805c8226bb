"""How good word vectors are: analogies (a is to b as c is to d) and similarities that people gave.

An analogy is answered by 3CosAdd: with all vectors scaled to length one, the word whose vector has the highest inner
product with b − a + c, the three given words left out. Questions go through the exact top-k in tiles, so that no
questions × words array is ever held. Two accuracies are reported: over the questions all of whose words are known
(what most libraries print), and over all questions (what unknown words cost). Sections whose names begin with "gram"
are syntactic, the others semantic.

Where the vocabulary has a word in several spellings (upper and lower case) and ``lowercase`` is on, the first one in
the list counts: vocabularies come most frequent first.
"""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.compressed import read_text
from tacit.errors import InputError
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import normalise, top_k

Array = NDArray[Any]
FileName = str | os.PathLike[str]


@dataclass(frozen=True)
class SectionScore:
    """One line of the table: right answers, questions whose words are all known, questions asked."""

    name: str
    correct: int
    known: int
    asked: int

    @property
    def accuracy(self) -> float:
        """Over the questions whose words are all known; NaN when there is none."""
        return self.correct / self.known if self.known else float("nan")

    @property
    def accuracy_of_all(self) -> float:
        """Over all questions asked."""
        return self.correct / self.asked if self.asked else float("nan")


@dataclass(frozen=True)
class AnalogyScores:
    """Scores by section, and summed up: ``semantic``, ``syntactic``, ``total``."""

    sections: tuple[SectionScore, ...]

    def _sum(self, name: str, chosen: Iterable[SectionScore]) -> SectionScore:
        chosen = list(chosen)
        return SectionScore(
            name, sum(s.correct for s in chosen), sum(s.known for s in chosen), sum(s.asked for s in chosen)
        )

    @property
    def semantic(self) -> SectionScore:
        return self._sum("semantic", (s for s in self.sections if not s.name.startswith("gram")))

    @property
    def syntactic(self) -> SectionScore:
        return self._sum("syntactic", (s for s in self.sections if s.name.startswith("gram")))

    @property
    def total(self) -> SectionScore:
        return self._sum("total", self.sections)

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per section and per sum, ready for a table or JSON."""
        lines = [*self.sections, self.semantic, self.syntactic, self.total]
        return [
            {
                "section": line.name,
                "correct": line.correct,
                "known": line.known,
                "asked": line.asked,
                "accuracy": line.accuracy,
                "accuracy_of_all": line.accuracy_of_all,
            }
            for line in lines
        ]

    def __str__(self) -> str:
        lines = [f"{'section':<28}{'correct':>8}{'known':>8}{'asked':>8}{'of known':>10}{'of all':>8}"]
        lines += [
            f"{row['section']:<28}{row['correct']:>8}{row['known']:>8}{row['asked']:>8}"
            f"{_percent(row['accuracy']):>10}{_percent(row['accuracy_of_all']):>8}"
            for row in self.to_rows()
        ]
        return "\n".join(lines)


def _percent(share: float) -> str:
    """A share for people; a dash where there was no question."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def analogies(
    vectors: Array,
    words: Sequence[str],
    questions: FileName | Iterable[str],
    *,
    lowercase: bool = True,
    threads: int = 0,
) -> AnalogyScores:
    """Answer analogy questions.

    Parameters
    ----------
    vectors : (V, d), one row per word
    words : the V words
    questions : a file, or its lines: ``a b c d``, with lines ``: name`` that begin a section
    lowercase : compare words without regard to case

    >>> words, vectors = ["he", "she", "king", "queen"], [[1, 0, 1], [0, 1, 1], [1, 0, -1], [0, 1, -1]]
    >>> analogies(np.array(vectors), words, [": family", "he she king queen", "he she king prince"]).total
    SectionScore(name='total', correct=1, known=1, asked=2)
    """
    vectors, numbers = _vocabulary(vectors, words, lowercase)
    names: list[str] = []
    section: list[int] = []
    asked: list[tuple[int, int, int, int]] = []
    for index, line in _lines(questions):
        if line.startswith(":"):
            names.append(line[1:].strip())
            continue
        parts = (line.lower() if lowercase else line).split()
        if len(parts) != 4:
            raise InputError(f"questions: line {index} must hold four words, not {line!r}.")
        if not names:
            names.append("all")
        section.append(len(names) - 1)
        a, b, c, d = (numbers.get(word, -1) for word in parts)
        asked.append((a, b, c, d))
    cells = np.array(asked, dtype=np.int64).reshape(-1, 4)
    known = np.asarray((cells >= 0).all(axis=1))
    right = np.zeros(len(cells), dtype=np.bool_)
    right[known] = _answers(vectors, cells[known, :3], threads) == cells[known, 3]
    of = np.array(section, dtype=np.int64)

    def count(mask: Array) -> list[int]:
        return [int(number) for number in np.bincount(of[mask], minlength=len(names))]

    counts = zip(names, count(right), count(known), count(np.ones(len(of), dtype=np.bool_)))
    return AnalogyScores(tuple(SectionScore(*line) for line in counts))


def _answers(vectors: Array, given: Array, threads: int) -> Array:
    """The word nearest to b − a + c for each row (a, b, c) of ``given``, which are left out."""
    answers = np.empty(len(given), dtype=np.int64)
    for start in range(0, len(given), 4096):
        part = given[start : start + 4096]
        a, b, c = (vectors[part[:, index]] for index in range(3))
        excluded = (np.arange(len(part) + 1) * 3, np.sort(part, axis=1).ravel().astype(np.int32))
        answers[start : start + 4096] = top_k(b - a + c, vectors, 1, Filters(excluded=excluded), threads=threads)[0][
            :, 0
        ]
    return answers


@dataclass(frozen=True)
class SimilarityScore:
    """Spearman's rank correlation with people's scores, over the pairs of which both words are known."""

    correlation: float
    known: int
    asked: int


def similarities(
    vectors: Array, words: Sequence[str], pairs: FileName | Iterable[str], *, lowercase: bool = True
) -> SimilarityScore:
    """Compare cosines with people's scores.

    Parameters
    ----------
    vectors, words, lowercase : as in ``analogies``
    pairs : a file, or its lines: two words and a score, separated by tabs, commas or blanks; ``#`` begins a comment

    >>> words, vectors = ["cup", "mug", "sky"], np.array([[1.0, 0.1], [1.0, 0.2], [0.1, 1.0]])
    >>> similarities(vectors, words, ["cup mug 9.5", "cup sky 1.0", "mug sky 1.2", "cup zebra 3"])
    SimilarityScore(correlation=1.0, known=3, asked=4)
    """
    from scipy.stats import spearmanr

    vectors, numbers = _vocabulary(vectors, words, lowercase)
    first, second, given, asked = [], [], [], 0
    for index, line in _lines(pairs):
        if line.startswith("#"):
            continue
        parts = (line.lower() if lowercase else line).replace("\t", " ").replace(",", " ").split()
        try:
            left, right, score = parts[0], parts[1], float(parts[2])
        except (IndexError, ValueError):
            raise InputError(f"pairs: line {index} must hold two words and a number, not {line!r}.") from None
        asked += 1
        if left in numbers and right in numbers:
            first.append(numbers[left])
            second.append(numbers[right])
            given.append(score)
    cosines = np.einsum("ij,ij->i", vectors[first], vectors[second], dtype=np.float64) if given else np.empty(0)
    varies = len(set(given)) > 1 and len(set(cosines.tolist())) > 1
    correlation = float(spearmanr(cosines, given).statistic) if varies else float("nan")
    return SimilarityScore(correlation, len(given), asked)


def _vocabulary(vectors: Array, words: Sequence[str], lowercase: bool) -> tuple[NDArray[np.float32], dict[str, int]]:
    checks.truth("lowercase", lowercase)
    vectors = normalise(vectors)
    if len(vectors) != len(words):
        raise InputError(f"vectors has {len(vectors)} rows for {len(words)} words; give one row per word.")
    numbers: dict[str, int] = {}
    for number, word in enumerate(words):
        numbers.setdefault(word.lower() if lowercase else word, number)
    return vectors, numbers


def _text(line: object) -> str:
    if not isinstance(line, str):
        raise InputError(f"lines must be text, but one is {checks.shown(line)}; give a path or lines of words.")
    return line


def _lines(source: FileName | Iterable[str]) -> Iterable[tuple[int, str]]:
    if isinstance(source, str | os.PathLike):
        if not Path(source).is_file():
            raise InputError(f"there is no file {os.fspath(source)!r}; give a path or the lines themselves.")
        source = read_text(source).splitlines()
    stripped = ((index, _text(line).strip()) for index, line in enumerate(checks.listed("lines", source), start=1))
    return ((index, line) for index, line in stripped if line)
