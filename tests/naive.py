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


# -- words ---------------------------------------------------------------------------------------------------------


def cooccurrence(sentences, words, weight, window, before=True, after=True):
    """X_ij summed pair by pair; ``sentences`` are lists of word numbers, ``weight`` a function of the distance."""
    counts = np.zeros((words, words))
    for sentence in sentences:
        for p, word in enumerate(sentence):
            for q, other in enumerate(sentence):
                if 0 < abs(p - q) <= window and ((q < p and before) or (q > p and after)):
                    counts[word, other] += weight(abs(p - q))
    return counts


def ppmi(counts, shift=1.0, smoothing=1.0):
    """max(0, log p(i,j) / (p(i) p_s(j)) − log k), with p_s(j) ∝ p(j)^s; cells without a count are 0."""
    counts = np.asarray(counts, dtype=np.float64)
    values = np.zeros_like(counts)
    contexts = counts.sum(axis=0) ** smoothing
    contexts /= contexts.sum()
    for i, j in zip(*np.nonzero(counts)):
        joint = counts[i, j] / counts.sum()
        values[i, j] = max(0.0, np.log(joint / (counts[i].sum() / counts.sum() * contexts[j])) - np.log(shift))
    return values
