"""The small version of the words' table."""

from benchmarks.tables.words import render

__all__ = ["render"]
