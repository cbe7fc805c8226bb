"""Row solves of alternating least squares, matrix-free.

For a row x with positives Ω_x the squared whole-data objective is a quadratic in p = p_x (Q fixed):

    A p = h,   A = Σ_{y∈Ω_x} w_xy q_y q_yᵀ + a_x S + λ_x I,   h = Σ_{y∈Ω_x} v_xy q_y + a_x o

with the caches S = QᵀBQ (g, g) and o = t Qᵀb (g,), and per positive w = c − a_x b_y and v = c r − a_x b_y t.
Columns are the same call on the transpose.

w and v are made from c and r where they are needed, a batch of rows at a time, so that no array of them exists; c and r
have one value per positive, or a single one that holds for all. A loss that is not quadratic brings w and v itself, one
per positive, in the place of c and r: ``ready`` says so. ``positives.coefficients_of`` rounds after every
operation, so that both ways give the same bits.

Rows go in batches of ``BATCH``: the products with S become one matrix product per batch and step, and the passes
over the positives take four at a time (four dot products share the loads of the vector, one update takes all four).
A batch never crosses the border of a chunk, and chunks do not depend on the number of threads.
"""

import numpy as np

from tacit.kernels._jit import fast, inlined
from tacit.kernels.gather_dot import add, add_four, four_products, product
from tacit.kernels.positives import coefficients_of

BATCH = 32
PIECE = 256
TINY = 1e-30


@inlined
def add_slope(indptr, indices, w, v, first, base, row, other, vector, out):
    """out += Σ_{y∈Ω_row} (v_y − w_y ⟨q_y, vector⟩) q_y: what the positives add to h − A vector, or to −A vector.

    ``first`` says whether h, and so v, counts; ``w`` and ``v`` begin with the positive number ``base``.
    """
    k, end = indptr[row], indptr[row + 1]
    i = k - base
    zero = out.dtype.type(0)
    while k + 4 <= end:
        q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
        s0, s1, s2, s3 = four_products(q0, q1, q2, q3, vector)
        s0 = (v[i] if first else zero) - s0 * w[i]
        s1 = (v[i + 1] if first else zero) - s1 * w[i + 1]
        s2 = (v[i + 2] if first else zero) - s2 * w[i + 2]
        s3 = (v[i + 3] if first else zero) - s3 * w[i + 3]
        add_four(out, s0, s1, s2, s3, q0, q1, q2, q3)
        k += 4
        i += 4
    while k < end:
        q = other[indices[k]]
        add(out, (v[i] if first else zero) - w[i] * product(q, vector), q)
        k += 1
        i += 1


@inlined
def largest_batch(start, stop, indptr):
    """The most positives of any batch of rows."""
    most = np.int64(0)
    for begin in range(start, stop, BATCH):
        size = indptr[min(begin + BATCH, stop)] - indptr[begin]
        most = size if size > most else most
    return most


@fast
def conjugate_gradient_rows(
    start, stop, indptr, indices, weight, target, ready, b, t, own, other, gram, offset, a, ridge, steps, tolerance
):
    """Improve own[start:stop] by up to ``steps`` steps of conjugate gradient from where they are.

    A row is done when its residual has shrunk to ``tolerance`` times what it was at the start.

    own (n, g), other (m, g), gram (g, g), offset (g,), a and ridge (n,), b (m,); indptr, indices, weight,
    target: the rows' positives.
    Returns by how much the objective fell (each step lowers pᵀAp − 2hᵀp by exactly ‖r‖⁴ / dᵀAd, so this is free)
    and the squared norm of the gradient at the start.

    One pass over the positives serves both: it makes z = h − A p before the first step and z = −A d in every step. A
    second one would compile for another second. What only the former has is chosen, not multiplied by one or zero, and
    the loops that add up are as short as they are: the compiler may fuse and group the sums of others differently.
    """
    g = own.shape[1]
    number = own.dtype.type
    residual = np.empty((BATCH, g), own.dtype)
    direction = np.empty((BATCH, g), own.dtype)
    image = np.empty((BATCH, g), own.dtype)
    energy = np.empty(BATCH, np.float64)
    enough = np.empty(BATCH, np.float64)
    w, v, base = weight, target, np.int64(0)
    if not ready:
        made = np.empty((2, largest_batch(start, stop, indptr)), own.dtype)
        w, v = made[0], made[1]
    fall = 0.0
    gradient = 0.0
    for begin in range(start, stop, BATCH):
        size = min(BATCH, stop - begin)
        if not ready:
            base = indptr[begin]
            for x in range(begin, begin + size):
                coefficients_of(indptr[x], indptr[x + 1], base, indices, weight, target, a[x], b, t, w, v)
        points = own[begin : begin + size]
        r, d, z = residual[:size], direction[:size], image[:size]
        for step in range(steps + 1):
            first = step == 0
            at = points if first else d
            if not first:
                waiting = False
                for i in range(size):
                    waiting = waiting or energy[i] > enough[i]
                if not waiting:
                    break
            np.dot(at, gram, z)
            for i in range(size):
                if step > 0 and energy[i] <= enough[i]:
                    continue
                x = begin + i
                if first:
                    for j in range(g):
                        z[i, j] = a[x] * (offset[j] - z[i, j]) - ridge[x] * at[i, j]
                else:
                    for j in range(g):
                        z[i, j] = -(a[x] * z[i, j] + ridge[x] * at[i, j])
                add_slope(indptr, indices, w, v, first, base, x, other, at[i], z[i])
                e = number(0)
                if step == 0:
                    for j in range(g):
                        r[i, j] = z[i, j]
                    for j in range(g):
                        d[i, j] = r[i, j]
                        e += r[i, j] * r[i, j]
                    energy[i] = e
                    least = tolerance * tolerance * e
                    enough[i] = least if least > TINY else TINY
                    gradient += 4.0 * e
                    continue
                curvature = number(0)
                for j in range(g):
                    curvature -= d[i, j] * z[i, j]
                alpha = number(energy[i] / curvature)
                fall += alpha * energy[i]
                for j in range(g):
                    points[i, j] += alpha * d[i, j]
                    r[i, j] += alpha * z[i, j]
                    e += r[i, j] * r[i, j]
                beta = number(e / energy[i])
                energy[i] = e
                for j in range(g):
                    d[i, j] = r[i, j] + beta * d[i, j]
    return fall, gradient


