"""Text in, word numbers out.

A source is a path, a glob pattern or a folder; several paths; or sentences, each a string or a sequence of tokens.
Whatever it is, the result is one ``Corpus``: the distinct words, how often each occurs, and the whole text as int32
word numbers with -1 between sentences (4 bytes a word, less than the text itself).

Text of files goes through a hash table over bytes in compiled code and is never turned into Python strings: 100 MB
take about a second. Sequences of tokens go through one dictionary and may hold anything hashable: words, track
numbers, tuples.
"""

import glob
import os
import string
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.compressed import cut_is_said, is_packed, open_bytes
from tacit.errors import InputError
from tacit.features.corpus import RawCorpus
from tacit.kernels import vocabulary as kernels

Tokenizer = Literal["split", "words"] | Callable[[str], Iterable[Hashable]]
Sentences = Literal["lines", "files"]
Source = str | os.PathLike[str] | Iterable[Any]

BORDER = kernels.BORDER
_BLOCK = 1 << 20
_LETTERS = (string.ascii_letters + string.digits + "_").encode()
_TO_WORDS = bytes(
    ord(chr(byte).lower()) if byte in _LETTERS else (byte if byte >= 128 or chr(byte).isspace() else 32)
    for byte in range(256)
)
"""ASCII bytes to lower case; what is neither letter, digit, underscore nor white space to a blank."""


def read(source: Source, *, tokenizer: Tokenizer = "split", sentences: Sentences = "lines") -> RawCorpus:
    """Read a text and number its words.

    Parameters
    ----------
    source : a path, glob pattern or folder (str or path); an iterable of paths (the first of which must exist, where
        they are strings); an iterable of strings, each one sentence; or an iterable of token sequences. A lone string
        is a path: give a list to train on a sentence. Files may be compressed (gzip, bzip2, xz)
    tokenizer : "split" takes what stands between white space as it is; "words" takes lower-case runs of letters,
        digits and underscores; a function gets one line and returns its tokens
    sentences : "lines" ends a sentence at the end of each line, "files" only at the end of each file
    """
    if not callable(tokenizer) and not (isinstance(tokenizer, str) and tokenizer in ("split", "words")):
        raise InputError(
            f'tokenizer must be "split", "words" or a function of one line, not {checks.shown(tokenizer)}.'
        )
    checks.choice("sentences", sentences, ("lines", "files"))
    unread = isinstance(source, bytes) or hasattr(source, "tocsr")
    if unread or not isinstance(source, str | os.PathLike | Iterable):
        raise InputError(f"text must be a path or an iterable of sentences, not {type(source).__name__}.")
    if isinstance(source, str | os.PathLike):
        return _read_files(_expand(source), tokenizer, sentences)
    items = iter(source)
    first = next(items, None)
    if first is None:
        return _came_as("tokens", _read_tokens(iter(())))
    items = chain([first], items)
    if isinstance(first, os.PathLike) or (isinstance(first, str) and _is_path(first)):
        return _read_files([path for item in items for path in _expand(item)], tokenizer, sentences)
    if isinstance(first, str):
        if callable(tokenizer):
            return _came_as("lines", _read_tokens(tokenizer(_checked(item, str)) for item in items))
        return _came_as("lines", _read_bytes(_blocks_of_strings(items), tokenizer, True))
    return _came_as("tokens", _read_tokens(_checked(item, Sequence, np.ndarray) for item in items))


def _came_as(how: Literal["lines", "tokens"], raw: RawCorpus) -> RawCorpus:
    raw.came_as = how
    return raw


# -- parts of files that are read by themselves -----------------------------------------------------------------


PIECE = 8 << 20
"""Bytes of a file that are read at once."""


def pieces_of(source: Source) -> list[tuple[str, int, int | None]]:
    """Files of a source as ranges of bytes; the end is None where a file is read to its end, as packed ones are."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not all(isinstance(one, str | os.PathLike) for one in given):
        raise InputError("text must be paths of files here: a cluster's workers read them, sentences lie in one place.")
    pieces: list[tuple[str, int, int | None]] = []
    for path in (path for one in given for path in _expand(one)):
        size = 0 if is_packed(path) else path.stat().st_size
        begins = list(range(0, size, PIECE)) or [0]
        pieces += [(str(path), a, b) for a, b in zip(begins, [*begins[1:], None])]
    return pieces


def read_piece(path: str, begin: int, end: int | None, *, tokenizer: Tokenizer, sentences: Sentences) -> RawCorpus:
    """The words that begin in a range of bytes.

    The piece does not know what comes before it, so it may begin with a border that follows another one.
    """
    with cut_is_said(path), open_bytes(path) as file:
        file.seek(max(begin - 1, 0))
        block = file.read() if end is None else file.read(end - max(begin - 1, 0))
        while end is not None and block and not block[-1:].isspace() and (more := file.read(1 << 12)):
            place = next((k for k in range(len(more)) if more[k : k + 1].isspace()), len(more))
            block += more[: place + 1]
    if begin:
        place = next((k for k in range(len(block)) if block[k : k + 1].isspace()), len(block))
        block = block[place:]
    table = _ByteTable()
    table.state[1] = int(begin > 0)
    numbered = table.number(_to_words(block) if tokenizer == "words" else block, sentences == "lines")
    return _raw(table.names, [numbered, *([table.end_sentence()] if end is None else [])], int(table.state[0]))


# -- files -----------------------------------------------------------------------------------------------------


def _is_path(text: str) -> bool:
    """Whether a string that might be a sentence names a file: it has no blanks and the file is there."""
    return len(text.split()) == 1 and len(text) < 4096 and Path(text).is_file()


def _expand(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a path, a folder or a pattern stands for, in order of their names."""
    index = Path(path)
    if index.is_file():
        return [index]
    if index.is_dir():
        result = sorted(child for child in index.iterdir() if child.is_file())
    else:
        result = sorted(Path(match) for match in glob.glob(os.fspath(path), recursive=True) if Path(match).is_file())  # noqa: PTH207
    if not result:
        raise InputError(
            f"text: there is no file {os.fspath(path)[:200]!r}; give the path of a text, "
            "or a list of sentences to train on the text itself."
        )
    return result


def _read_files(paths: list[Path], tokenizer: Tokenizer, sentences: Sentences) -> RawCorpus:
    if callable(tokenizer):
        return _read_tokens(_tokens_of_files(paths, tokenizer, sentences))
    return _read_bytes(_blocks_of_files(paths), tokenizer, sentences == "lines")


def _tokens_of_files(paths: list[Path], tokenizer: Callable[..., Any], sentences: Sentences) -> Iterator[Any]:
    for path in paths:
        with cut_is_said(path), open_bytes(path) as file:
            lines = (_decoded(line, path).rstrip("\r\n") for line in file)
            if sentences == "lines":
                yield from map(tokenizer, lines)
            else:
                yield list(chain.from_iterable(map(tokenizer, lines)))


def _decoded(line: bytes, path: Path) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"text: {str(path)!r} is not UTF-8, at {line[:40]!r}; convert it first.") from None


def _blocks_of_files(paths: list[Path]) -> Iterator[tuple[bytes, bool]]:
    """Blocks that end between words, with the mark whether the block ends its file."""
    for path in paths:
        with cut_is_said(path), open_bytes(path) as file:
            rest = b""
            while block := file.read(_BLOCK):
                block = rest + block
                cut = max(block.rfind(blank) for blank in (b" ", b"\n", b"\t", b"\r")) + 1
                if cut:
                    yield block[:cut], False
                rest = block[cut:]
            yield rest, True


def _blocks_of_strings(sentences: Iterable[Any]) -> Iterator[tuple[bytes, bool]]:
    gathered: list[str] = []
    size = 0
    for sentence in sentences:
        gathered.append(" ".join(_checked(sentence, str).splitlines()))
        size += len(gathered[-1])
        if size >= _BLOCK:
            yield "\n".join([*gathered, ""]).encode("utf-8", "surrogatepass"), False
            gathered, size = [], 0
    yield "\n".join([*gathered, ""]).encode("utf-8", "surrogatepass"), True


def _checked(item: Any, *kinds: type) -> Any:
    if not isinstance(item, kinds) or (isinstance(item, str) and str not in kinds):
        expected = "a string" if str in kinds else "a list of tokens"
        raise InputError(f"text: every sentence must be {expected}, as the first one is, not {type(item).__name__}.")
    return item


# -- numbering -------------------------------------------------------------------------------------------------


