"""Methods in processes of their own, each in the interpreter that has its library, so that runs alternate."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers" / "bin" / "python"


def peers_python() -> str:
    """The interpreter of the peers' environment; ``TACIT_PEERS_PYTHON`` overrides it."""
    chosen = os.environ.get("TACIT_PEERS_PYTHON", str(PEERS))
    if not Path(chosen).exists():
        raise SystemExit("benchmarks need the peers' environment: run make bench-setup first.")
    return chosen


class Worker:
    """One adapter with one training matrix, waiting for requests."""

    def __init__(self, adapter: str, train: sp.csr_array, threads: int = 2) -> None:
        self.adapter = adapter
        self.folder = tempfile.TemporaryDirectory()
        matrix = Path(self.folder.name) / "train.npz"
        sp.save_npz(matrix, sp.csr_matrix(train), compressed=False)
        python = sys.executable if adapter == "tacit_" else peers_python()
        # Bounded BLAS: each library brings its own threads, and oversubscription would punish it.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HERE)}
        if adapter == "tacit_":
            environment["PYTHONPATH"] = f"{HERE.parent / 'src'}{os.pathsep}{HERE}"
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), adapter, str(matrix), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self.version = self._answer()["ready"]

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.adapter} ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def fit(self, save: bool = False, **parameters: Any) -> dict[str, Any]:
        """Seconds and peak memory of one fit; with ``save`` also its factors."""
        path = str(Path(self.folder.name) / "factors.npz") if save else None
        assert self.process.stdin is not None
        print(json.dumps({"fit": parameters, "save": path}), file=self.process.stdin, flush=True)
        answer = self._answer()
        if path and "error" not in answer:
            with np.load(path) as factors:
                answer["factors"] = factors["rows"], factors["cols"]
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.folder.cleanup()


def alternate(methods: dict[str, tuple[Worker, dict[str, Any]]], repeats: int) -> dict[str, list[float]]:
    """Seconds of every method, run in turn: A B C A B C …; the first round of each is not counted."""
    for worker, parameters in methods.values():
        worker.fit(**parameters)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, (worker, parameters) in methods.items():
            seconds[name].append(worker.fit(**parameters)["seconds"])
    return seconds