@fast
def conjugate_gradient_each(
    start, stop, indptr, indices, weight, target, ready, b, t, own, other, gram, offset, a, ridge, steps, tolerance
):
    """``conjugate_gradient_rows`` with batches of one: a row gets the bits that it would get alone."""
    fall = 0.0
    gradient = 0.0
    for x in range(start, stop):
        own_fall, own_gradient = conjugate_gradient_rows(
            x, x + 1, indptr, indices, weight, target, ready, b, t, own, other, gram, offset, a, ridge, steps, tolerance
        )
        fall += own_fall
        gradient += own_gradient
    return fall, gradient


@fast
def solve_in_place(system, vector):
    """vector ← system⁻¹ vector by Cholesky; the lower triangle of ``system`` is overwritten. False if not definite."""
    g = vector.shape[0]
    number = vector.dtype.type
    for i in range(g):
        for j in range(i + 1):
            s = number(0)
            for d in range(j):
                s += system[i, d] * system[j, d]
            s = system[i, j] - s
            if i > j:
                system[i, j] = s / system[j, j]
            elif s > 0:
                system[i, i] = np.sqrt(s)
            else:
                return False
    for i in range(g):
        s = number(0)
        for d in range(i):
            s += system[i, d] * vector[d]
        vector[i] = (vector[i] - s) / system[i, i]
    for i in range(g - 1, -1, -1):
        vector[i] /= system[i, i]
        for d in range(i):
            vector[d] -= vector[i] * system[i, d]
    return True


@fast
def block_rows(start, stop, low, high, indptr, indices, c, r, ready, b, t, scores, own, other, gram, offset, a, ridge):
    """Minimise exactly over the coordinates low..high of own[start:stop], all others fixed (iALS++).

        u = ½ ∂J/∂p_B = Σ (w s − v) q_B + a (S p − o)_B + λ p_B,   H = Σ w q_B q_Bᵀ + a S_BB + λ I,   p_B ← p_B − H⁻¹u

    ``gram`` is S[:, low:high] (g, B). ``scores`` s per positive are kept in step; a single one stands for zeros that
    nobody needs afterwards. With all coordinates, factors and scores at zero this solves the whole row from nothing,
    which is what folding in does.
    Returns the fall of the objective uᵀH⁻¹u, the squared norm of the gradient, and the number of rows whose system
    was not positive definite.
    """
    size = high - low
    number = own.dtype.type
    piece = np.empty((PIECE, size), own.dtype)
    scaled = np.empty((PIECE, size), own.dtype)
    system = np.empty((size, size), own.dtype)
    update = np.empty((size, size), own.dtype)
    u = np.empty(size, own.dtype)
    step = np.empty(size, own.dtype)
    w, v = np.empty(PIECE, own.dtype), np.empty(PIECE, own.dtype)
    scored = len(scores) == len(indices)
    fall = 0.0
    gradient = 0.0
    failed = 0
    for x in range(start, stop):
        np.dot(own[x], gram, u)
        for i in range(size):
            u[i] = a[x] * (u[i] - offset[low + i]) + ridge[x] * own[x, low + i]
            for j in range(size):
                system[i, j] = a[x] * gram[low + i, j]
            system[i, i] += ridge[x]
        for begin in range(indptr[x], indptr[x + 1], PIECE):
            count = min(PIECE, indptr[x + 1] - begin)
            if ready:
                # Plain loops: assigning to slices compiles for seconds.
                for i in range(count):
                    w[i] = c[begin + i]
                    v[i] = r[begin + i]
            else:
                coefficients_of(begin, begin + count, begin, indices, c, r, a[x], b, t, w, v)
            for i in range(count):
                q = other[indices[begin + i], low:high]
                weight = w[i]
                error = weight * (scores[begin + i] if scored else number(0)) - v[i]
                for j in range(size):
                    piece[i, j] = q[j]
                    scaled[i, j] = weight * q[j]
                    u[j] += error * q[j]
            np.dot(scaled[:count].T, piece[:count], update)
            for i in range(size):
                for j in range(size):
                    system[i, j] += update[i, j]
        for i in range(size):
            step[i] = u[i]
        if not solve_in_place(system, step):
            failed += 1
            continue
        for i in range(size):
            own[x, low + i] -= step[i]
            fall += u[i] * step[i]
            gradient += 4.0 * u[i] * u[i]
        if not scored:
            continue
        for k in range(indptr[x], indptr[x + 1]):
            q = other[indices[k], low:high]
            s = number(0)
            for j in range(size):
                s += q[j] * step[j]
            scores[k] -= s
    return fall, gradient, failed
