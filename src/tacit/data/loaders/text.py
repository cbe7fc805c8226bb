"""Text for word vectors, and the questions that test them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tacit.data.compressed import open_bytes, read_text
from tacit.data.loaders.folder import find
from tacit.errors import InputError

_BLOCK = 1 << 20
_CORPORA = {"enwiki": ("enwiki-text8style", "enwiki-head-100MB.txt"), "text8": ("text8", "text8")}


@dataclass(frozen=True)
class TextCorpus:
    """A corpus of words between blanks, on disk; nothing is read before it is asked for."""

    path: Path

    def words(self) -> Iterator[str]:
        """The words, one after another, from a buffer of about a megabyte."""
        rest = b""
        with open_bytes(self.path) as file:
            while block := file.read(_BLOCK):
                whole, blank, rest = (rest + block).rpartition(b" ")
                if not blank:
                    continue
                yield from whole.decode("utf-8").split()
        yield from rest.decode("utf-8").split()

    def sentences(self, length: int = 1000) -> Iterator[list[str]]:
        """The words cut into pieces of ``length``: a corpus in one line has no sentences of its own."""
        words = self.words()
        while piece := list(islice(words, length)):
            yield piece


def load_text(name: str = "enwiki") -> TextCorpus:
    """The head of the English Wikipedia in lower-case words: ``"enwiki"`` (a dump of 2014-15) or ``"text8"`` (2006)."""
    where = "mattmahoney.net/dc/textdata (text8, or its rules applied to a dump of dumps.wikimedia.org)"
    if name not in _CORPORA:
        raise InputError(f"name={name!r} is not one of {', '.join(_CORPORA)}.")
    return TextCorpus(find(*_CORPORA[name], where))


def load_analogies() -> dict[str, list[tuple[str, str, str, str]]]:
    """Section → questions a : b = c : d; 19,544 in 14 sections (Mikolov et al. 2013), words as published."""
    sections: dict[str, list[tuple[str, str, str, str]]] = {}
    current: list[tuple[str, str, str, str]] = []
    path = find("questions-words", "questions-words.txt", "code.google.com/archive/p/word2vec")
    for line in read_text(path).splitlines():
        if line.startswith(":"):
            current = sections.setdefault(line[1:].strip(), [])
        elif line.strip():
            a, b, c, d = line.split()
            current.append((a, b, c, d))
    return sections


def load_word_similarities() -> list[tuple[str, str, float]]:
    """Pairs of words and how alike people found them, 0 to 10: the 353 pairs of WordSim-353."""
    pairs = []
    where = "aclweb.org/aclwiki/WordSimilarity-353_Test_Collection_(State_of_the_art)"
    for line in read_text(find("wordsim353", "wordsim353.tsv", where)).splitlines():
        if line and not line.startswith("#"):
            first, second, score = line.split("\t")
            pairs.append((first, second, float(score)))
    return pairs
