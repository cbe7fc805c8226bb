"""Passes over the positives that every solver shares.

With φ(s) = c ℓ(r, s) − a_x b_y (t − s)², what a positive adds to J beyond the sum over all cells:

    φ'(s) = c ℓ'(r, s) + 2 a_x b_y (t − s),      φ''(s) = c ℓ''(r, s) − 2 a_x b_y
"""

from tacit.kernels import losses
from tacit.kernels._jit import fast, strict


@strict
def derivatives_of_rows(
    start, stop, indptr, indices, weight, target, scores, a, b, unlabelled_target, code, bound, first, second
):
    """first[k] = φ'(s_k) and second[k] = φ''(s_k) for the positives of rows start..stop; returns Σ φ in float64.

    With ``bound`` the curvature of ℓ is that of its quadratic majoriser at s (``losses.evaluate``).
    """
    total = 0.0
    for x in range(start, stop):
        for k in range(indptr[x], indptr[x + 1]):
            s = float(scores[k])
            r = float(target[k])
            unlabelled = float(a[x]) * float(b[indices[k]])
            gap = unlabelled_target - s
            value, slope, curvature, above = losses.evaluate(code, r, s)
            total += weight[k] * value - unlabelled * gap * gap
            first[k] = weight[k] * slope + 2.0 * unlabelled * gap
            second[k] = weight[k] * (above if bound else curvature) - 2.0 * unlabelled
    return total


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
    g = own.shape[1]
    number = own.dtype.type
    t = float(unlabelled_target)
    total = 0.0
    for x in range(start, stop):
        p, row, ax = own[x], out[x], float(a[x])
        k, end = indptr[x], indptr[x + 1]
        while k + 4 <= end:
            y0, y1, y2, y3 = indices[k], indices[k + 1], indices[k + 2], indices[k + 3]
            q0, q1, q2, q3 = other[y0], other[y1], other[y2], other[y3]
            s0 = s1 = s2 = s3 = number(0)
            for d in range(g):
                z = p[d]
                s0 += q0[d] * z
                s1 += q1[d] * z
                s2 += q2[d] * z
                s3 += q3[d] * z
            f0, e0 = extra(code, float(weight[k]), target[k], s0, ax * b[y0], t)
            f1, e1 = extra(code, float(weight[k + 1]), target[k + 1], s1, ax * b[y1], t)
            f2, e2 = extra(code, float(weight[k + 2]), target[k + 2], s2, ax * b[y2], t)
            f3, e3 = extra(code, float(weight[k + 3]), target[k + 3], s3, ax * b[y3], t)
            total += (f0 + f1) + (f2 + f3)
            s0, s1, s2, s3 = number(e0), number(e1), number(e2), number(e3)
            for d in range(g):
                row[d] += s0 * q0[d] + s1 * q1[d] + s2 * q2[d] + s3 * q3[d]
            k += 4
        while k < end:
            y = indices[k]
            q = other[y]
            s = number(0)
            for d in range(g):
                s += q[d] * p[d]
            f, e = extra(code, float(weight[k]), target[k], s, ax * b[y], t)
            total += f
            s = number(e)
            for d in range(g):
                row[d] += s * q[d]
            k += 1
    return total


@fast
def quadratic_gradient_of_rows(start, stop, indptr, indices, w, v, own, other, out):
    """The same for the squared loss, φ(s) = w s² − 2 v s + constant: out[x] += Σ 2 (w s − v) q_y; returns
    Σ w s² − 2 v s."""
    g = own.shape[1]
    number = own.dtype.type
    two = number(2)
    total = 0.0
    for x in range(start, stop):
        p, row = own[x], out[x]
        k, end = indptr[x], indptr[x + 1]
        of_row = 0.0
        while k + 4 <= end:
            q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
            s0 = s1 = s2 = s3 = number(0)
            for d in range(g):
                z = p[d]
                s0 += q0[d] * z
                s1 += q1[d] * z
                s2 += q2[d] * z
                s3 += q3[d] * z
            e0, e1, e2, e3 = (
                w[k] * s0 - v[k],
                w[k + 1] * s1 - v[k + 1],
                w[k + 2] * s2 - v[k + 2],
                w[k + 3] * s3 - v[k + 3],
            )
            of_row += s0 * (e0 - v[k]) + s1 * (e1 - v[k + 1]) + s2 * (e2 - v[k + 2]) + s3 * (e3 - v[k + 3])
            e0, e1, e2, e3 = two * e0, two * e1, two * e2, two * e3
            for d in range(g):
                row[d] += e0 * q0[d] + e1 * q1[d] + e2 * q2[d] + e3 * q3[d]
            k += 4
        while k < end:
            q = other[indices[k]]
            s = number(0)
            for d in range(g):
                s += q[d] * p[d]
            e = w[k] * s - v[k]
            of_row += s * (e - v[k])
            e = two * e
            for d in range(g):
                row[d] += e * q[d]
            k += 1
        total += of_row
    return total


@fast
def add_rows(start, stop, indptr, indices, values, other, out):
    """out[x] += Σ_{y∈Ω_x} values q_y."""
    g = other.shape[1]
    for x in range(start, stop):
        row = out[x]
        k, end = indptr[x], indptr[x + 1]
        while k + 4 <= end:
            q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
            v0, v1, v2, v3 = values[k], values[k + 1], values[k + 2], values[k + 3]
            for d in range(g):
                row[d] += v0 * q0[d] + v1 * q1[d] + v2 * q2[d] + v3 * q3[d]
            k += 4
        while k < end:
            q, v = other[indices[k]], values[k]
            for d in range(g):
                row[d] += v * q[d]
            k += 1


@fast
def curvature_of_rows(start, stop, indptr, indices, second, own, other, out):
    """out[x] += Σ_{y∈Ω_x} second ⟨own_x, q_y⟩ q_y: U⁺Q in the Hessian product (one-class MF Eq. 15)."""
    g = own.shape[1]
    for x in range(start, stop):
        p, row = own[x], out[x]
        k, end = indptr[x], indptr[x + 1]
        while k + 4 <= end:
            q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
            s0 = s1 = s2 = s3 = own.dtype.type(0)
            for d in range(g):
                z = p[d]
                s0 += q0[d] * z
                s1 += q1[d] * z
                s2 += q2[d] * z
                s3 += q3[d] * z
            s0, s1, s2, s3 = s0 * second[k], s1 * second[k + 1], s2 * second[k + 2], s3 * second[k + 3]
            for d in range(g):
                row[d] += s0 * q0[d] + s1 * q1[d] + s2 * q2[d] + s3 * q3[d]
            k += 4
        while k < end:
            q = other[indices[k]]
            s = own.dtype.type(0)
            for d in range(g):
                s += q[d] * p[d]
            s *= second[k]
            for d in range(g):
                row[d] += s * q[d]
            k += 1


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
    g = own.shape[1]
    for x in range(start, stop):
        p = own[x]
        for k in range(indptr[x], indptr[x + 1]):
            q = other[indices[k]]
            s = own.dtype.type(0)
            for d in range(g):
                s += p[d] * q[d]
            scores[k] = s
