"""Open a file for reading, whatever it is compressed with; its first bytes tell, not its name.

What unpacks to more than ``unpacked_limit`` bytes is refused before it fills the memory: a few kilobytes can hold
gigabytes of blanks.
"""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from tacit.errors import InputError, MissingExtraError


def _open_zstandard(path: Path, mode: str) -> Any:
    # polars reads tables of zstd by itself; a stream of lines needs a reader that Python can ask.
    if find_spec("pyarrow") is None:
        raise MissingExtraError(
            f"{str(path)!r} is compressed with zstd, for which lines need the extra 'sql': pip install 'tacit[sql]'; "
            "or unpack it first."
        )
    import io

    import pyarrow

    return io.BufferedReader(pyarrow.input_stream(str(path), compression="zstd"))


_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zstandard,
}
_BLOCK = 1 << 20
_BROKEN = (EOFError, lzma.LZMAError, zlib.error, OSError)


def unpacked_limit() -> int:
    """The most bytes that a packed file may unpack to: 4 GB, or as many as ``TACIT_UNPACKED_GB`` says."""
    given = os.environ.get("TACIT_UNPACKED_GB", "4")
    try:
        limit = float(given) * 1e9
    except ValueError:
        limit = -1.0
    if not 0 < limit < float("inf"):
        raise InputError(f"TACIT_UNPACKED_GB must be a number of gigabytes above 0, not {given!r}.")
    return int(limit)


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """The content of a plain file, or of one packed by gzip, bzip2, xz or zstd, as a binary file object."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}; check the path.")
    return _opener(path)(path, "rb")


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Whether a file is compressed, so that it can only be read from its beginning."""
    return _opener(Path(path)) is not Path.open


def _opener(path: Path) -> Callable[..., IO[bytes]]:
    with path.open("rb") as file:
        start = file.read(6)
    return next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), Path.open)


@contextmanager
def cut_is_said(path: str | os.PathLike[str]) -> Iterator[None]:
    """What a damaged archive raises while it is read becomes one sentence."""
    try:
        yield
    except _BROKEN as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        cut = isinstance(error, EOFError) or "truncated" in str(error).lower() or "ended before" in str(error)
        what = "is cut short" if cut else f"is damaged ({str(error).rstrip('.')})"
        raise InputError(
            f"{os.fspath(path)!r} {what}: it could not be decompressed to its end; copy it again."
        ) from None


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All of a file at once, unpacked; one that is cut short or unpacks without end is refused."""
    limit = unpacked_limit()
    packed = Path(path).stat().st_size if Path(path).is_file() else 0
    parts: list[bytes] = []
    total = 0
    with cut_is_said(path), open_bytes(path) as file:
        while part := file.read(_BLOCK):
            parts.append(part)
            total += len(part)
            if total > max(limit, packed):
                raise InputError(
                    f"{os.fspath(path)!r} unpacks to more than {limit / 1e9:g} GB; if you trust it, unpack it first or "
                    "set TACIT_UNPACKED_GB to more."
                )
    return b"".join(parts)


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """The same as text; a byte that is not of the encoding is named by its line."""
    data = read_bytes(path)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{os.fspath(path)!r} is not {encoding.upper()}, first in line {line}; convert it to that first."
        ) from None
