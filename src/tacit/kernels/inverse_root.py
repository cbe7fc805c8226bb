"""A^{-1/2} x for a small symmetric positive definite A, and the projection onto x ≥ 0 in the norm of A^{1/2}.

No eigenvalues are computed. The integral

    A^{-1/2} = (2/π) ∫₀^∞ (A + t² I)^{-1} dt,   t = √m · sn(w)/cn(w),   spectrum of A in [m, M]

turns, under the midpoint rule in w, into a sum over a few shifts that converges geometrically with a rate that
depends on log(M/m) only (Hale, Higham & Trefethen 2008, doi:10.1137/070700607):

    A^{-1/2} x ≈ Σ_t weight_t (A + shift_t I)^{-1} x.

A is first made tridiagonal, A = Q T Qᵀ, in n³ multiplications; then the shifted systems cost O(n) each and are solved
side by side, one shift per lane of a vector register. ``quadrature`` (2, decades, nodes) holds the
shifts and weights for m = 1 and M = 10, 100, …; another m multiplies them by m and √m.
A = floor·I + H, where H is given as its lower triangle by rows, packed. All arithmetic is float64: squares of small
float32 numbers would underflow.
"""

import numpy as np

from tacit.kernels._jit import fast


@fast
def decade_of(trace, floor, quadrature):
    """Row of the quadrature that covers a spectrum in [floor, trace]."""
    decade = 0
    reach = 10.0 * floor
    while reach < trace and decade < quadrature.shape[1] - 1:
        reach *= 10.0
        decade += 1
    return decade


@fast
def tridiagonalize(packed, n, square, reflectors, bands):
    """H = Q T Qᵀ by Householder reflections, from the last row upwards.

    packed : (n(n+1)/2,), the lower triangle of H; square : (n, n), scratch
    reflectors : (n, n), row c holds √β v of the reflection that clears row c beyond its sub-diagonal
    bands : (2, n), the diagonal of T, and its sub-diagonal (place c couples c - 1 and c)
    """
    index = 0
    for a in range(n):
        for b in range(a + 1):
            square[a, b] = packed[index]
            square[b, a] = packed[index]
            index += 1
    for c in range(n - 1, 0, -1):
        length = 0.0
        for a in range(c):
            length += square[c, a] * square[c, a]
        head = square[c, c - 1]
        off = -np.sqrt(length) if head > 0 else np.sqrt(length)
        # vᵀv/2 for v = row − off·e; nothing cancels because off and head differ in sign.
        half = length - off * head
        root = 1.0 / np.sqrt(half) if half > 0 else 0.0
        for a in range(c):
            reflectors[c, a] = square[c, a] * root
        reflectors[c, c - 1] = (head - off) * root
        bands[0, c] = square[c, c]
        bands[1, c] = off
        # A ← A − v wᵀ − w vᵀ with w = A v − (vᵀAv/2) v; row c is no longer needed and holds w.
        middle = 0.0
        for a in range(c):
            total = 0.0
            for b in range(c):
                total += square[a, b] * reflectors[c, b]
            square[c, a] = total
            middle += total * reflectors[c, a]
        middle /= 2
        for a in range(c):
            square[c, a] -= middle * reflectors[c, a]
        for a in range(c):
            left, right = reflectors[c, a], square[c, a]
            for b in range(c):
                square[a, b] -= left * square[c, b] + right * reflectors[c, b]
    bands[0, 0] = square[0, 0]
    bands[1, 0] = 0


@fast
def factorize(n, floor, quadrature, decade, bands, pivots):
    """Inverse pivots of T + floor(1 + shift_t) for every shift, one shift per column of ``pivots`` (n, nodes)."""
    # A number that the compiler cannot see is not unrolled away before it becomes one vector operation.
    nodes = pivots.shape[1]
    for t in range(nodes):
        pivots[0, t] = 1 / (bands[0, 0] + floor * (1.0 + quadrature[0, decade, t]))
    for i in range(1, n):
        diagonal, coupling = bands[0, i], bands[1, i] * bands[1, i]
        for t in range(nodes):
            pivots[i, t] = 1 / (diagonal + floor * (1.0 + quadrature[0, decade, t]) - coupling * pivots[i - 1, t])


