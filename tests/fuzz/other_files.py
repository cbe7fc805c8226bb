"""Mutated files of every other kind that Tacit reads: tables, vectors of words, label files, audits, checkpoints.

A file must be refused by an error of Tacit's own in one sentence, or be read; vectors and numbers are finite then.
Parquet is not among them: polars itself aborts the process at some forged sizes inside such files.
"""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

import tacit
from tacit import model_file
from tacit.data.multilabel import read_svmlight, read_xmc
from tacit.data.svmlight_positives import read_svmlight_positives
from tacit.errors import TacitError
from tacit.estimators.tag.audit_report import MissingLabels, Suggestion, read_decisions, read_suggestions
from tests.fuzz.files import as_file

Rng = np.random.Generator
SNIPPETS = (
    b"\0", b"\n", b"\r\n", b",", b";", b"\t", b'"', b"'", b" ", b":", b"-", b"", b"{}", b"[]", b"null", b"nan", b"inf",
    b"1e999", b"-1", b"1.5", b"0x1", b"2147483648", b"9223372036854775808", b"9" * 30, b"\xff", b"\xc3",
    b"\xef\xbb\xbf", "\N{LATIN SMALL LETTER U WITH DIAERESIS}".encode(),
)  # fmt: skip


def prepare() -> dict[str, Any]:
    """The bytes of a sound file of every kind, with what reads it."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="tacit-fuzz-", dir=base))
    seeds = []
    for name, write, read in KINDS:
        path = folder / name
        write(path)
        seeds.append((name, path.read_bytes(), read))  # reading a checkpoint goes on from it, and writes it anew
        read(path)
    return {"folder": folder, "seeds": seeds}


def run(context: dict[str, Any], rng: Rng) -> str | None:
    """Spoil one file and read it."""
    name, content, read = context["seeds"][int(rng.integers(len(context["seeds"])))]
    for _ in range(int(rng.integers(1, 4))):
        content = MUTATIONS[int(rng.integers(len(MUTATIONS)))](content, context, rng)
    path = context["folder"] / name
    path.write_bytes(content)
    try:
        return read(path)
    except TacitError as error:
        return f"{name}: a refusal of more than one line" if "\n" in str(error) else None


# -- what is read, and what it must be then --------------------------------------------------------------------------


def _finite(name: str, *arrays: Any) -> str | None:
    return None if all(np.isfinite(array).all() for array in arrays) else f"{name}: a number that is not finite"


def _positives(path: Path) -> str | None:
    data = tacit.Interactions.from_table(path, row="user", col="item", weight="weight")
    return _finite(path.name, data.matrix.data)


def _times(path: Path) -> str | None:
    data = tacit.Interactions.from_table(path, row="user", col="item", time="time")
    return _finite(path.name, data.matrix.data)


def _vectors(path: Path) -> str | None:
    return _finite(path.name, tacit.WordVectors.from_word2vec(path).vectors)


def _labels(path: Path) -> str | None:
    X, Y = read_xmc(path) if path.suffix == ".xmc" else read_svmlight(path)
    return _finite(path.name, X.data, Y.data)


def _listed(path: Path) -> str | None:
    return _finite(path.name, read_svmlight_positives(path).matrix.data)


def _suggestions(path: Path) -> str | None:
    return _finite(path.name, [one.score for one in read_suggestions(path).suggestions])


def _decisions(path: Path) -> None:
    read_decisions(path)


POSITIVES = sp.random_array((12, 9), density=0.4, rng=np.random.default_rng(0), format="csr")


def _resumed(path: Path) -> str | None:
    model = tacit.FactorRecommender(2, iterations=3, threads=1, checkpoint=path, progress=False).fit(POSITIVES)
    return _finite(path.name, model.row_factors_, model.col_factors_)


def _write_checkpoint(path: Path) -> None:
    """That of a fit that ended after its first sweep."""
    tacit.FactorRecommender(2, iterations=3, threads=1, checkpoint=path, callback=lambda _: True).fit(POSITIVES)
    path.write_bytes(as_file(*model_file.read(path)))  # without its checksum, as in fuzz.files


def _write_vectors(binary: bool) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        lines = [[f"w{n % 7}" for n in range(start, start + 6)] for start in range(30)]
        tacit.WordVectors(3, min_count=1, iterations=1, progress=False).fit(lines).save_word2vec(path, binary=binary)

    return write


TABLE = pl.DataFrame(
    {"user": ["ann", "bob", "ann", "eve"] * 3, "item": range(12), "weight": [1.0, 2.0, 0.5] * 4, "time": range(10, 22)}
)
AUDIT = MissingLabels(
    tuple(
        Suggestion(f"row {n}", "fruit", 1 - n / 9, f"text {n}", ("red",), (("row 1", 0.5, "other"),), ("text",))
        for n in range(4)
    )
)
LINES = "0,2 1:0.5 3:1.25\n1 2:1\n0,1 1:2 2:0.5\n"
KINDS: list[tuple[str, Callable[[Path], Any], Callable[[Path], str | None]]] = [
    ("table.csv", TABLE.write_csv, _positives),
    ("times.csv", TABLE.write_csv, _times),
    ("table.tsv", lambda path: TABLE.write_csv(path, separator="\t"), _positives),
    ("table.jsonl", TABLE.write_ndjson, _times),
    ("vectors.txt", _write_vectors(False), _vectors),
    ("vectors.bin", _write_vectors(True), _vectors),
    ("labels.xmc", lambda path: path.write_text(f"3 4 3\n{LINES}"), _labels),
    ("labels.svm", lambda path: path.write_text(LINES), _labels),
    ("positives.svm", lambda path: path.write_text("0 1:1 2:1 5:2\n0 3:1\n1 2:1 4:0.5\n"), _listed),
    ("audit.json", AUDIT.write, _suggestions),
    ("audit.csv", AUDIT.write, _decisions),
    ("checkpoint", _write_checkpoint, _resumed),
]


# -- mutations -------------------------------------------------------------------------------------------------------


def flip_bits(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    changed = bytearray(content)
    for at in rng.integers(0, len(content), int(rng.integers(1, 5))) if content else ():
        changed[at] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    return content[: int(rng.integers(len(content) + 1))]


def replace_span(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    """Something that means something in a text, in the place of nothing or of a few bytes."""
    at = int(rng.integers(len(content) + 1))
    return content[:at] + SNIPPETS[int(rng.integers(len(SNIPPETS)))] + content[at + int(rng.integers(0, 6)) :]


def move_lines(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    """One line left out, twice, or in another place."""
    lines = content.split(b"\n")
    line = lines[int(rng.integers(len(lines)))]
    match int(rng.integers(3)):
        case 0:
            lines.remove(line)
        case 1:
            lines.insert(int(rng.integers(len(lines))), line)
        case _:
            lines[int(rng.integers(len(lines)))] = line
    return b"\n".join(lines)


def splice(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    """The beginning of one file before the end of another."""
    other = context["seeds"][int(rng.integers(len(context["seeds"])))][1]
    return content[: int(rng.integers(len(content) + 1))] + other[int(rng.integers(len(other))) :]


def encode_again(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    """In an encoding that nobody announced."""
    encoding = ("utf-16", "utf-16-le", "cp1252", "utf-8-sig")[int(rng.integers(4))]
    return content.decode("latin-1").encode(encoding, errors="replace")


def nest(content: bytes, context: dict[str, Any], rng: Rng) -> bytes:
    """Deeper than a parser may follow."""
    depth = int(10 ** rng.uniform(1, 5.5))
    return b"[" * depth + (content if rng.random() < 0.5 else json.dumps("x").encode()) + b"]" * depth


MUTATIONS: tuple[Callable[[bytes, dict[str, Any], Rng], bytes], ...] = (
    flip_bits, cut, replace_span, replace_span, replace_span, move_lines, splice, encode_again, nest,
)  # fmt: skip
