"""Hedge over experts in the log domain: Eq. 13 and 15–17.

    log w_s ← φ log w_s − η ℓ_s,  normalised;       q_s = (1 − ρ) w_s / max w + ρ

with η = −log β. The loop over ratings holds Eq. 13, 16 and 17; here is the normalisation.
"""

import math

from tacit.kernels._jit import strict


@strict
def weights_of(log_weights, weights):
    """Normalised weights; the largest log weight is moved to 0 first, so nothing over- or underflows for good."""
    top = log_weights[0]
    for s in range(1, len(log_weights)):
        top = max(top, log_weights[s])
    total = 0.0
    for s in range(len(log_weights)):
        log_weights[s] -= top
        weights[s] = math.exp(log_weights[s])
        total += weights[s]
    for s in range(len(log_weights)):
        weights[s] /= total

