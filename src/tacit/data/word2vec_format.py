"""The two file formats of word2vec, which gensim, spaCy, fastText and many others read and write.

Both begin with a line ``words dimensions``. Text: one line per word, ``word value value …``. Binary: the word, one
blank, its values as little-endian float32, and in files of the first word2vec a line feed. Compressed files are read,
and those of GloVe, which lack the first line.
"""

import gzip
import os
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tacit import atomic_file
from tacit.data.compressed import read_bytes
from tacit.errors import InputError

MOST_DIMENSIONS = 1 << 16


def write_word2vec(
    path: str | os.PathLike[str], words: list[str], vectors: NDArray[np.float32], binary: bool = False
) -> None:
    """Write vectors as text or binary, compressed where the name ends in .gz; float32 values survive exactly.

    words : (v,) distinct texts without white space
    vectors : (v, d) float32
    """
    bad = next((word for word in words if not word or word.split() != [word]), None)
    if bad is not None:
        raise InputError(f"words: {bad!r} is empty or holds white space, which word2vec files cannot carry; rename it.")
    path = Path(path)
    vectors = np.ascontiguousarray(vectors, dtype="<f4")
    header = f"{vectors.shape[0]} {vectors.shape[1]}\n".encode()
    with atomic_file.replacing(path) as temporary, _create(temporary, packed=path.suffix == ".gz") as file:
        file.write(header)
        if binary:
            for word, vector in zip(words, vectors):
                file.write(word.encode("utf-8", "surrogatepass") + b" " + vector.tobytes())
        else:
            _write_text(file, words, vectors)


def _create(path: Path, packed: bool) -> IO[bytes]:
    return gzip.open(path, "wb") if packed else path.open("wb")  # type: ignore[return-value]


def _write_text(file: IO[bytes], words: list[str], vectors: NDArray[Any]) -> None:
    import polars as pl

    for first in range(0, len(words), 8192):
        block = pl.DataFrame(vectors[first : first + 8192], schema=[f"d{k}" for k in range(vectors.shape[1])])
        block.insert_column(0, pl.Series("word", words[first : first + 8192], dtype=pl.String))
        file.write(block.write_csv(separator=" ", include_header=False, quote_style="never").encode())


def read_word2vec(path: str | os.PathLike[str], binary: bool | None = None) -> tuple[list[str], NDArray[np.float32]]:
    """Words and (v, d) vectors of a file; ``binary=None`` finds out which of the two formats it is."""
    path = Path(path)
    data = read_bytes(path)
    if not data:
        raise InputError(f"path: {str(path)!r} is empty and holds no vectors.")
    line_end = data.find(b"\n")
    shape = _shape(data[:line_end])
    if shape is None:
        if binary:
            raise InputError(f"path: {str(path)!r} does not begin with the numbers of words and dimensions.")
        return _read_text(path, data, None)
    words, dimensions = shape
    body = data[line_end + 1 :]
    if words < 1 or not 1 <= dimensions <= MOST_DIMENSIONS:
        raise InputError(f"path: {str(path)!r} announces {words} words of {dimensions} values, which cannot be.")
    if binary is None:
        binary = _looks_binary(body, dimensions)
    return _read_binary(path, body, words, dimensions) if binary else _read_text(path, body, shape)


def _shape(line: bytes) -> tuple[int, int] | None:
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() and len(part) < 19 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def _looks_binary(body: bytes, dimensions: int) -> bool:
    """In text, the values of the first line are numbers; in binary, something there is not."""
    fields = body[: body.find(b"\n") if b"\n" in body[: 64 * (dimensions + 1)] else 64 * (dimensions + 1)].split()
    try:
        return len([float(field) for field in fields[1 : dimensions + 1]]) != dimensions
    except ValueError:
        return True


