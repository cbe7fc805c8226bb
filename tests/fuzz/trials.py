"""How often a trial is made, and in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def trials(default: int) -> int:
    """So many, or as many as ``TACIT_TRIALS`` says."""
    return int(os.environ.get("TACIT_TRIALS", default))


def run_module(*arguments: object, **environment: str) -> str:
    """Run a module of the tests; what it prints. What it says when it fails is shown."""
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout
