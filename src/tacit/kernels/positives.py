"""Passes over the positives that every solver shares.

With φ(s) = c ℓ(r, s) − a_x b_y (t − s)², what a positive adds to J beyond the sum over all cells:

    φ'(s) = c ℓ'(r, s) + 2 a_x b_y (t − s),      φ''(s) = c ℓ''(r, s) − 2 a_x b_y

``weight`` c and ``target`` r have one value per positive, or a single one that holds for all.
"""

import numpy as np

from tacit.kernels import losses
from tacit.kernels._jit import fast, inlined, strict
from tacit.kernels.gather_dot import add, add_four, add_image, four_products, product


@inlined
def spread(values):
    """The step from one positive's value to the next: 0 where a single one holds for all."""
    return 1 if len(values) > 1 else 0


@strict
def derivatives_of_rows(
    start, stop, indptr, indices, weight, target, scores, a, b, unlabelled_target, code, bound, first, second
):
    """first[k] = φ'(s_k) and second[k] = φ''(s_k) for the positives of rows start..stop; returns Σ φ in float64.

    With ``bound`` the curvature of ℓ is that of its quadratic majoriser at s (``losses.evaluate``).
    """
    weights, targets = spread(weight), spread(target)
    total = 0.0
    for x in range(start, stop):
        for k in range(indptr[x], indptr[x + 1]):
            s = float(scores[k])
            c, r = weight[k * weights], float(target[k * targets])
            unlabelled = float(a[x]) * float(b[indices[k]])
            gap = unlabelled_target - s
            value, slope, curvature, above = losses.evaluate(code, r, s)
            total += c * value - unlabelled * gap * gap
            first[k] = c * slope + 2.0 * unlabelled * gap
            second[k] = c * (above if bound else curvature) - 2.0 * unlabelled
    return total


@fast
def scores_of_row(indptr, indices, row, own, other, out):
    """out[i] = ⟨p_row, q_y⟩ for the row's positives, the first of them at 0."""
    p, first = own[row], indptr[row]
    for k in range(first, indptr[row + 1]):
        q = other[indices[k]]
        s = product(q, p)
        out[k - first] = s


@strict
def value_of_rows(start, stop, indptr, indices, weight, target, own, other, a, b, unlabelled_target, code):
    """Σ φ over the positives of rows start..stop, in float64; nothing is held but one row's scores."""
    weights, targets = spread(weight), spread(target)
    most = 0
    for x in range(start, stop):
        most = max(most, indptr[x + 1] - indptr[x])
    scores = np.empty(most, own.dtype)
    total = 0.0
    for x in range(start, stop):
        scores_of_row(indptr, indices, x, own, other, scores)
        for k in range(indptr[x], indptr[x + 1]):
            unlabelled = float(a[x]) * float(b[indices[k]])
            c, r, s = float(weight[k * weights]), target[k * targets], scores[k - indptr[x]]
            total += extra(code, c, r, s, unlabelled, unlabelled_target)[0]
    return total


@strict
def square_value_of_rows(start, stop, indptr, indices, weight, target, own, other, a, b, unlabelled_target):
    """``value_of_rows`` of the squared loss: without the others it compiles in half the time, and every default fit
    begins with it."""
    weights, targets = spread(weight), spread(target)
    most = np.int64(0)
    for x in range(start, stop):
        count = indptr[x + 1] - indptr[x]
        most = count if count > most else most
    scores = np.empty(most, own.dtype)
    total = 0.0
    for x in range(start, stop):
        first = indptr[x]
        scores_of_row(indptr, indices, x, own, other, scores)
        for k in range(first, indptr[x + 1]):
            s = float(scores[k - first])
            error, gap = float(target[k * targets]) - s, unlabelled_target - s
            unlabelled = float(a[x]) * float(b[indices[k]])
            total += float(weight[k * weights]) * (error * error) - unlabelled * gap * gap
    return total


@strict
def constant_of_rows(start, stop, indptr, indices, weight, target, a, b, unlabelled_target):
    """Σ c r² − a_x b_y t² over the positives of rows start..stop: the squared loss at scores of zero, in float64."""
    weights, targets = spread(weight), spread(target)
    square = unlabelled_target * unlabelled_target
    total = 0.0
    for x in range(start, stop):
        for k in range(indptr[x], indptr[x + 1]):
            r = float(target[k * targets])
            total += float(weight[k * weights]) * r * r - float(a[x]) * float(b[indices[k]]) * square
    return total


@strict
def coefficients(start, stop, indptr, indices, weight, target, a, b, t, w, v):
    """w = c − a_x b_y and v = c r − a_x b_y t of the positives of rows start..stop, the first of them at 0."""
    base = indptr[start]
    for x in range(start, stop):
        low, high = indptr[x], indptr[x + 1]
        coefficients_of(low, high, base, indices, weight, target, a[x], b, t, w, v)


@strict
def coefficients_of(low, high, base, indices, weight, target, a, b, t, w, v):
    """The same for the positives low..high of one row, whose weight is a; the positive ``base`` is at 0."""
    weights, targets = spread(weight), spread(target)
    of_unlabelled = b.dtype.type(t)
    for k in range(low, high):
        c, r = weight[k * weights], target[k * targets]
        w[k - base], v[k - base] = coefficient(c, r, a, b[indices[k]], of_unlabelled)


@strict
def coefficient(c, r, a, b, t):
    """w and v of one positive.

    Strict: a fused c − a b rounds once where everything else that reads w and v rounds twice.
    """
    unlabelled = a * b
    return c - unlabelled, c * r - unlabelled * t


@strict
def extra(code, weight, target, score, unlabelled, unlabelled_target):
    """φ(s) and φ'(s) of one positive, in float64."""
    r, s = float(target), float(score)
    gap = unlabelled_target - s
    value, slope, _, _ = losses.evaluate(code, r, s)
    return weight * value - unlabelled * gap * gap, weight * slope + 2.0 * unlabelled * gap


@fast
def gradient_of_rows(start, stop, indptr, indices, weight, target, own, other, a, b, unlabelled_target, code, out):
    """out[x] += Σ_{y∈Ω_x} φ'(s_xy) q_y in one pass, four positives at a time; returns Σ φ in float64."""
    number = own.dtype.type
    t = float(unlabelled_target)
    ws, ts = spread(weight), spread(target)
    total = 0.0
    for x in range(start, stop):
        p, row, ax = own[x], out[x], float(a[x])
        k, end = indptr[x], indptr[x + 1]
        while k + 4 <= end:
            y0, y1, y2, y3 = indices[k], indices[k + 1], indices[k + 2], indices[k + 3]
            q0, q1, q2, q3 = other[y0], other[y1], other[y2], other[y3]
            s0, s1, s2, s3 = four_products(q0, q1, q2, q3, p)
            f0, e0 = extra(code, float(weight[k * ws]), target[k * ts], s0, ax * b[y0], t)
            f1, e1 = extra(code, float(weight[(k + 1) * ws]), target[(k + 1) * ts], s1, ax * b[y1], t)
            f2, e2 = extra(code, float(weight[(k + 2) * ws]), target[(k + 2) * ts], s2, ax * b[y2], t)
            f3, e3 = extra(code, float(weight[(k + 3) * ws]), target[(k + 3) * ts], s3, ax * b[y3], t)
            total += (f0 + f1) + (f2 + f3)
            s0, s1, s2, s3 = number(e0), number(e1), number(e2), number(e3)
            add_four(row, s0, s1, s2, s3, q0, q1, q2, q3)
            k += 4
        while k < end:
            y = indices[k]
            q = other[y]
            s = product(q, p)
            f, e = extra(code, float(weight[k * ws]), target[k * ts], s, ax * b[y], t)
            total += f
            s = number(e)
            add(row, s, q)
            k += 1
    return total