@fast
def solve(x, n, floor, quadrature, decade, reflectors, bands, pivots, lanes, y):
    """``y[:n] = A^{-1/2} x`` = Q [Σ_t weight_t (T + shift_t)^{-1}] Qᵀ x; ``lanes`` (n, nodes) is scratch."""
    nodes = pivots.shape[1]
    unit = np.sqrt(floor)
    for a in range(n):
        y[a] = x[a]
    for c in range(n - 1, 0, -1):
        total = 0.0
        for a in range(c):
            total += reflectors[c, a] * y[a]
        for a in range(c):
            y[a] -= total * reflectors[c, a]
    for t in range(nodes):
        lanes[0, t] = y[0] * pivots[0, t]
    for i in range(1, n):
        right, off = y[i], bands[1, i]
        for t in range(nodes):
            lanes[i, t] = (right - off * lanes[i - 1, t]) * pivots[i, t]
    for i in range(n - 2, -1, -1):
        off = bands[1, i + 1]
        for t in range(nodes):
            lanes[i, t] -= off * pivots[i, t] * lanes[i + 1, t]
    for i in range(n):
        total = 0.0
        for t in range(nodes):
            total += quadrature[1, decade, t] * lanes[i, t]
        y[i] = total * unit
    for c in range(1, n):
        total = 0.0
        for a in range(c):
            total += reflectors[c, a] * y[a]
        for a in range(c):
            y[a] -= total * reflectors[c, a]


@fast
def _cholesky_solve(matrix, chosen, size, right, solution):
    """Solve ``matrix[chosen, chosen] z = right[chosen]`` for ``size`` chosen places; z goes to ``solution[:size]``."""
    factor = np.empty((size, size), dtype=np.float64)
    for a in range(size):
        for b in range(a + 1):
            total = matrix[chosen[a], chosen[b]]
            for m in range(b):
                total -= factor[a, m] * factor[b, m]
            if a == b:
                factor[a, a] = np.sqrt(max(total, 1e-300))
            else:
                factor[a, b] = total / factor[b, b]
    for a in range(size):
        total = right[chosen[a]]
        for m in range(a):
            total -= factor[a, m] * solution[m]
        solution[a] = total / factor[a, a]
    for a in range(size - 1, -1, -1):
        total = solution[a]
        for m in range(a + 1, size):
            total -= factor[m, a] * solution[m]
        solution[a] = total / factor[a, a]


@fast
def project(x, n, bounded, floor, quadrature, decade, reflectors, bands, pivots, lanes):
    """Replace x by argmin ‖z − x‖²_G subject to z_a ≥ 0 for a < ``bounded``, G = A^{1/2} (Eq. 9), exactly.

    With P = G⁻¹ the solution is z = x + P μ where μ ≥ 0, z ≥ 0 and μ ⊥ z: a non-negative quadratic program in μ,
    solved by active sets (Lawson & Hanson 1974, ch. 23). Only the columns of P that enter the set are computed.
    """
    columns = np.empty((n, n), dtype=np.float64)
    known = np.zeros(n, dtype=np.bool_)
    inside = np.zeros(n, dtype=np.bool_)
    multiplier = np.zeros(n, dtype=np.float64)
    trial = np.empty(n, dtype=np.float64)
    unit = np.zeros(n, dtype=np.float64)
    wanted = np.empty(n, dtype=np.float64)
    chosen = np.empty(n, dtype=np.int64)
    largest = 0.0
    for a in range(n):
        wanted[a] = -x[a]
        largest = max(largest, abs(x[a]))
    slack = -largest * 1e-9
    # Each pass adds one place; the bound only guards against rounding that makes a place enter and leave for ever.
    for _ in range(3 * n):
        worst = -1
        depth = slack
        for a in range(bounded):
            if not inside[a] and x[a] < depth:
                depth = x[a]
                worst = a
        if worst < 0:
            break
        if not known[worst]:
            unit[worst] = 1
            solve(unit, n, floor, quadrature, decade, reflectors, bands, pivots, lanes, columns[worst])
            unit[worst] = 0
            known[worst] = True
        inside[worst] = True
        while True:
            size = 0
            for a in range(bounded):
                if inside[a]:
                    chosen[size] = a
                    size += 1
            _cholesky_solve(columns, chosen, size, wanted, trial)
            blocker = -1
            share = 1.0
            for a in range(size):
                if trial[a] <= 0:
                    held = multiplier[chosen[a]]
                    reach = held / (held - trial[a]) if held > 0 else 0.0
                    if reach < share:
                        share = reach
                        blocker = chosen[a]
            for a in range(size):
                multiplier[chosen[a]] += share * (trial[a] - multiplier[chosen[a]])
            if blocker < 0:
                break
            multiplier[blocker] = 0
            inside[blocker] = False
        for a in range(n):
            total = -wanted[a]
            for b in range(bounded):
                if inside[b]:
                    total += columns[b, a] * multiplier[b]
            x[a] = total
    for a in range(bounded):
        if inside[a] or x[a] < 0:
            x[a] = 0
