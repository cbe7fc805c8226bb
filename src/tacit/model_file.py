"""One model, one file: safetensors with a checked header, safe to open from a stranger, no pickle.

Layout: 8 bytes (header length, little-endian), a JSON header (name → dtype, shape, offsets; one metadata entry
``tacit`` with the model's kind, format number and parameters as JSON, and a checksum of all that and of the arrays),
then the arrays. Equal models are equal bytes. The checksum tells damage, not malice: who forges numbers can forge it
too, and a file without one, as Tacit 0.1.0 wrote them, is read as well. Reading takes the whole file into memory,
nothing of it is mapped: a file that is changed, cut short or removed later cannot touch a model that was read from it.
Writing is atomic (``tacit.atomic_file``).
"""

import json
import os
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tacit import atomic_file
from tacit._version import __version__
from tacit.errors import InputError, ModelFileError

FORMAT = 1
Array = NDArray[Any]

_DTYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32,
    "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
}  # fmt: skip
_NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items()}
LARGEST_HEADER = 1 << 24
"""Bytes. Parsed, JSON can take thirty times its length."""
_MOST_DIMENSIONS = 8
_LARGEST_EXTENTS = 2**48


LONGEST_NOTES = 10_000
"""Characters of what a user may write into a file."""


def write(
    path: str | os.PathLike[str], kind: str, state: Mapping[str, Any], arrays: Mapping[str, Array], notes: str = ""
) -> None:
    """Write a model atomically.

    Parameters
    ----------
    kind : the estimator's class name
    state : JSON-ready parameters and small facts
    arrays : everything large, by name
    notes : what the user wants to remember about it
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    path = Path(path)
    said: dict[str, Any] = {"format": FORMAT, "kind": kind, "state": state, "version": __version__}
    if not isinstance(notes, str) or len(notes) > LONGEST_NOTES:
        raise InputError(f"notes must be text of at most {LONGEST_NOTES:,} characters.")
    said |= {"notes": notes} if notes else {}
    tensors = {name: _plain(array, name) for name, array in sorted(arrays.items())}
    try:
        said["crc32"] = _checksum(said, tensors)
        # One metadata entry: the safetensors library writes several in random order.
        metadata = {"tacit": _as_json(said)}
    except (TypeError, ValueError) as error:
        raise InputError(f"the parameters of this {kind} cannot be saved: {error}.") from error
    described = sum(len(name) + 100 for name in tensors) + 2 * len(metadata["tacit"])
    if described > LARGEST_HEADER:
        raise InputError(f"this {kind} has {described} bytes of names and settings, and {LARGEST_HEADER} are allowed.")
    with atomic_file.replacing(path) as temporary:
        try:
            save_file(tensors, temporary, metadata=metadata)
        except SafetensorError as error:
            raise InputError(f"path: the model could not be written to {str(path)!r}: {error}.") from error


def _as_json(said: Mapping[str, Any]) -> str:
    return json.dumps(said, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _checksum(said: Mapping[str, Any], arrays: Mapping[str, Array]) -> int:
    """The CRC of what a file says about itself and of the type, shape and values of its arrays."""
    of_arrays = {
        name: [_NAMES[array.dtype], array.shape, zlib.crc32(array.reshape(-1).view(np.uint8).data)]
        for name, array in arrays.items()
    }
    return zlib.crc32(_as_json({**said, "arrays": of_arrays}).encode())


def _plain(array: Array, name: str) -> Array:
    """The array in C order and the machine's byte order."""
    array = np.asarray(array)
    array = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    if array.dtype not in _NAMES:
        raise InputError(f"{name} cannot be saved: values of type {array.dtype} have no place in a model file.")
    return array


def about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file says about itself (kind, version, state, notes), from its header alone."""
    path = _present(path)
    try:
        with path.open("rb") as file:
            header, _ = _read_header(path, file, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise ModelFileError(f"{str(path)!r} could not be read ({error.strerror or error}).") from error
    said = _read_about(path, header.pop("__metadata__", None))
    return {"notes": ""} | {
        name: said[name] for name in ("kind", "state", "version", "format", "notes") if name in said
    }


def _present(path: str | os.PathLike[str]) -> Path:
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"path: there is no model file {str(path)!r}.")
    return path


def read(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any], dict[str, Array]]:
    """Kind, state and arrays of a model file; the arrays are the caller's own."""
    path = _present(path)
    # One handle for all: what was checked is what gets read, even if the file is replaced meanwhile.
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header, start = _read_header(path, file, size)
            said = _read_about(path, header.pop("__metadata__", None))
            arrays = _read_arrays(path, file, header, start, size)
            _check_values(path, said, arrays)
    except OSError as error:
        raise ModelFileError(f"{str(path)!r} could not be read ({error.strerror or error}).") from error
    except MemoryError:
        raise ModelFileError(f"{str(path)!r} needs {size >> 20} MiB of memory, which are not there.") from None
    return said["kind"], said["state"], arrays


