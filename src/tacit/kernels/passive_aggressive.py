"""One round of the (adaptive) passive-aggressive update: Algorithm 1 of the paper.

    w* = w + τ sgn(r − p) G⁻¹ x,      w ← projection of w* onto w ≥ 0 in the norm of G          (Eq. 8–10)
    G  = (δ I + H)^{1/2},             H ← φ H + x xᵀ   before G is formed
    τ  = ℓ / ‖x‖²            (PA)     min(C, ℓ / ‖x‖²)   (PA-I)     ℓ / (‖x‖² + 1/(2C))   (PA-II, Eq. 11)

Here w is the user's vector and x the item's, or the reverse, ‖x‖² = xᵀG⁻¹x, ℓ = max(|r − p| − ε, 0), and φ ≤ 1 is the
forgetting factor (1 in the paper). Both sides of a round take the *old* vector of the other side as x. C, δ and ε are
stated for ratings of one scale; ``scale`` says how many times larger the ratings are (1: as they are).

A row of ``users`` or ``items`` is: how many ratings it has had, its running mean bias, then one segment per setting. A
segment is w (k factors, and a bias where biases are learned, whose input is the constant ``one``), then H: nothing, its
diagonal, or its packed lower triangle.
"""

import numpy as np

from tacit.kernels import inverse_root
from tacit.kernels._jit import fast, inlined

# Columns of ``settings``, a float64 matrix with one row per setting.
OFFSET, FACTORS, BIASES, VARIANT, ADAPTATION, CONSTRAINT, AGGRESSIVENESS, DELTA, EPSILON, FORGETTING, START = range(11)
COLUMNS = 11

COUNT, BIAS, SEGMENTS = range(3)
"""Places in a row; the segments begin at the last one."""

NO_BIASES, LEARNED, MEANS = 0, 1, 2
PA, PA_I, PA_II = 0, 1, 2
NO_ADAPTATION, DIAGONAL, FULL = 0, 1, 2
FREE, PLAIN, EXACT = 0, 1, 2

_LEAST = 1e-30
"""Under a root, in the place of zero: with δ = 0 an accumulator may be zero, and then so is its input."""


@inlined
def step_size(loss, norm, aggressiveness, variant):
    """τ of Eq. 8 and 11; an input of length zero says nothing and moves nothing."""
    if variant == PA_II:
        return loss / (norm + 0.5 / aggressiveness)
    if norm <= 0.0:
        return 0.0
    if variant == PA_I:
        return aggressiveness if aggressiveness < loss / norm else loss / norm
    return loss / norm


@inlined
def vector_length(settings, s):
    """Factors, and the bias where it is learned as one more coordinate."""
    return np.int64(settings[s, FACTORS]) + np.int64(settings[s, BIASES] == LEARNED)


@inlined
def predict(users, items, i, j, settings, s, mean, one, unit):
    """⟨u, v⟩; mean + b_u + b_v + ⟨u, v⟩ with learned biases; and with running means mean + b_u + b_v + unit ⟨u, v⟩."""
    at = np.int64(settings[s, OFFSET])
    k = np.int64(settings[s, FACTORS])
    biases = np.int64(settings[s, BIASES])
    total = users.dtype.type(0)
    first = np.uint64(at)  # unsigned, or the loop is not vectorised
    for a in range(np.uint64(0), np.uint64(k)):
        total += users[i, first + a] * items[j, first + a]
    learned = 0.0
    for a in range(at + k, at + vector_length(settings, s)):
        learned = one * (users[i, a] + items[j, a])
    running = mean + users[i, BIAS] + items[j, BIAS] + unit * total
    if biases == MEANS:
        return running
    return mean + (total + learned) if biases == LEARNED else float(total)


