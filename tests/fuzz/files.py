"""Mutated model files: bits, cuts, forged headers, sizes, indices and numbers, parts of other models.

A file must be refused by ``ModelFileError`` in one sentence, or load as a model all of whose answers are finite or
errors of Tacit's own.
"""

import contextlib
import copy
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit import model_file
from tacit.errors import ModelFileError, TacitError
from tests.fuzz.models import ask_everything, seeds

Rng = np.random.Generator
Parts = tuple[str, dict[str, Any], dict[str, np.ndarray]]

NUMBERS = (0, 1, -1, 2, 3, 7, 2**15, 2**27, 2**31 - 1, 2**31, 2**48, 2**62, 2**63 - 1, -(2**31), -(2**63), 10**30)
REALS = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e38, -1e38, 1e20, 1e-40, 0.0, -0.0, -1.0, 0.5, 2.0)
WORDS = ("", "x", "auto", "9" * 99)
VALUES = (*NUMBERS, *WORDS, 1e300, -1e300, 1e-300, 0.5, -0.5, True, False, None, [], {}, [0], {"a": 1})
RUNTIME = {"threads": 10**6, "checkpoint": "/tmp/forged", "progress": True, "callback": "x"}


def prepare() -> dict[str, Any]:
    """The bytes of every seed, and what they are made of."""
    folder = Path(tempfile.mkdtemp(prefix="tacit-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    path = folder / "model"
    context: dict[str, Any] = {"path": folder / f"forged{os.getpid()}", "bytes": [], "parts": [], "names": []}
    for name, model in seeds():
        model.save(path)
        context["names"].append(name)
        context["parts"].append(model_file.read(path))
        # Without the checksum, which would have every spoiled number refused before anything looks at it.
        context["bytes"].append(as_file(*context["parts"][-1]))
        ask_everything(tacit.load(path))
    path.unlink()
    return context


def run(context: dict[str, Any], rng: Rng) -> str | None:
    """Forge one file, load it, ask it everything."""
    place = int(rng.integers(len(context["bytes"])))
    mutate = MUTATIONS[int(rng.integers(len(MUTATIONS)))]
    path = context["path"]
    path.write_bytes(mutate(context, place, rng))
    try:
        model = tacit.load(path)
    except ModelFileError as error:
        if "MemoryError" in str(error) or "of memory, which are not there" in str(error):
            return f"asked for too much memory: {' '.join(str(error).split('is not a sound')[-1].split())[:120]}"
        return None if "\n" not in str(error) else "a refusal of more than one line"
    finding = ask_everything(model)
    _write_again(model, path)
    return finding


def _write_again(model: Any, path: Path) -> None:
    """What has been saved can be loaded; a model that could not is refused when it is saved."""
    try:
        model.save(path)
    except TacitError:
        return
    tacit.load(path)
    if hasattr(model, "save_word2vec"):
        with contextlib.suppress(TacitError):
            model.save_word2vec(path, binary=True)
            type(model).from_word2vec(path)


# -- bytes ---------------------------------------------------------------------------------------------------------


def flip_bits(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    content = bytearray(context["bytes"][place])
    start = 8 + int.from_bytes(content[:8], "little") if rng.random() < 0.7 else 0
    for at in rng.integers(start, len(content), int(rng.integers(1, 9))):
        content[at] ^= 1 << int(rng.integers(8))
    return bytes(content)


def cut_or_extend(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    content = context["bytes"][place]
    if rng.random() < 0.5:
        return content[: int(rng.integers(len(content)))]
    return content + bytes(int(rng.integers(1, 64)))


def overwrite_span(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    content = bytearray(context["bytes"][place])
    start = 8 + int.from_bytes(content[:8], "little")
    at, length = int(rng.integers(start, len(content))), int(rng.integers(1, 64))
    content[at : at + length] = rng.bytes(min(length, len(content) - at))
    return bytes(content)


def splice_header(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    """The header of one file before the content of another."""
    one, other = context["bytes"][place], context["bytes"][int(rng.integers(len(context["bytes"])))]
    ends = [8 + int.from_bytes(content[:8], "little") for content in (one, other)]
    return one[: ends[0]] + other[ends[1] :]


def forge_header(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    """Numbers and types in the description of the arrays."""
    content = context["bytes"][place]
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    names = [name for name in header if name != "__metadata__"]
    entry = header[names[int(rng.integers(len(names)))]]
    match int(rng.integers(4)):
        case 0 if entry["shape"]:
            entry["shape"][int(rng.integers(len(entry["shape"])))] = _value(rng)
        case 1:
            entry["dtype"] = str(rng.choice(["F64", "F32", "I64", "I32", "U8", "BOOL", "F16", "X"]))
        case 2:
            entry["data_offsets"][int(rng.integers(2))] = _value(rng)
        case _:
            header[names[int(rng.integers(len(names)))] + "x"] = header.pop(names[int(rng.integers(len(names)))])
    return _joined(json.dumps(header).encode(), content[end:])


# -- arrays and state, in files that are sound as containers --------------------------------------------------------


def forge_arrays(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    kind, state, arrays = _copied(context["parts"][place])
    for _ in range(int(rng.integers(1, 3))):
        name = sorted(arrays)[int(rng.integers(len(arrays)))]
        arrays[name] = _forged(arrays[name], rng)
    return as_file(kind, state, arrays)


def forge_state(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    kind, state, arrays = _copied(context["parts"][place])
    for _ in range(int(rng.integers(1, 3))):
        _forge_tree(state, rng)
    return as_file(kind, state, arrays)


def forge_both(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    """A number in the state and the arrays that should follow it."""
    kind, state, arrays = _copied(context["parts"][place])
    _forge_tree(state, rng)
    name = sorted(arrays)[int(rng.integers(len(arrays)))]
    arrays[name] = _forged(arrays[name], rng)
    return as_file(kind, state, arrays)


def resize_together(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    """All extents of one length become another, as if somebody had cut the model consistently."""
    kind, state, arrays = _copied(context["parts"][place])
    lengths = sorted({extent for array in arrays.values() for extent in array.shape})
    old = lengths[int(rng.integers(len(lengths)))]
    new = int(rng.choice([0, 1, max(old - 1, 0), old + 1, 2 * old]))
    for name, array in arrays.items():
        for axis, extent in enumerate(array.shape):
            if extent == old:
                array = np.resize(np.moveaxis(array, axis, 0), (new, *np.moveaxis(array, axis, 0).shape[1:]))
                array = np.ascontiguousarray(np.moveaxis(array, 0, axis))
        arrays[name] = array
    return as_file(kind, state, arrays)


def exchange_parts(context: dict[str, Any], place: int, rng: Rng) -> bytes:
    """Arrays, state or the kind of another model."""
    kind, state, arrays = _copied(context["parts"][place])
    other = _copied(context["parts"][int(rng.integers(len(context["parts"])))])
    match int(rng.integers(4)):
        case 0:
            kind = other[0]
        case 1:
            state = other[1]
        case 2:
            arrays = other[2]
        case _:
            shared = [name for name in other[2] if rng.random() < 0.5]
            arrays |= {name: other[2][name] for name in shared}
    return as_file(kind, state, arrays)


MUTATIONS: tuple[Callable[[dict[str, Any], int, Rng], bytes], ...] = (
    flip_bits, cut_or_extend, overwrite_span, splice_header, forge_header, forge_arrays, forge_arrays, forge_arrays,
    forge_state, forge_state, forge_both, resize_together, exchange_parts,
)  # fmt: skip


def _forged(array: np.ndarray, rng: Rng) -> np.ndarray:
    match int(rng.integers(8)):
        case 0 | 1 | 2 | 3 if array.size:
            flat = array.reshape(-1).copy()
            chosen = REALS if array.dtype.kind == "f" else NUMBERS
            with np.errstate(all="ignore"):
                for at in rng.integers(flat.size, size=int(rng.integers(1, 4))):
                    value = chosen[int(rng.integers(len(chosen)))]
                    if array.dtype.kind != "f":
                        low, high = (0, 255) if array.dtype == np.uint8 else (-(2**63), 2**63 - 1)
                        value = int(np.clip(value, low, high)) if abs(value) < 2**63 else high
                    flat[at] = np.array(value).astype(array.dtype)
            return flat.reshape(array.shape)
        case 4 if array.ndim:
            rows = int(rng.choice([0, 1, max(len(array) - 1, 0), len(array) + 1, 2 * len(array)]))
            return np.resize(array, (rows, *array.shape[1:]))
        case 5:
            return array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1"]), casting="unsafe")
        case 6 if array.ndim > 1:
            return np.ascontiguousarray(np.moveaxis(array, 0, -1))
        case _:
            return rng.permutation(array) if array.ndim else array


def _forge_tree(tree: Any, rng: Rng) -> None:
    """Change one place somewhere in a tree of tables and lists."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(tree[key], dict | list) and tree[key] and rng.random() < 0.85:
            tree = tree[key]
            continue
        break
    match int(rng.integers(10)):
        case 0:
            del tree[key]
        case 1 if isinstance(tree, dict):
            tree[str(rng.choice(list(RUNTIME)))] = RUNTIME[str(rng.choice(list(RUNTIME)))]
        case 2 if isinstance(tree, list):
            tree.extend(tree[:3])
        case 3 | 4 if isinstance(tree[key], int | float) and not isinstance(tree[key], bool):
            tree[key] = tree[key] * int(rng.choice([-1, 2, 10, 1000])) + int(rng.integers(-1, 2))
        case _:
            tree[key] = _value(rng)


def _value(rng: Rng) -> Any:
    return copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def _copied(parts: Parts) -> Parts:
    kind, state, arrays = parts
    # Faster than a deep copy, and a state is JSON.
    return kind, json.loads(json.dumps(state)), dict(arrays)


def as_file(kind: str, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A container that is sound whatever it holds."""
    codes = {np.dtype(code): name for name, code in model_file._DTYPES.items()}
    header: dict[str, Any] = {}
    body = bytearray()
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": codes[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(content)],
        }
        body += content
    about = json.dumps({"format": model_file.FORMAT, "kind": kind, "state": state, "version": "0"})
    header["__metadata__"] = {"tacit": about}
    return _joined(json.dumps(header).encode(), bytes(body))


def _joined(header: bytes, body: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + body
