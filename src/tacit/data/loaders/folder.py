"""Finding and opening the files of a data set: as published, or compressed with gzip, xz or bzip2."""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tacit.errors import InputError, MissingDataError

_OPENERS: dict[str, Callable[..., Any]] = {"": Path.open, ".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def find(folder: str, names: str | tuple[str, ...], where: str) -> Path:
    """The first of ``names`` that lies in ``TACIT_DATA/folder``, plain or compressed.

    ``where`` says where the publisher offers it, for the sentence when it is absent.
    """
    names = (names,) if isinstance(names, str) else names
    root = os.environ.get("TACIT_DATA", "")
    for name in names:
        for suffix in _OPENERS:
            path = Path(root) / folder / (name + suffix)
            if root and path.is_file():
                return path
    expected = " or ".join(f"{folder}/{name}" for name in names)
    place = f"is not in TACIT_DATA={root}" if root else "cannot be looked up: the variable TACIT_DATA is not set"
    raise MissingDataError(
        f"{expected} (also .gz, .xz, .bz2) {place}; the publisher offers it at {where}: get it there and put it "
        "into a folder that TACIT_DATA names."
    )


def open_bytes(path: Path) -> IO[bytes]:
    """The file's content, decompressed."""
    opened: IO[bytes] = _OPENERS.get(path.suffix, Path.open)(path, "rb")
    return opened


def read_bytes(path: Path) -> bytes:
    """All of it at once; a file that is cut short is refused."""
    try:
        with open_bytes(path) as file:
            return file.read()
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        raise InputError(f"{str(path)!r} could not be decompressed ({error}); copy it again.") from error


def read_text(path: Path, encoding: str = "utf-8") -> str:
    return read_bytes(path).decode(encoding)
