"""The quick version has the same shape."""

from tables.recommend import render as render
