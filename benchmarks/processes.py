"""The one way to run a part of a benchmark in another process, in our interpreter or in that of the peers.

``ask("peers.adapters.xmc:rank", peers=True, …)`` calls the function ``rank`` of ``benchmarks.peers.adapters.xmc`` there
and gives back what it returns; ``Process`` keeps the process, for methods that run in turn. Requests and answers are
lines of JSON, arrays go through files of a folder that is named in the request. The interpreter of the peers sees
``benchmarks`` but not ``tacit``.

``peak_mib`` is the most memory that this process has held. ``getrusage`` counts what the parent held when it started
the process; the kernel's own mark in ``/proc`` belongs to this program alone and can be set back before each
measurement. Where there is no ``/proc``, ``getrusage`` has to do.
"""

import contextlib
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

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


def main() -> None:
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


if __name__ == "__main__":
    main()
