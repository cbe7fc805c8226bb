"""Products with rows gathered from all over a matrix, four at a time: four dot products share the loads of the vector,
and one update takes all four. Every pass over the positives is made of these.
"""

from tacit.kernels._jit import inlined


@inlined
def product(q, p):
    """⟨q, p⟩."""
    s = p.dtype.type(0)
    for d in range(p.shape[0]):
        s += q[d] * p[d]
    return s


@inlined
def four_products(q0, q1, q2, q3, p):
    """⟨q0, p⟩ to ⟨q3, p⟩."""
    s0 = s1 = s2 = s3 = p.dtype.type(0)
    for d in range(p.shape[0]):
        x = p[d]
        s0 += q0[d] * x
        s1 += q1[d] * x
        s2 += q2[d] * x
        s3 += q3[d] * x
    return s0, s1, s2, s3


@inlined
def add(out, s, q):
    """out += s q."""
    for d in range(out.shape[0]):
        out[d] += s * q[d]


@inlined
def add_four(out, s0, s1, s2, s3, q0, q1, q2, q3):
    """out += s0 q0 + … + s3 q3."""
    for d in range(out.shape[0]):
        out[d] += s0 * q0[d] + s1 * q1[d] + s2 * q2[d] + s3 * q3[d]


@inlined
def add_image(indptr, indices, w, base, row, other, vector, out):
    """out += Σ_{y∈Ω_row} w_y ⟨q_y, vector⟩ q_y; ``w`` begins with the positive number ``base``."""
    k, end = indptr[row], indptr[row + 1]
    i = k - base
    while k + 4 <= end:
        q0, q1, q2, q3 = other[indices[k]], other[indices[k + 1]], other[indices[k + 2]], other[indices[k + 3]]
        s0, s1, s2, s3 = four_products(q0, q1, q2, q3, vector)
        add_four(out, s0 * w[i], s1 * w[i + 1], s2 * w[i + 2], s3 * w[i + 3], q0, q1, q2, q3)
        k += 4
        i += 4
    while k < end:
        q = other[indices[k]]
        add(out, w[i] * product(q, vector), q)
        k += 1
        i += 1
