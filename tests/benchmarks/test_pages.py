"""Committed pages say what the committed results say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_pages_match_the_results():
    run = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "pages.py"), "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