def _read_tokens(sentences: Iterator[Iterable[Any]]) -> RawCorpus:
    """Number tokens of any hashable kind through one dictionary."""
    numbers: defaultdict[Hashable, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    border = np.array([BORDER], np.int32)
    parts: list[NDArray[np.int32]] = []
    for sentence in sentences:
        listed = sentence.tolist() if isinstance(sentence, np.ndarray) else sentence
        try:
            result = np.fromiter(map(numbers.__getitem__, listed), dtype=np.int32)
        except TypeError as error:
            raise InputError(f"text: a sentence must be a flat list of hashable tokens ({error}).") from None
        parts += [result, border]
    names = list(numbers)
    of_ids = bool(names) and not any(isinstance(name, str) for name in names)
    return _raw(lambda chosen: [names[k] for k in chosen.tolist()], parts, len(names), of_ids)


def _raw(
    names: Callable[[NDArray[np.int64]], list[Hashable]],
    parts: list[NDArray[np.int32]],
    words: int,
    of_ids: bool = False,
) -> RawCorpus:
    tokens = np.empty(sum(map(len, parts)), np.int32)
    counts = np.zeros(words, np.int64)
    index = 0
    parts.reverse()
    while parts:
        part = parts.pop()
        tokens[index : index + len(part)] = part
        kernels.count_tokens(part, counts)
        index += len(part)
    return RawCorpus(names, counts, tokens, of_ids)


class _ByteTable:
    """The growing hash table of ``kernels.vocabulary``."""

    def __init__(self) -> None:
        self.slots = np.full(1 << 16, -1, np.int32)
        self.hashes = np.empty(0, np.int64)
        self.offsets = np.zeros(1, np.int64)
        self.arena = np.empty(0, np.uint8)
        self.state = np.zeros(2, np.int64)

    def number(self, block: bytes, break_lines: bool) -> NDArray[np.int32]:
        self._make_room(len(block))
        tokens = np.empty(len(block) + 1, np.int32)
        written = kernels.number_words(
            np.frombuffer(block, np.uint8),
            break_lines,
            self.slots,
            self.hashes,
            self.offsets,
            self.arena,
            self.state,
            tokens,
        )
        return tokens[:written].copy()

    def end_sentence(self) -> NDArray[np.int32]:
        inside, self.state[1] = self.state[1], 0
        return np.full(int(inside), BORDER, np.int32)

    def names(self, chosen: NDArray[np.int64]) -> list[Hashable]:
        names: list[Hashable] = []
        for first, last in zip(self.offsets[chosen].tolist(), self.offsets[chosen + 1].tolist()):
            word = self.arena[first:last].tobytes()
            try:
                names.append(word.decode("utf-8", "surrogatepass"))
            except UnicodeDecodeError:
                raise InputError(f"text: it is not UTF-8, at the word {word[:40]!r}; convert it first.") from None
        return names

    def _make_room(self, size: int) -> None:
        known = int(self.state[0])
        words, letters = known + size // 2 + 1, int(self.offsets[known]) + size
        if words > len(self.hashes):
            room = 2 * words
            self.hashes = _grown(self.hashes, room)
            self.offsets = _grown(self.offsets, room + 1)
            self.slots = np.full(1 << (2 * room - 1).bit_length(), -1, np.int32)
            kernels.fill_slots(self.slots, self.hashes, known)
        if letters > len(self.arena):
            self.arena = _grown(self.arena, 2 * letters)


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


def _read_bytes(blocks: Iterable[tuple[bytes, bool]], tokenizer: Any, break_lines: bool) -> RawCorpus:
    table = _ByteTable()
    parts: list[NDArray[np.int32]] = []
    for block, ends in blocks:
        parts.append(table.number(_to_words(block) if tokenizer == "words" else block, break_lines))
        if ends:
            parts.append(table.end_sentence())
    return _raw(table.names, parts, int(table.state[0]))


def _to_words(block: bytes) -> bytes:
    """Lower case, and blanks for everything that is neither a letter, a mark, a digit nor an underscore."""
    if block.isascii():
        return block.translate(_TO_WORDS)
    import polars as pl

    try:
        text = pl.Series([block.decode("utf-8", "surrogatepass")])
    except UnicodeDecodeError as error:
        bad = block[max(error.start - 20, 0) : error.start + 20]
        raise InputError(f"text: it is not UTF-8, at {bad!r}; convert it first.") from None
    # Rust's \w knows combining marks, which Python's does not: words of Hindi or Thai stay whole.
    words: str = text.str.to_lowercase().str.replace_all(r"[^\w\s]+", " ")[0]
    return words.encode("utf-8")
