"""The small version of the words' table."""

from tables.words import render

__all__ = ["render"]
