"""Hedge over experts in the log domain: Eq. 13 and 15–17.

    log w_s ← φ log w_s − η ℓ_s,  normalised;       q_s = (1 − ρ) w_s / max w + ρ

with η = −log β. The loop over ratings holds Eq. 16 and 17; here are the weights.
"""

import numpy as np

from tacit.kernels._jit import strict


@strict
def normalise_weights(log_weights, weights):
    """Weights that sum to 1 from log weights of which the largest is 0; the log weights stay as they are."""
    total = 0.0
    for s in range(len(log_weights)):
        weights[s] = np.exp(log_weights[s])
        total += weights[s]
    for s in range(len(log_weights)):
        weights[s] /= total


@strict
def update_weights(log_weights, losses, eta, forgetting):
    """Eq. 13 with forgetting; the largest log weight becomes 0, so that weights can never all underflow."""
    top = -np.inf
    for s in range(len(log_weights)):
        log_weights[s] = forgetting * log_weights[s] - eta * losses[s]
        top = log_weights[s] if log_weights[s] > top else top
    for s in range(len(log_weights)):
        log_weights[s] -= top
