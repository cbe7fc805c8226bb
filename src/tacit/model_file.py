"""One model, one file: safetensors with a checked header, safe to open from a stranger, no pickle.

Layout: 8 bytes (header length, little-endian), a JSON header (name → dtype, shape, offsets; one metadata entry
``tacit`` with the model's kind, format number and parameters as JSON), then the arrays. Equal models are equal
bytes. Loading maps the file into memory: arrays are read from disk when they are touched, and a page that is written
to becomes the process's own, so that the file never changes (read-only arrays would be other types to the kernels, and
compile them anew). Writing goes to a
temporary file in the same folder, which then replaces the old one: a crash leaves either the old file or the new.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tacit._version import __version__
from tacit.errors import InputError, ModelFileError

FORMAT = 1
Array = NDArray[Any]

_DTYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32,
    "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
}  # fmt: skip
_NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items()}
_LARGEST_HEADER = 100_000_000
_MOST_DIMENSIONS = 8
_LARGEST_EXTENTS = 2**48


def write(path: str | os.PathLike[str], kind: str, state: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write a model atomically.

    Parameters
    ----------
    kind : the estimator's class name
    state : JSON-ready parameters and small facts
    arrays : everything large, by name
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    path = Path(path)
    about = {"format": FORMAT, "kind": kind, "state": state, "version": __version__}
    try:
        # One metadata entry: the safetensors library writes several in random order.
        metadata = {"tacit": json.dumps(about, sort_keys=True, allow_nan=False, separators=(",", ":"))}
    except (TypeError, ValueError) as error:
        raise InputError(f"the parameters of this {kind} cannot be saved: {error}.") from error
    tensors = {name: _plain(array, name) for name, array in sorted(arrays.items())}
    if not path.parent.is_dir():
        raise InputError(f"path: the folder {str(path.parent)!r} does not exist; create it first.")
    if path.is_dir():
        raise InputError(f"path: {str(path)!r} is a folder; give the name of a file.")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise InputError(f"path: nothing can be written to {str(path.parent)!r} ({error.strerror}).") from error
    try:
        save_file(tensors, temporary, metadata=metadata)
        with open(temporary, "rb") as written:  # noqa: PTH123
            os.fsync(written.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"path: the model could not be written to {str(path)!r}: {error}.") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()


def _plain(array: Array, name: str) -> Array:
    """The array in C order and the machine's byte order."""
    array = np.asarray(array)
    array = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    if array.dtype not in _NAMES:
        raise InputError(f"{name} cannot be saved: values of type {array.dtype} have no place in a model file.")
    return array


def read(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any], dict[str, Array]]:
    """Kind, state and memory-mapped arrays of a model file."""
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"path: there is no model file {str(path)!r}.")
    # One handle for all: what was checked is what gets mapped, even if the file is replaced meanwhile.
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header, start = _read_header(path, file, size)
        about = _read_about(path, header.pop("__metadata__", None))
        arrays = _map_arrays(path, file, header, start, size)
    return about["kind"], about["state"], arrays


def _read_header(path: Path, file: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    prefix = file.read(8)
    length = int.from_bytes(prefix, "little")
    if len(prefix) < 8 or length < 2 or length > _LARGEST_HEADER:
        raise ModelFileError(f"{str(path)!r} is not a Tacit model: it does not begin like one.")
    if 8 + length > size:
        # A foreign file's first bytes can read as any length; a truncated model still opens its JSON.
        begins_like_one = file.read(1) == b"{"
        problem = "is cut short inside its header" if begins_like_one else "is not a Tacit model"
        raise ModelFileError(f"{str(path)!r} {problem}; save or copy the model again.")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError):
        raise ModelFileError(f"{str(path)!r} is not a Tacit model: its header is not readable.") from None
    if not isinstance(header, dict):
        raise ModelFileError(f"{str(path)!r} is not a Tacit model: its header is not a table.")
    return header, 8 + length


def _read_about(path: Path, metadata: Any) -> dict[str, Any]:
    try:
        about = json.loads(metadata["tacit"])
        form, version = about["format"], about["version"]
        kind, state = about["kind"], about["state"]
        known = type(form) is int and isinstance(version, str) and isinstance(kind, str) and isinstance(state, dict)
    except (TypeError, KeyError, ValueError, RecursionError):
        known = False
    if not known:
        raise ModelFileError(f"{str(path)!r} is a safetensors file of another program, not a Tacit model.")
    if form > FORMAT:
        raise ModelFileError(
            f"{str(path)!r} was written by the newer Tacit {version} (format {form}); "
            f"this is {__version__} (format {FORMAT}): upgrade Tacit to read it."
        )
    return {"kind": kind, "state": state}


def _map_arrays(path: Path, file: BinaryIO, header: dict[str, Any], start: int, size: int) -> dict[str, Array]:
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
    place = 0
    for begin, end in sorted(spans):
        if begin != place:
            raise lies("its arrays overlap or leave gaps")
        place = end
    if start + place > size:
        raise ModelFileError(
            f"{str(path)!r} is cut short: {start + place - size} bytes are missing at its end; copy it again."
        )
    if start + place < size:
        raise lies("there are bytes behind the last array")
    if place == 0:
        return {name: np.zeros(shape, dtype) for name, (dtype, shape, *_) in parts.items()}
    whole = np.asarray(np.memmap(file, dtype=np.uint8, mode="c", offset=start, shape=(place,)))
    arrays: dict[str, Array] = {}
    for name, (dtype, shape, begin, end) in parts.items():
        if end > begin and (start + begin) % dtype.alignment:
            raise lies(f"{name!r} is not aligned")
        arrays[name] = whole[begin:end].view(dtype).reshape(shape)
    return arrays
