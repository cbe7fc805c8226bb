"""The quick version has the same shape."""

from benchmarks.tables.recommend import render as render
