"""One round of the (adaptive) passive-aggressive update: Algorithm 1 of the paper.

    w* = w + τ sgn(r − p) G⁻¹ x,      w ← projection of w* onto w ≥ 0 in the norm of G          (Eq. 8–10)
    G  = (δ I + H)^{1/2},             H ← φ H + x xᵀ   before G is formed
    τ  = ℓ / ‖x‖²            (PA)     min(C, ℓ / ‖x‖²)   (PA-I)     ℓ / (‖x‖² + 1/(2C))   (PA-II, Eq. 11)

Here w is the user's vector and x the item's, or the reverse, ‖x‖² = xᵀG⁻¹x, ℓ = max(|r − p| − ε, 0), and φ ≤ 1 is the
forgetting factor (1 in the paper). Both sides of a round take the *old* vector of the other side as x. C, δ and ε are
stated for ratings of one scale; ``scale`` says how many times larger the ratings are (1: as they are).

A row of ``users`` or ``items`` is: how many ratings it has had, then one segment per setting. A segment is w (k
factors, and a bias if there are biases, whose input is the constant ``one``), then H: nothing, its diagonal, or its
packed lower triangle.
"""

import numpy as np

from tacit.kernels import inverse_root
from tacit.kernels._jit import fast

# Columns of ``settings``, a float64 matrix with one row per setting.
OFFSET, FACTORS, BIASED, VARIANT, ADAPTATION, CONSTRAINT, AGGRESSIVENESS, DELTA, EPSILON, FORGETTING, START = range(11)
COLUMNS = 11

PA, PA_I, PA_II = 0, 1, 2
NO_ADAPTATION, DIAGONAL, FULL = 0, 1, 2
FREE, PLAIN, EXACT = 0, 1, 2


@fast
def step_size(loss, norm, aggressiveness, variant):
    """τ of Eq. 8 and 11; an input of length zero says nothing and moves nothing."""
    if variant == PA_II:
        return loss / (norm + 0.5 / aggressiveness)
    if norm <= 0.0:
        return 0.0
    if variant == PA_I:
        return min(aggressiveness, loss / norm)
    return loss / norm


@fast
def predict(users, items, i, j, settings, s, mean, one):
    """⟨u, v⟩, and with biases mean + b_u + b_v + ⟨u, v⟩."""
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
    total = users.dtype.type(0)
    for a in range(k):
        total += users[i, at + a] * items[j, at + a]
    if settings[s, BIASED] > 0:
        total += one * (users[i, at + k] + items[j, at + k])
        return mean + total
    return float(total)


@fast
def light_round(users, items, i, j, settings, s, scale, one, error):
    """Both sides of a round without adaptation (G = I) or with a diagonal H, in place."""
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
    n = k + int(settings[s, BIASED])
    variant = int(settings[s, VARIANT])
    free = settings[s, CONSTRAINT] == FREE
    adaptive = settings[s, ADAPTATION] == DIAGONAL
    real = users.dtype.type
    zero = real(0)
    forgetting = real(settings[s, FORGETTING])
    delta = real(settings[s, DELTA] * scale)
    aggressiveness = settings[s, AGGRESSIVENESS] / np.sqrt(scale)
    loss = abs(error) - settings[s, EPSILON] * scale
    h = at + n
    user_norm = zero
    item_norm = zero
    if adaptive:
        for a in range(n):
            u = users[i, at + a] if a < k else real(one)
            v = items[j, at + a] if a < k else real(one)
            user_h = forgetting * users[i, h + a] + v * v
            item_h = forgetting * items[j, h + a] + u * u
            users[i, h + a] = user_h
            items[j, h + a] = item_h
            # With δ = 0 an accumulator may be zero, and then so is the input: 0/0 would be NaN.
            user_norm += v * v / np.sqrt(delta + user_h) if user_h > 0 else zero
            item_norm += u * u / np.sqrt(delta + item_h) if item_h > 0 else zero
    else:
        for a in range(n):
            u = users[i, at + a] if a < k else real(one)
            v = items[j, at + a] if a < k else real(one)
            user_norm += v * v
            item_norm += u * u
    sign = 1.0 if error > 0 else -1.0
    user_move = real(sign * step_size(loss, float(user_norm), aggressiveness, variant))
    item_move = real(sign * step_size(loss, float(item_norm), aggressiveness, variant))
    for a in range(n):
        old_user = users[i, at + a]
        old_item = items[j, at + a]
        u = old_user if a < k else real(one)
        v = old_item if a < k else real(one)
        if adaptive:
            user_h = users[i, h + a]
            item_h = items[j, h + a]
            v = v / np.sqrt(delta + user_h) if user_h > 0 else zero
            u = u / np.sqrt(delta + item_h) if item_h > 0 else zero
        new_user = old_user + user_move * v
        new_item = old_item + item_move * u
        bounded = not free and a < k
        users[i, at + a] = max(new_user, zero) if bounded else new_user
        items[j, at + a] = max(new_item, zero) if bounded else new_item


@fast
def full_side(rows, r, others, q, settings, s, scale, one, error, out, square, columns, quadrature):
    """One side with the full H: its new vector goes to ``out``, its H is updated.

    out : (4, m) with the result in its first row; square : (2m, m) and columns : (2m, nodes), scratch of
    ``inverse_root``; m is the longest vector of any expert
    """
    full = out.shape[1]
    at = int(settings[s, OFFSET])
    k = int(settings[s, FACTORS])
    n = k + int(settings[s, BIASED])
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
    place = 0
    for a in range(n):
        for b in range(a + 1):
            packed[place] = forgetting * packed[place] + x[a] * x[b]
            place += 1
        trace += packed[place - 1]
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
