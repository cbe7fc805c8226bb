"""Saves that are killed or run out of room, many times over: the old file or the new, never neither.

    python -m tests.fuzz.saving kills 1000
    python -m tests.fuzz.saving full 100

A trial is a forked process that saves one model after another; it costs some milliseconds. Every file holds one number
throughout, so that a mixture of two would show.
"""

import os
import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tacit import model_file
from tacit.errors import InputError

NUMBERS = 200_000


def save(path: Path, number: int) -> None:
    arrays = {"one": np.full(NUMBERS, number), "two": np.full(NUMBERS, number, dtype=np.float32)}
    model_file.write(path, "Example", {"number": number}, arrays)


def number_in(path: Path) -> int:
    """The number that the file holds throughout."""
    _, state, arrays = model_file.read(path)
    number = int(state["number"])
    assert all((array == number).all() for array in arrays.values()), "a mixture of two files"
    return number


def parts_in(folder: Path) -> int:
    return sum(name.endswith(".part") for name in os.listdir(folder))  # noqa: PTH208


def kills(trials: int, seed: int = 0) -> dict[str, int]:
    """Kill a writer at any moment; what it leaves is removed by the next save."""
    rng = random.Random(seed)
    outcomes = {"old": 0, "new": 0, "temporary files left by a kill": 0}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model"
        save(path, 0)
        for _ in range(trials):
            before = number_in(path)
            child = os.fork()
            if child == 0:
                number = before
                while True:
                    number += 1
                    save(path, number)
            time.sleep(rng.uniform(0.0, 0.03))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            after = number_in(path)
            assert after >= before
            outcomes["new" if after > before else "old"] += 1
            outcomes["temporary files left by a kill"] += parts_in(path.parent)
            save(path, after)
            assert parts_in(path.parent) == 0, "a stale temporary file stays"
    return outcomes


def full(trials: int, seed: int = 0) -> dict[str, int]:
    """Let a writer run out of room at any byte: one sentence, the old file, and no litter."""
    rng = random.Random(seed)
    outcomes = {"refused in one sentence": 0}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model"
        save(path, 7)
        size = path.stat().st_size
        for _ in range(trials):
            room = rng.randrange(size)
            child = os.fork()
            if child == 0:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
                try:
                    save(path, 8)
                except InputError as error:
                    os._exit(0 if "could not be written" in str(error) and "\n" not in str(error) else 2)
                os._exit(1)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            assert number_in(path) == 7
            assert parts_in(path.parent) == 0
            outcomes["refused in one sentence"] += 1
    return outcomes


if __name__ == "__main__":
    started = time.monotonic()
    print({"kills": kills, "full": full}[sys.argv[1]](int(sys.argv[2])), f"{time.monotonic() - started:.0f} s")
