"""Recommend: rows and columns of a positive-only matrix."""