@fast
def light_round(users, items, i, j, settings, s, scale, one, error, scratch):
    """Both sides of a round without adaptation (G = I) or with a diagonal H, in place.

    scratch : (4, n), inputs of the user and of the item, then G⁻¹ times these. Not four views of it: a view counts
        references. Places are unsigned where they may be: a signed one could be negative for all that the compiler
        knows, and such a loop is not vectorised
    """
    at = np.int64(settings[s, OFFSET])
    k = np.int64(settings[s, FACTORS])
    n = vector_length(settings, s)
    variant = np.int64(settings[s, VARIANT])
    real = users.dtype.type
    first, zero = np.uint64(at), np.uint64(0)
    for a in range(zero, np.uint64(k)):
        scratch[0, a] = items[j, first + a]
        scratch[1, a] = users[i, first + a]
    if n > k:
        scratch[0, k] = one
        scratch[1, k] = one
    user_norm = real(0)
    item_norm = real(0)
    if settings[s, ADAPTATION] == DIAGONAL:
        forgetting = real(settings[s, FORGETTING])
        delta = real(settings[s, DELTA] * scale)
        least = real(_LEAST)
        h = np.uint64(at + n)
        for a in range(zero, np.uint64(n)):
            user_h = forgetting * users[i, h + a] + scratch[0, a] * scratch[0, a]
            item_h = forgetting * items[j, h + a] + scratch[1, a] * scratch[1, a]
            users[i, h + a] = user_h
            items[j, h + a] = item_h
            scratch[2, a] = scratch[0, a] / np.sqrt(max(delta + user_h, least))
            scratch[3, a] = scratch[1, a] / np.sqrt(max(delta + item_h, least))
            user_norm += scratch[0, a] * scratch[2, a]
            item_norm += scratch[1, a] * scratch[3, a]
    else:
        for a in range(n):
            scratch[2, a] = scratch[0, a]
            scratch[3, a] = scratch[1, a]
            user_norm += scratch[0, a] * scratch[0, a]
            item_norm += scratch[1, a] * scratch[1, a]
    loss = abs(error) - settings[s, EPSILON] * scale
    aggressiveness = settings[s, AGGRESSIVENESS] / np.sqrt(scale)
    sign = 1.0 if error > 0 else -1.0
    user_move = real(sign * step_size(loss, float(user_norm), aggressiveness, variant))
    item_move = real(sign * step_size(loss, float(item_norm), aggressiveness, variant))
    for a in range(zero, np.uint64(n)):
        users[i, first + a] += user_move * scratch[2, a]
        items[j, first + a] += item_move * scratch[3, a]
    bounded = 0 if settings[s, CONSTRAINT] == FREE else k
    for a in range(zero, np.uint64(bounded)):
        users[i, first + a] = max(users[i, first + a], real(0))
        items[j, first + a] = max(items[j, first + a], real(0))


@fast
def full_side(rows, r, others, q, settings, s, scale, one, error, out, square, columns, quadrature):
    """One side with the full H: its new vector goes to ``out``, its H is updated.

    out : (4, m) with the result in its first row; square : (2m, m) and columns : (2m, nodes), scratch of
    ``inverse_root``; m is the longest vector of any expert
    """
    full = out.shape[1]
    at = np.int64(settings[s, OFFSET])
    k = np.int64(settings[s, FACTORS])
    n = vector_length(settings, s)
    real = rows.dtype.type
    forgetting = real(settings[s, FORGETTING])
    delta = settings[s, DELTA] * scale
    aggressiveness = settings[s, AGGRESSIVENESS] / np.sqrt(scale)
    loss = abs(error) - settings[s, EPSILON] * scale
    new, x, bands = out[0], out[1], out[2:4]
    scratch, reflectors = square[:full], square[full:]
    pivots, lanes = columns[:full], columns[full:]
    packed = rows[r, at + n : at + n + n * (n + 1) // 2]
    for a in range(k):
        x[a] = others[q, at + a]
    if n > k:
        x[k] = one
    trace = delta
    index = 0
    for a in range(n):
        for b in range(a + 1):
            packed[index] = forgetting * packed[index] + x[a] * x[b]
            index += 1
        trace += packed[index - 1]
    decade = inverse_root.decade_of(trace, delta, quadrature)
    inverse_root.tridiagonalize(packed, n, scratch, reflectors, bands)
    inverse_root.factorize(n, delta, quadrature, decade, bands, pivots)
    inverse_root.solve(x, n, delta, quadrature, decade, reflectors, bands, pivots, lanes, new)
    norm = 0.0
    for a in range(n):
        norm += x[a] * new[a]
    tau = step_size(loss, norm, aggressiveness, np.int64(settings[s, VARIANT]))
    move = tau if error > 0 else -tau
    below = False
    for a in range(n):
        new[a] = rows[r, at + a] + move * new[a]
        below = below or (a < k and new[a] < 0)
    if not below or settings[s, CONSTRAINT] == FREE:
        return
    if settings[s, CONSTRAINT] == EXACT:
        inverse_root.project(new, n, k, delta, quadrature, decade, reflectors, bands, pivots, lanes)
        return
    for a in range(k):
        new[a] = max(new[a], 0.0)
