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
        return min(aggressiveness, loss / norm)
    return loss / norm


@inlined
def vector_length(settings, s):
    """Factors, and the bias where it is learned as one more coordinate."""
    return int(settings[s, FACTORS]) + int(settings[s, BIASES] == LEARNED)


@inlined
def predict(users, items, i, j, settings, s, mean, one, unit):
    """⟨u, v⟩; mean + b_u + b_v + ⟨u, v⟩ with learned biases; and with running means mean + b_u + b_v + unit ⟨u, v⟩."""
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
    total = users.dtype.type(0)
    for a in range(k):
        total += users[i, at + a] * items[j, at + a]
    if settings[s, BIASES] == MEANS:
        return mean + users[i, BIAS] + items[j, BIAS] + unit * total
    if settings[s, BIASES] == LEARNED:
        total += one * (users[i, at + k] + items[j, at + k])
        return mean + total
    return float(total)


@fast
def light_round(users, items, i, j, settings, s, scale, one, error, scratch):
    """Both sides of a round without adaptation (G = I) or with a diagonal H, in place; ``scratch`` is (4, n)."""
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
    n = vector_length(settings, s)
    variant = int(settings[s, VARIANT])
    real = users.dtype.type
    user_input, item_input, user_step, item_step = scratch[0], scratch[1], scratch[2], scratch[3]
    for a in range(k):
        user_input[a] = items[j, at + a]
        item_input[a] = users[i, at + a]
    if n > k:
        user_input[k] = one
        item_input[k] = one
    user_norm = real(0)
    item_norm = real(0)
    if settings[s, ADAPTATION] == DIAGONAL:
        forgetting = real(settings[s, FORGETTING])
        delta = real(settings[s, DELTA] * scale)
        least = real(_LEAST)
        h = at + n
        for a in range(n):
            user_h = forgetting * users[i, h + a] + user_input[a] * user_input[a]
            item_h = forgetting * items[j, h + a] + item_input[a] * item_input[a]
            users[i, h + a] = user_h
            items[j, h + a] = item_h
            user_step[a] = user_input[a] / np.sqrt(max(delta + user_h, least))
            item_step[a] = item_input[a] / np.sqrt(max(delta + item_h, least))
            user_norm += user_input[a] * user_step[a]
            item_norm += item_input[a] * item_step[a]
    else:
        for a in range(n):
            user_step[a] = user_input[a]
            item_step[a] = item_input[a]
            user_norm += user_input[a] * user_input[a]
            item_norm += item_input[a] * item_input[a]
    loss = abs(error) - settings[s, EPSILON] * scale
    aggressiveness = settings[s, AGGRESSIVENESS] / np.sqrt(scale)
    sign = 1.0 if error > 0 else -1.0
    user_move = real(sign * step_size(loss, float(user_norm), aggressiveness, variant))
    item_move = real(sign * step_size(loss, float(item_norm), aggressiveness, variant))
    for a in range(n):
        users[i, at + a] += user_move * user_step[a]
        items[j, at + a] += item_move * item_step[a]
    if settings[s, CONSTRAINT] != FREE:
        for a in range(k):
            users[i, at + a] = max(users[i, at + a], real(0))
            items[j, at + a] = max(items[j, at + a], real(0))


@fast
def full_side(rows, r, others, q, settings, s, scale, one, error, out, square, columns, quadrature):
    """One side with the full H: its new vector goes to ``out``, its H is updated.

    out : (4, m) with the result in its first row; square : (2m, m) and columns : (2m, nodes), scratch of
    ``inverse_root``; m is the longest vector of any expert
    """
    full = out.shape[1]
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
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
    tau = step_size(loss, norm, aggressiveness, int(settings[s, VARIANT]))
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
