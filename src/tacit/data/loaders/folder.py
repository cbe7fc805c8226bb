"""Finding the files of a data set: under their published names, or compressed with gzip, xz or bzip2."""

import os
from pathlib import Path

from tacit.errors import MissingDataError

_SUFFIXES = ("", ".gz", ".xz", ".bz2")


def find(folder: str, names: str | tuple[str, ...], where: str) -> Path:
    """The first of ``names`` that lies in ``TACIT_DATA/folder``, plain or compressed.

    ``where`` says where the publisher offers it, for the sentence when it is absent.
    """
    names = (names,) if isinstance(names, str) else names
    root = os.environ.get("TACIT_DATA", "")
    for name in names:
        for suffix in _SUFFIXES:
            path = Path(root) / folder / (name + suffix)
            if root and path.is_file():
                return path
    expected = " or ".join(f"{folder}/{name}" for name in names)
    reason = f"is not in TACIT_DATA={root}" if root else "cannot be looked up: the variable TACIT_DATA is not set"
    raise MissingDataError(
        f"{expected} (also .gz, .xz, .bz2) {reason}; the publisher offers it at {where}: get it there and put it "
        "into a folder that TACIT_DATA names (tacit data list shows the sets that tacit data get fetches)."
    )
