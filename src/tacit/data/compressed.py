"""Open a file for reading, whatever it is compressed with; its first bytes tell, not its name."""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tacit.errors import InputError

_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_ZSTANDARD = b"\x28\xb5\x2f\xfd"


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """The content of a plain file, or of one packed by gzip, bzip2 or xz, as a binary file object."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}; check the path.")
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(_ZSTANDARD):
        raise InputError(f"{str(path)!r} is compressed with zstd; unpack it first, or use gzip, bzip2 or xz.")
    opener: Callable[..., IO[bytes]] = next(
        (opener for magic, opener in _OPENERS.items() if start.startswith(magic)), Path.open
    )
    return opener(path, "rb")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All of a file at once, unpacked; one that is cut short is refused."""
    try:
        with open_bytes(path) as file:
            return file.read()
    except (EOFError, lzma.LZMAError, OSError) as error:
        raise InputError(f"{os.fspath(path)!r} could not be decompressed ({error}); copy it again.") from error


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """The same as text."""
    return read_bytes(path).decode(encoding)
