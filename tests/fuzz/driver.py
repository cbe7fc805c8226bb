"""A fuzzing run: workers that are expected to die, cases that can be repeated, one report.

A target is a module with ``prepare() -> context`` and ``run(context, rng) -> str | None``. Each case gets a generator
of its own from (seed, number); what it returns is a finding, and so is an exception, a case of more than ``LONGEST``
seconds, and a worker that dies. A worker notes the number of each case before it begins, so that a death is blamed on
the right one.

    python -m tests.fuzz.driver files --seconds 60 --workers 2
    python -m tests.fuzz.driver files --cases 100000
    python -m tests.fuzz.driver files --seed 0 --case 1234
"""

import argparse
import contextlib
import importlib
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

LONGEST = 5.0
"""Seconds of processor time that one case may take: a busy machine makes no case slow."""
COMPILING = 40.0
"""Seconds that it may take the first time, when it may be the first to need a kernel that is compiled for it."""
HUNG = 60.0
"""Seconds after which a worker that shows no progress is ended: one that waits for ever uses no processor time."""
PREPARING = 600.0
"""Seconds that a worker may take before its first case."""
MEMORY = 1 << 30
"""Bytes that a worker may hold on top of what it has when it begins, so that no case can ask for more."""


class Slow(BaseException):
    """Raised by the alarm; no handler of errors in between may take it for its own."""


def one_case(target: Any, context: Any, seed: int, number: int) -> str | None:
    """The finding of one case, or None; one that takes long is run again."""
    try:
        began = time.process_time()
        finding = _finding(target, context, seed, number, COMPILING)
        if time.process_time() - began > LONGEST:
            finding = _finding(target, context, seed, number, LONGEST)
        return finding
    except Slow:
        return f"slow: more than {LONGEST:g} s"


def _finding(target: Any, context: Any, seed: int, number: int, longest: float) -> str | None:
    rng = np.random.default_rng([seed, number])
    signal.setitimer(signal.ITIMER_PROF, longest)
    try:
        return target.run(context, rng)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/src/tacit/" in frame.filename] or frames
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return f"{type(error).__name__} at {where}: {' '.join(str(error).split())[:120]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _alarm(*_: object) -> None:
    raise Slow


def _allocated() -> int:
    """Bytes of private memory that can be written to: not what pools of threads and compilers merely reserve."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData")) << 10


def worker(
    name: str, seed: int, first: int, step: int, cases: float, seconds: float, note: Path, findings: Path
) -> None:
    """Run the cases first, first + step, … below ``cases``, for so long after the preparation."""
    target = importlib.import_module(f"tests.fuzz.{name}")
    context = target.prepare()
    signal.signal(signal.SIGPROF, _alarm)
    most = _allocated() + MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    number, until = first, time.time() + seconds
    with note.open("w") as noted, findings.open("a") as found:
        while number < cases and time.time() < until:
            noted.seek(0)
            noted.write(f"{number:<20d}")
            noted.flush()
            finding = one_case(target, context, seed, number)
            if finding:
                found.write(f"{number}\t{finding}\n")
                found.flush()
            number += step
        noted.seek(0)
        noted.write(f"{number:<20d}")


def campaign(
    name: str, *, cases: float = math.inf, seconds: float = math.inf, workers: int = 2, seed: int = 0
) -> tuple[int, list[tuple[int, str]]]:
    """How many cases were run, and the findings (number, what); it ends by number or by time."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        lanes = [Lane(name, seed, lane, workers, cases, Path(folder)) for lane in range(workers)]
        for lane in lanes:
            stack.callback(lane.end)
            lane.begin(seconds)
        busy = lanes
        while busy:
            time.sleep(0.05)
            busy = [lane for lane in busy if lane.is_busy()]
        found = sorted(finding for lane in lanes for finding in lane.all_findings())
        return sum(lane.done() for lane in lanes), found


class Lane:
    """One worker after the other, each going on behind the case at which the last one died."""

    def __init__(self, name: str, seed: int, lane: int, workers: int, cases: float, folder: Path) -> None:
        self.name, self.seed, self.lane, self.step, self.cases = name, seed, lane, workers, cases
        self.note, self.findings, self.errors = (folder / f"{part}{lane}" for part in ("note", "found", "errors"))
        self.next = lane
        self.deaths: list[tuple[int, str]] = []
        self.process: subprocess.Popen[bytes] | None = None

    def begin(self, seconds: float) -> None:
        self.note.write_text("")
        # A worker that prepares has time for it.
        self.seen, self.moved = "", time.time() + PREPARING
        self.left = seconds
        command = [sys.executable, "-m", "tests.fuzz.driver", self.name, "--worker"]
        command += map(str, (self.seed, self.next, self.step, self.cases, seconds, self.note, self.findings))
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(command, stdout=errors, stderr=errors)

    def is_busy(self) -> bool:
        """Whether there is more to wait for; deals with workers that died or hang."""
        assert self.process is not None
        noted = self.note.read_text()
        if noted != self.seen:
            self.left -= max(0.0, time.time() - self.moved)
            self.seen, self.moved = noted, time.time()
        status = self.process.poll()
        if status is None:
            if time.time() - self.moved < HUNG:
                return True
            self.process.kill()
            status = self.process.wait()
        if status == 0:
            return False
        if not noted.strip():
            raise RuntimeError(f"a worker did not begin: {self.errors.read_text()[-2000:]}")
        self.deaths.append((int(noted), f"died: {signal.Signals(-status).name if status < 0 else status}"))
        self.next = int(noted) + self.step
        if self.left > 0 and self.next < self.cases:
            self.begin(self.left)
            return True
        self.note.write_text(str(self.next))
        return False

    def done(self) -> int:
        return (int(self.note.read_text() or self.next) - self.lane) // self.step

    def all_findings(self) -> Iterator[tuple[int, str]]:
        yield from self.deaths
        if self.findings.exists():
            for line in self.findings.read_text().splitlines():
                number, what = line.split("\t", 1)
                yield int(number), what

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def main() -> int:
    if "--worker" in sys.argv:
        name, _, seed, first, step, cases, seconds, note, findings = sys.argv[1:]
        worker(name, int(seed), int(first), int(step), float(cases), float(seconds), Path(note), Path(findings))
        return 0
    parser = argparse.ArgumentParser(description="Fuzz a target.")
    parser.add_argument("targets", nargs="+", help="modules of tests/fuzz")
    parser.add_argument("--seconds", type=float, help="60 by default, where no number of cases is given")
    parser.add_argument("--cases", type=float, default=math.inf)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=None, help="by default another one every time")
    parser.add_argument("--case", type=int, help="run this case alone, with its traceback")
    given = parser.parse_args()
    seed = int(time.time()) if given.seed is None else given.seed
    if given.case is not None:
        target = importlib.import_module(f"tests.fuzz.{given.targets[0]}")
        print(target.run(target.prepare(), np.random.default_rng([seed, given.case])))
        return 0
    seconds = given.seconds or (60.0 if math.isinf(given.cases) else math.inf)
    failed = False
    for name in given.targets:
        began = time.monotonic()
        count, found = campaign(name, cases=given.cases, seconds=seconds, workers=given.workers, seed=seed)
        print(f"{name}: {count:,} cases in {time.monotonic() - began:.0f} s, {len(found)} findings (seed {seed})")
        kinds = Counter(what for _, what in found)
        for what, often in kinds.most_common():
            print(f"  {often} × {what} (case {next(number for number, one in found if one == what)})")
        failed |= bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
