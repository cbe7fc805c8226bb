"""The one way to run a part of a benchmark in another process, in our interpreter or in that of the peers.

``ask("peers.adapters:rank", peers=True, …)`` calls the function ``rank`` of ``benchmarks.peers.adapters`` there and
gives back what it returns; ``Process`` keeps the process, for methods that run in turn. Requests and answers are lines
of JSON, arrays go through files of a folder that is named in the request. The interpreter of the peers sees
``benchmarks`` but not ``tacit``.

``launch`` runs a whole program; what it lacks becomes one sentence instead of a traceback:

    python -m benchmarks.processes PROGRAM ARGUMENTS…    PROGRAM such as peers.recommend

``peak_mib`` is the most memory that this process has held. ``getrusage`` counts what the parent held when it started
the process; the kernel's own mark in ``/proc`` belongs to this program alone and can be set back before each
measurement. Where there is no ``/proc``, ``getrusage`` has to do.

``Turns`` are measurements that others left alone. A virtual machine whose processors are lent to others meanwhile says
nothing about a program: turns in which more than one percent of the time was stolen (``/proc/stat``) are left out and
taken again. Where all that is measured runs in this process, what other processes use can be left out with it.
"""

import contextlib
import importlib
import json
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-peers" / "bin" / "python"
THREADS = 2
"""Threads of every method, and of its BLAS unless a caller bounds that further."""


class Failed(RuntimeError):
    """What went wrong in another process, in one line."""


def peers_python() -> str:
    """The interpreter of the peers' environment; ``TACIT_PEERS_PYTHON`` overrides it."""
    chosen = os.environ.get("TACIT_PEERS_PYTHON", str(PEERS))
    if not Path(chosen).exists():
        raise SystemExit("benchmarks need the peers' environment: run make bench-setup first.")
    return chosen


def environment(peers: bool = False, source: Path | str | None = None, blas: int = THREADS) -> dict[str, str]:
    """Where a process finds its modules; ``source`` is the ``src`` folder of another commit to measure."""
    path = [str(ROOT)] if peers else [str(source or ROOT / "src"), str(ROOT)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "OPENBLAS_NUM_THREADS": str(blas)}


class Process:
    """Another process that calls functions of ``benchmarks`` when it is asked to.

    Parameters
    ----------
    peers : in the interpreter of the peers
    source : the ``src`` folder of another commit of ours
    blas : threads of its BLAS
    prefix : a command that starts the process, such as one that slows down the network
    """

    def __init__(
        self,
        peers: bool = False,
        source: Path | str | None = None,
        blas: int = THREADS,
        prefix: Sequence[str] = (),
    ) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(
            [*prefix, peers_python() if peers else sys.executable, "-m", "benchmarks.processes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env=environment(peers, source, blas), cwd=ROOT, text=True,
        )  # fmt: skip

    def ask(self, function: str, **parameters: Any) -> Any:
        """What ``function``, "module:name" in ``benchmarks``, returns; ``Failed`` where it raises."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            print(json.dumps({"call": function, "with": parameters}), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer = json.loads(line) if line else {"error": self._last_words()}
        if "error" in answer:
            raise Failed(answer["error"][:200])
        return answer["answer"]

    def _last_words(self) -> str:
        self._process.wait(timeout=60)
        self._errors.seek(0)
        return (self._errors.read().strip().splitlines() or ["it ended without a word"])[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()
        self._errors.close()


def ask(
    function: str,
    *,
    peers: bool = False,
    source: Path | str | None = None,
    blas: int = THREADS,
    prefix: Sequence[str] = (),
    **parameters: Any,
) -> Any:
    """One call in a process of its own."""
    with Process(peers, source, blas, prefix) as process:
        return process.ask(function, **parameters)


_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Forget the mark, so that ``peak_mib`` speaks of what comes now."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak_mib() -> float:
    """MiB held at most since the start or the last ``forget_peak``."""
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


TURNS = 5
"""Turns that are wanted."""

STOLEN, ATTEMPTS = 0.01, 8
"""The share of stolen time up to which a turn counts, and the attempts for each that is wanted."""


def _processor_seconds() -> list[float]:
    """Seconds over all processors as user, nice, system, idle, waiting, interrupts (two kinds), stolen."""
    ticks = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return [int(count) / os.sysconf("SC_CLK_TCK") for count in ticks]


def stolen_seconds() -> float:
    """Seconds, over all processors, for which the host ran somebody else."""
    return _processor_seconds()[7]


def seconds_of_others() -> float:
    """The same, and what processes other than this one used."""
    user, nice, system, _, _, *others = _processor_seconds()
    return user + nice + system + sum(others) - time.process_time()


class Turns:
    """Turns that were not disturbed, and how many were.

    taken : seconds so far that were taken from what is measured, ``stolen_seconds`` or ``seconds_of_others``
    """

    def __init__(self, taken: Callable[[], float] = stolen_seconds) -> None:
        self.taken = taken
        self.disturbed = 0

    def of(self, measure: Callable[[], T]) -> list[T]:
        """``TURNS`` undisturbed results of ``measure``; every result, where too few are left alone."""
        everything, kept = [], []
        while len(kept) < TURNS and len(everything) < TURNS * ATTEMPTS:
            taken, began = self.taken(), time.perf_counter()
            everything.append(measure())
            spent = (time.perf_counter() - began) * (os.cpu_count() or 1)
            if self.taken() - taken <= STOLEN * spent:
                kept.append(everything[-1])
        self.disturbed += len(everything) - len(kept)
        return kept if len(kept) == TURNS else everything


ABSENT = 3
"""How a program ends whose data are not in the folder ``TACIT_DATA``."""


def launch(program: str, *arguments: str, **options: Any) -> int:
    """Run a program in a process of its own; gives back how it ended."""
    command = [sys.executable, "-m", "benchmarks.processes", program, *arguments]
    return subprocess.run(command, env=environment(), cwd=ROOT, check=False, **options).returncode


def _run(program: str) -> None:
    """Run a program in this process, which was started for it."""
    from tacit.errors import MissingDataError, TacitError

    try:
        runpy.run_module(f"benchmarks.{program}", run_name="__main__", alter_sys=True)
    except MissingDataError as error:
        print(f"{program}: left out, {error}", file=sys.stderr)
        raise SystemExit(ABSENT) from None
    except TacitError as error:
        raise SystemExit(f"{program}: {error}") from None


def _answer() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    # Libraries print bars and warnings; only answers may reach the caller.
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        module, name = request["call"].split(":")
        try:
            function = getattr(importlib.import_module(f"benchmarks.{module}"), name)
            answer = json.dumps({"answer": function(**request["with"])})
        except Exception as error:
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        print(answer, file=answers, flush=True)


def main() -> None:
    if len(sys.argv) == 1:
        _answer()
    else:
        sys.argv = sys.argv[1:]
        _run(sys.argv[0])


if __name__ == "__main__":
    main()