def _check_values(path: Path, said: dict[str, Any], arrays: Mapping[str, Array]) -> None:
    """The values are those that were saved; a file that carries no checksum is taken as it is."""
    checksum = said.get("crc32")
    if checksum is None:
        return
    rest = {name: value for name, value in said.items() if name != "crc32"}
    try:
        same = checksum == _checksum(rest, arrays)
    except (ValueError, RecursionError):
        same = False  # the header holds what save cannot have written
    if not same:
        raise ModelFileError(
            f"{str(path)!r} has changed since it was saved: its values do not match its checksum; use another copy of "
            "the file, or fit the model again."
        )


def _read_header(path: Path, file: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    prefix = file.read(8)
    length = int.from_bytes(prefix, "little")
    if len(prefix) < 8 or length < 2 or length > LARGEST_HEADER:
        raise ModelFileError(
            f"{str(path)!r} is not a Tacit model: it does not begin like one; give a file that save or tacit fit made."
        )
    if 8 + length > size:
        # A foreign file's first bytes can read as any length; a truncated model still opens its JSON.
        begins_like_one = file.read(1) == b"{"
        problem = "is cut short inside its header" if begins_like_one else "is not a Tacit model"
        raise ModelFileError(f"{str(path)!r} {problem}; save or copy the model again.")
    try:
        header = json.loads(file.read(length), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ModelFileError(f"{str(path)!r} is not a Tacit model: its header is not readable.") from None
    if not isinstance(header, dict):
        raise ModelFileError(f"{str(path)!r} is not a Tacit model: its header is not a table.")
    return header, 8 + length


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _read_about(path: Path, metadata: Any) -> dict[str, Any]:
    try:
        about = json.loads(metadata["tacit"], parse_constant=_refuse)
        form, version = about["format"], about["version"]
        kind, state, notes = about["kind"], about["state"], about.get("notes", "")
        known = type(form) is int and isinstance(version, str) and isinstance(kind, str) and isinstance(state, dict)
        known = known and isinstance(notes, str) and len(notes) <= LONGEST_NOTES
    except (TypeError, KeyError, ValueError, RecursionError):
        known = False
    if not known:
        raise ModelFileError(f"{str(path)!r} is a safetensors file of another program, not a Tacit model.")
    if form > FORMAT:
        raise ModelFileError(
            f"{str(path)!r} was written by the newer Tacit {version} (format {form}); "
            f"this is {__version__} (format {FORMAT}): upgrade Tacit to read it."
        )
    said: dict[str, Any] = about
    return said


def _read_arrays(path: Path, file: BinaryIO, header: dict[str, Any], start: int, size: int) -> dict[str, Array]:
    def lies(why: str) -> ModelFileError:
        return ModelFileError(f"{str(path)!r} has a header that does not fit its content ({why}); do not trust it.")

    spans: list[tuple[int, int]] = []
    parts: dict[str, tuple[Any, tuple[int, ...], int, int]] = {}
    for name, entry in header.items():
        try:
            dtype = np.dtype(_DTYPES[entry["dtype"]])
            shape, (begin, end) = tuple(entry["shape"]), entry["data_offsets"]
        except (TypeError, KeyError, ValueError):
            raise lies(f"the entry {name!r} is malformed") from None
        # JSON has true, 2.0 and 1e999 where whole numbers belong.
        if any(type(number) is not int or number < 0 for number in (*shape, begin, end)):
            raise lies(f"the entry {name!r} is malformed")
        if len(shape) > _MOST_DIMENSIONS or prod(max(extent, 1) for extent in shape) > _LARGEST_EXTENTS:
            raise lies(f"the shape of {name!r} is impossible")
        if end - begin != prod(shape) * dtype.itemsize:
            raise lies(f"the size of {name!r} is wrong")
        spans.append((begin, end))
        parts[name] = (dtype, shape, begin, end)
    index = 0
    for begin, end in sorted(spans):
        if begin != index:
            raise lies("its arrays overlap or leave gaps")
        index = end
    if start + index > size:
        raise ModelFileError(
            f"{str(path)!r} is cut short: {start + index - size} bytes are missing at its end; copy it again."
        )
    if start + index < size:
        raise lies("there are bytes behind the last array")
    arrays: dict[str, Array] = {}
    # In the order in which they lie in the file, each into memory of its own: no model keeps another's bytes alive.
    for name, (dtype, shape, begin, end) in sorted(parts.items(), key=lambda part: part[1][2:]):
        arrays[name] = np.empty(shape, dtype)
        if end > begin and _fill(file, arrays[name]) != end - begin:
            raise ModelFileError(f"{str(path)!r} was cut short while it was read; copy it again.")
    return arrays


def _fill(file: BinaryIO, array: Array) -> int:
    """Read into the array; how many bytes there were."""
    read: int = file.readinto(array.reshape(-1).view(np.uint8).data)  # type: ignore[attr-defined]
    return read