def _read_binary(path: Path, body: bytes, words: int, dimensions: int) -> tuple[list[str], NDArray[np.float32]]:
    names: list[str] = []
    # A word takes a letter and a blank at least: what is announced must be there before memory is asked for.
    if words * (4 * dimensions + 2) > len(body) + 1:
        least = words * (4 * dimensions + 2)
        raise InputError(
            f"path: {str(path)!r} is cut short: its first line announces {words} words of {dimensions} values, which "
            f"take at least {least} bytes, and {len(body)} follow; copy it again."
        )
    vectors = np.empty((words, dimensions), dtype=np.float32)
    index, size = 0, 4 * dimensions
    for row in range(words):
        blank = body.find(b" ", index)
        if blank < 0 or blank + 1 + size > len(body):
            raise InputError(
                f"path: {str(path)!r} is cut short: its first line announces {words} words, and {row} are there whole; "
                "copy it again."
            )
        names.append(_decode(path, body[index:blank].lstrip(b"\n")))
        vectors[row] = np.frombuffer(body, "<f4", dimensions, blank + 1)
        index = blank + 1 + size
    return names, _finite(path, vectors)


def _finite(path: Path, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    if not np.isfinite(vectors).all():
        word = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise InputError(f"path: {str(path)!r} holds a value that is not finite, first for word {word + 1}.")
    return vectors


def _read_text(path: Path, body: bytes, shape: tuple[int, int] | None) -> tuple[list[str], NDArray[np.float32]]:
    import polars as pl

    result = len(body[: body.find(b"\n") + 1 or len(body)].split()) - 1
    dimensions = shape[1] if shape else result
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise InputError(f"path: {str(path)!r} holds no vectors: its first line has {dimensions} values.")
    if result != dimensions:
        raise InputError(
            f"path: {str(path)!r} announces words of {dimensions} values, but its first word has {result}."
        )
    schema: dict[str, Any] = {"word": pl.String, **{f"d{k}": pl.Float32 for k in range(dimensions)}}
    try:
        # Lines of the first word2vec end in a blank, which would be one field more.
        body = body.replace(b" \n", b"\n")
        table = pl.read_csv(body, has_header=False, separator=" ", quote_char=None, schema=schema)
    except pl.exceptions.PolarsError as error:
        _refuse_line(path, body, shape, dimensions)
        raise InputError(f"path: {str(path)!r} is not a file of word vectors ({str(error).splitlines()[0]}).") from None
    vectors = table.select(pl.exclude("word"))
    if vectors.null_count().row(0) != (0,) * dimensions:
        _refuse_line(path, body, shape, dimensions)
    if shape and len(table) != shape[0]:
        less = "is cut short" if len(table) < shape[0] else "is damaged"
        raise InputError(
            f"path: {str(path)!r} {less}: its first line announces {shape[0]} words, and {len(table)} are there; "
            "copy it again."
        )
    if table["word"].null_count():
        raise InputError(f"path: {str(path)!r} has a line without a word.")
    return table["word"].to_list(), _finite(path, np.ascontiguousarray(vectors.to_numpy(), dtype=np.float32))


def _refuse_line(path: Path, body: bytes, shape: tuple[int, int] | None, dimensions: int) -> None:
    """Name the first line that is not a word and its values, where there is one."""
    lines = body.splitlines()
    for place, line in enumerate(lines):
        word, *values = line.split(b" ")
        cut = place == len(lines) - 1 and len(values) <= dimensions
        ends = "; the file is cut short there: copy it again." if cut else "; copy or make it again."
        begins = f"path: line {place + (2 if shape else 1)} of {str(path)!r}"
        shown = repr(word[:40].decode("utf-8", "replace"))
        if len(values) != dimensions:
            raise InputError(f"{begins}, for {shown}, has {len(values)} values instead of {dimensions}{ends}")
        for value in values:
            try:
                float(value)
            except ValueError:
                what = repr(value[:40].decode("utf-8", "replace"))
                raise InputError(f"{begins}, for {shown}, has {what} where a number should be{ends}") from None


def _decode(path: Path, word: bytes) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"path: {str(path)!r} holds the word {word[:40]!r}, which is not UTF-8.") from None
