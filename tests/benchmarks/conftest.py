"""The benchmarks' own modules, which are not part of the package."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"