@fast
def quadratic_gradient_of_rows(start, stop, indptr, indices, weight, target, a, b, t, own, other, out):
    """The same for the squared loss, φ(s) = w s² − 2 v s + constant: out[x] += Σ 2 (w s − v) q_y; returns
    Σ w s² − 2 v s. w and v (``coefficient``) are made in passing."""
    number = own.dtype.type
    two, u = number(2), number(t)
    ws, ts = spread(weight), spread(target)
    total = 0.0
    for x in range(start, stop):
        p, row, ax = own[x], out[x], a[x]
        k, end = indptr[x], indptr[x + 1]
        of_row = 0.0
        while k + 4 <= end:
            y0, y1, y2, y3 = indices[k], indices[k + 1], indices[k + 2], indices[k + 3]
            q0, q1, q2, q3 = other[y0], other[y1], other[y2], other[y3]
            w0, v0 = coefficient(weight[k * ws], target[k * ts], ax, b[y0], u)
            w1, v1 = coefficient(weight[(k + 1) * ws], target[(k + 1) * ts], ax, b[y1], u)
            w2, v2 = coefficient(weight[(k + 2) * ws], target[(k + 2) * ts], ax, b[y2], u)
            w3, v3 = coefficient(weight[(k + 3) * ws], target[(k + 3) * ts], ax, b[y3], u)
            s0, s1, s2, s3 = four_products(q0, q1, q2, q3, p)
            e0, e1, e2, e3 = w0 * s0 - v0, w1 * s1 - v1, w2 * s2 - v2, w3 * s3 - v3
            of_row += s0 * (e0 - v0) + s1 * (e1 - v1) + s2 * (e2 - v2) + s3 * (e3 - v3)
            e0, e1, e2, e3 = two * e0, two * e1, two * e2, two * e3
            add_four(row, e0, e1, e2, e3, q0, q1, q2, q3)
            k += 4
        while k < end:
            y = indices[k]
            q = other[y]
            w, v = coefficient(weight[k * ws], target[k * ts], ax, b[y], u)
            s = product(q, p)
            e = w * s - v
            of_row += s * (e - v)
            e = two * e
            add(row, e, q)
            k += 1
        total += of_row
    return total


@fast
def add_rows(start, stop, indptr, indices, values, other, out):
    """out[x] += Σ_{y∈Ω_x} values q_y."""
    for x in range(start, stop):
        row = out[x]
        k, end = indptr[x], indptr[x + 1]
        while k + 4 <= end:
            q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
            v0, v1, v2, v3 = values[k], values[k + 1], values[k + 2], values[k + 3]
            add_four(row, v0, v1, v2, v3, q0, q1, q2, q3)
            k += 4
        while k < end:
            q, v = other[indices[k]], values[k]
            add(row, v, q)
            k += 1


@fast
def curvature_of_rows(start, stop, indptr, indices, second, own, other, out):
    """out[x] += Σ_{y∈Ω_x} second ⟨own_x, q_y⟩ q_y: U⁺Q in the Hessian product (one-class MF Eq. 15)."""
    for x in range(start, stop):
        add_image(indptr, indices, second, 0, x, other, own[x], out[x])


@fast
def diagonal_of_rows(start, stop, indptr, indices, second, other, out):
    """out[x] += Σ_{y∈Ω_x} second q_y²: the positives' part of the Hessian's diagonal."""
    g = other.shape[1]
    for x in range(start, stop):
        row = out[x]
        for k in range(indptr[x], indptr[x + 1]):
            q, w = other[indices[k]], second[k]
            for d in range(g):
                row[d] += w * q[d] * q[d]


@fast
def scores_of_rows(start, stop, indptr, indices, own, other, scores):
    """scores[k] = ⟨p_x, q_y⟩ for the positives of rows start..stop."""
    for x in range(start, stop):
        p = own[x]
        for k in range(indptr[x], indptr[x + 1]):
            q = other[indices[k]]
            s = product(q, p)
            scores[k] = s
