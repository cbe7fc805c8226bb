"""Stochastic gradient with sampled negatives, for the baselines. One thread: every step sees the one before.

    s(x, y) = ⟨p_x, q_y⟩ + b_y,   p_x = Σ_j z_xj v_j,   q_y = Σ_j z_yj v_j,   b_y = Σ_j z_yj β_j

POINTWISE: (1 − s)² on the positive, s² on each of ``negatives`` unlabelled columns. PAIRWISE: log(1 + exp(s_j − s_i))
for one unlabelled column j. WARP: draw until 1 + s_j > s_i, then hinge, weighted by the logarithm of the rank that the
number of draws suggests. Samplers: UNIFORM; STATIC, by a cumulative distribution fixed before training; FACTOR, by the
rank of columns on one factor, chosen where p_x is large, the rank being exponentially distributed.
"""

import numpy as np

from tacit.kernels._jit import fast, strict
from tacit.kernels.counter_random import next_uniform
from tacit.kernels.sorted_lists import contains

POINTWISE, PAIRWISE, WARP = 0, 1, 2
UNIFORM, STATIC, FACTOR = 0, 1, 2
RETRIES = 20
WARP_DRAWS = 50


@strict
def draw_column(state, sampler, cumulative, rankings, spreads, p, indptr, indices, x):
    """A column that x does not have, if one is found in ``RETRIES`` draws."""
    m = cumulative.shape[0]
    y = 0
    for _ in range(RETRIES):
        if sampler == UNIFORM:
            y = min(m - 1, int(next_uniform(state) * m))
        elif sampler == STATIC:
            y = min(m - 1, np.searchsorted(cumulative, next_uniform(state)))
        else:
            total = 0.0
            for d in range(p.shape[0]):
                total += abs(p[d]) * spreads[d]
            threshold = next_uniform(state) * total
            factor = 0
            running = abs(p[0]) * spreads[0]
            while running < threshold and factor < p.shape[0] - 1:
                factor += 1
                running += abs(p[factor]) * spreads[factor]
            # cumulative[0] is the scale of the exponential distribution of ranks.
            rank = min(m - 1, int(-np.log(1.0 - next_uniform(state)) * cumulative[0]))
            y = rankings[factor, rank if p[factor] > 0 else m - 1 - rank]
        if not contains(indices, indptr[x], indptr[x + 1], y):
            break
    return y


@strict
def pair_slope(method, gap, rank):
    """The derivative of the pair's loss by s_i − s_j."""
    if method == WARP:
        return -np.log(1.0 + rank)
    return -1.0 / (1.0 + np.exp(gap)) if gap > -30.0 else -1.0


@fast
def compose(indptr, indices, values, row, parameters, out):
    """out = Σ_j z_j v_j."""
    for d in range(out.shape[0]):
        out[d] = 0.0
    for k in range(indptr[row], indptr[row + 1]):
        v, z = parameters[indices[k]], values[k]
        for d in range(out.shape[0]):
            out[d] += z * v[d]


@fast
def spread(indptr, indices, values, row, parameters, vector, slope, rate, ridge):
    """v_j −= rate (slope z_j vector + ridge v_j) for the features of a row."""
    for k in range(indptr[row], indptr[row + 1]):
        v, z = parameters[indices[k]], values[k]
        for d in range(vector.shape[0]):
            v[d] -= rate * (slope * z * vector[d] + ridge * v[d])


@fast
def epoch(
    order, rows, cols, method, negatives, sampler, cumulative, rankings, spreads, seen_indptr, seen_indices,
    x_indptr, x_indices, x_values, y_indptr, y_indices, y_values, x_parameters, y_parameters, rate, ridge, state,
):  # fmt: skip
    """One pass over the positives in the given order. The last column of both parameters is the bias.

    x_parameters[:, -1] must be such that every row composes to a one there; it is not updated.
    """
    g = x_parameters.shape[1]
    p, q, other, own, step = np.empty(g), np.empty(g), np.empty(g), np.empty(g), np.empty(g)
    m = y_indptr.shape[0] - 1
    for index in range(order.shape[0]):
        x, y = rows[order[index]], cols[order[index]]
        compose(x_indptr, x_indices, x_values, x, x_parameters, p)
        p[g - 1] = 1.0
        if method == POINTWISE:
            for number in range(negatives + 1):
                target = 1.0 if number == 0 else 0.0
                if number > 0:
                    y = draw_column(state, sampler, cumulative, rankings, spreads, p, seen_indptr, seen_indices, x)
                compose(y_indptr, y_indices, y_values, y, y_parameters, q)
                s = 0.0
                for d in range(g):
                    s += p[d] * q[d]
                slope = 2.0 * (s - target)
                q[g - 1] = 0.0
                spread(x_indptr, x_indices, x_values, x, x_parameters, q, slope, rate, ridge)
                spread(y_indptr, y_indices, y_values, y, y_parameters, p, slope, rate, ridge)
                compose(x_indptr, x_indices, x_values, x, x_parameters, p)
                p[g - 1] = 1.0
            continue
        compose(y_indptr, y_indices, y_values, y, y_parameters, q)
        good = 0.0
        for d in range(g):
            good += p[d] * q[d]
        j = y
        bad = 0.0
        draws = 0
        violates = False
        while not violates and draws < (WARP_DRAWS if method == WARP else 1):
            draws += 1
            j = draw_column(state, sampler, cumulative, rankings, spreads, p, seen_indptr, seen_indices, x)
            compose(y_indptr, y_indices, y_values, j, y_parameters, other)
            bad = 0.0
            for d in range(g):
                bad += p[d] * other[d]
            violates = method != WARP or 1.0 + bad > good
        if not violates:
            continue
        slope = pair_slope(method, good - bad, (m - 1) // draws)
        for d in range(g):
            own[d] = q[d] - other[d]
            step[d] = p[d]
        own[g - 1] = 0.0
        spread(x_indptr, x_indices, x_values, x, x_parameters, own, slope, rate, ridge)
        spread(y_indptr, y_indices, y_values, y, y_parameters, step, slope, rate, ridge)
        spread(y_indptr, y_indices, y_values, j, y_parameters, step, -slope, rate, ridge)
