"""The one way to run a part of a benchmark in another process, in our interpreter or in that of the peers.

A part is a module of ``benchmarks`` with arguments of its own: ``output("benchmarks.contest.task", …, peers=True)``.
The interpreter of the peers sees ``benchmarks`` but not ``tacit``. Every process gets the same number of BLAS threads.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-peers" / "bin" / "python"
THREADS = 2
"""Threads of every method, and of its BLAS unless a caller bounds that further."""


class Failed(RuntimeError):
    """A process ended with an error: the last line that it wrote."""


def peers_python() -> str:
    """The interpreter of the peers' environment; ``TACIT_PEERS_PYTHON`` overrides it."""
    chosen = os.environ.get("TACIT_PEERS_PYTHON", str(PEERS))
    if not Path(chosen).exists():
        raise SystemExit("benchmarks need the peers' environment: run make bench-setup first.")
    return chosen


def call(module: str, *arguments: str, peers: bool = False) -> list[str]:
    """The command that runs a module."""
    return [peers_python() if peers else sys.executable, "-m", module, *arguments]


def environment(peers: bool = False, source: Path | str | None = None, blas: int = THREADS) -> dict[str, str]:
    """Where a process finds its modules; ``source`` is the ``src`` folder of another commit to measure."""
    path = [str(ROOT)] if peers else [str(source or ROOT / "src"), str(ROOT)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "OPENBLAS_NUM_THREADS": str(blas)}


def output(
    module: str, *arguments: str, peers: bool = False, source: Path | str | None = None, blas: int = THREADS
) -> str:
    """What a module prints; ``Failed`` with its last words where it ends with an error."""
    done = subprocess.run(
        call(module, *arguments, peers=peers),
        env=environment(peers, source, blas), cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200])
    return done.stdout
