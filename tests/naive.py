"""Slow twins: dense, obvious, float64. Every fast kernel is tested against one of these functions.

Nothing here may import from ``tacit``: an oracle that shares code with what it checks proves nothing.
"""

import numpy as np

# -- neighbours ----------------------------------------------------------------------------------------------------


def top_k(scores, k):
    """The k best cells of each row: sort all by (score descending, number ascending); -inf may not be chosen."""
    numbers = np.full((len(scores), k), -1)
    best = np.full((len(scores), k), np.nan)
    for r, row in enumerate(scores):
        order = [c for c in sorted(range(len(row)), key=lambda c: (-row[c], c)) if row[c] > -np.inf][:k]
        numbers[r, : len(order)] = order
        best[r, : len(order)] = row[order]
    return numbers, best
