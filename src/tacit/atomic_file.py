"""Write a file so that its name always means the old content or the new, whatever happens in between.

The new content goes to a temporary file in the same folder, is synced to disk, and takes the name by one ``rename``;
then the folder is synced. A kill, a full disk or a folder that vanishes leaves the old file as it was. The file keeps
its mode, its owner where that is allowed, and its place behind a symbolic link.

A writer holds a lock on its temporary file, which the system lets go when the writer dies. So the next writer of the
same name knows which temporary files nobody needs any more, and removes them.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import InputError

try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system, where stale files then stay
    fcntl = None  # type: ignore[assignment]

_LONGEST_NAME = 200
"""Bytes of a name that still leave room for what a temporary name adds."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of an empty temporary file; what is written there by the end of the block becomes ``path``.

    An error inside the block leaves ``path`` as it was; one of the system comes out as ``InputError``.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note") as temporary:
    ...         _ = temporary.write_text("done")
    ...     (Path(folder) / "note").read_text()
    'done'
    """
    target = _target(Path(path))
    prefix = f".{_short(target.name)}."
    try:
        _remove_stale(target.parent, prefix)
        handle, temporary = _create(target.parent, prefix)
    except OSError as error:
        raise InputError(f"path: nothing can be written to {str(target.parent)!r} ({error.strerror}).") from error
    try:
        yield temporary
        # Opened anew: whoever wrote may have replaced the file instead of filling it.
        with temporary.open("rb+") as written:
            _keep_rights(written.fileno(), target)
            os.fsync(written.fileno())
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"path: {str(path)!r} could not be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
        os.close(handle)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Text as UTF-8, all of it or nothing."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def _target(path: Path) -> Path:
    """The file that is to be replaced, behind all symbolic links; what cannot be one is refused."""
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
    except OSError as error:
        raise InputError(f"path: {str(path)!r} cannot be written to ({error.strerror}).") from error
    if target.is_symlink():
        raise InputError(f"path: {str(path)!r} is a loop of symbolic links; give the name of a file.")
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError(f"path: {str(path)!r} is a folder; give the name of a file.")
    if mode is not None and not stat.S_ISREG(mode):
        raise InputError(f"path: {str(path)!r} is a device or a pipe; give the name of a file.")
    if not target.parent.is_dir():
        raise InputError(f"path: the folder {str(target.parent)!r} does not exist; create it first.")
    return target


def _short(name: str) -> str:
    return name if len(os.fsencode(name)) <= _LONGEST_NAME else hashlib.sha256(os.fsencode(name)).hexdigest()


def _create(folder: Path, prefix: str) -> tuple[int, Path]:
    """A new temporary file and the handle that holds its lock."""
    while True:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=folder)
        if fcntl is None:
            return handle, Path(name)
        fcntl.flock(handle, fcntl.LOCK_EX)
        # Another writer may have taken it for a stale one before the lock was there.
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)


def _remove_stale(folder: Path, prefix: str) -> None:
    """Temporary files of writers that are dead."""
    if fcntl is None:
        return
    with os.scandir(folder) as entries:
        result = [entry.path for entry in entries if entry.name.startswith(prefix) and entry.name.endswith(".part")]
    for name in result:
        with contextlib.suppress(OSError):
            handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                Path(name).unlink()
            finally:
                os.close(handle)


def _keep_rights(handle: int, target: Path) -> None:
    """Mode and owner of the file that was there, or the usual mode of a new one."""
    try:
        before = target.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.fchmod(handle, 0o666 & ~umask)
        return
    with contextlib.suppress(OSError):
        os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: Path) -> None:
    """The new name itself on disk, where the system can do that for folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
