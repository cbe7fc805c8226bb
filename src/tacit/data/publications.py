"""Published data sets that may be fetched from their publisher, never passed on by us.

What arrives is checked against the publisher's own checksum before anything is unpacked, and a folder appears whole or
not at all. A download that was cut goes on where it stopped.
"""

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tacit.errors import InputError

_BLOCK = 1 << 18
_LONGEST_WAIT = 60
_MOST_UNPACKED = 1 << 30
"""Bytes at which unpacking stops: every set listed here is far smaller."""


@dataclass(frozen=True)
class Publication:
    """Where a set comes from and under which terms.

    folder : its folder under ``TACIT_DATA``, and the only folder of the archive
    md5 : as the publisher states it
    """

    title: str
    address: str
    md5: str
    folder: str
    terms: str
    cite: str


_GROUPLENS = (
    "For research. No redistribution and no commercial use without permission of GroupLens, University of Minnesota; "
    "the README in the archive has the full terms."
)
_CITE = (
    "F. M. Harper and J. A. Konstan. 2015. The MovieLens Datasets: History and Context. ACM Transactions on "
    "Interactive Intelligent Systems 5, 4, Article 19."
)

PUBLICATIONS = {
    "movielens-100k": Publication(
        "MovieLens 100K: 100,000 ratings with times",
        "https://files.grouplens.org/datasets/movielens/ml-100k.zip",
        "0e33842e24a9c977be4e0107933c0723",
        "ml-100k",
        _GROUPLENS,
        _CITE,
    ),
    "movielens-1m": Publication(
        "MovieLens 1M: 1,000,209 ratings with times",
        "https://files.grouplens.org/datasets/movielens/ml-1m.zip",
        "c4d9eecfca2ab87c1945afe126590906",
        "ml-1m",
        _GROUPLENS,
        _CITE,
    ),
}


def fetch(
    publication: Publication,
    root: Path,
    *,
    address: str | None = None,
    report: Callable[[int, int | None], None] | None = None,
) -> Path:
    """The folder ``root``/``publication.folder``, downloaded and unpacked where it is not there yet.

    Parameters
    ----------
    address : another place that offers the same archive; the checksum stays the publisher's
    report : called with the bytes that have arrived and how many there will be, where the server says so
    """
    folder = root / publication.folder
    if folder.exists():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    part = root / f"{publication.folder}.zip.part"
    _download(address or publication.address, part, report)
    _check(part, publication)
    _unpack(part, folder)
    part.unlink()
    return folder


def _download(address: str, part: Path, report: Callable[[int, int | None], None] | None) -> None:
    """The archive into ``part``, behind what is there already."""
    had = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={had}-"} if had else {})
    try:
        with urllib.request.urlopen(request, timeout=_LONGEST_WAIT) as answer:
            # A server that does not know ranges sends everything again.
            goes_on = answer.status == 206
            done = had if goes_on else 0
            length = answer.headers.get("Content-Length")
            total = done + int(length) if length else None
            with part.open("ab" if goes_on else "wb") as file:
                while block := answer.read(_BLOCK):
                    file.write(block)
                    done += len(block)
                    if report is not None:
                        report(done, total)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # Nothing is left to send.
            return
        raise InputError(f"{address} answers {error.code} {error.reason}; try again later.") from None
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(
            f"{address} could not be read ({reason}); what has arrived is kept, and the same command goes on."
        ) from None
    if total is not None and done < total:
        raise InputError(f"{address} ended after {done:,} of {total:,} bytes; the same command goes on from there.")


def _check(part: Path, publication: Publication) -> None:
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if digest != publication.md5:
        part.unlink()
        raise InputError(
            f"the archive of {publication.folder} has the checksum {digest} and not the publisher's "
            f"{publication.md5}: it was thrown away; try again, or get it by hand from {publication.address}."
        )


def _unpack(archive: Path, folder: Path) -> None:
    """The files of the archive's one folder, put in place as a whole."""
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [info for info in packed.infolist() if not info.is_dir()]
            if sum(info.file_size for info in members) > _MOST_UNPACKED:
                raise InputError(f"{archive.name} unpacks to more than {_MOST_UNPACKED >> 30} GiB; it is not unpacked.")
            for info in members:
                parts = PurePosixPath(info.filename).parts
                if ".." in parts or info.filename.startswith("/") or parts[0] != folder.name:
                    raise InputError(f"{archive.name} holds {info.filename!r} outside its own folder; not unpacked.")
                target = work.joinpath(*parts[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                with packed.open(info) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file, _BLOCK)
        work.rename(folder)
    except zipfile.BadZipFile as error:
        raise InputError(f"{archive.name} is no zip archive ({error}).") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
