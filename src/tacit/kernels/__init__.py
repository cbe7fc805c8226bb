"""Numba functions on arrays, nothing else. ``_jit.py`` is the only file that imports Numba."""
