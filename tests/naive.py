"""Slow twins: dense, obvious, float64. Every fast kernel is tested against one of these functions.

Nothing here may import from ``tacit``: an oracle that shares code with what it checks proves nothing.
"""
