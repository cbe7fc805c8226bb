"""Online gradient descent on (r − ⟨u, v⟩)²/2 + λ(‖u‖² + ‖v‖²)/2, one rating at a time, as a baseline.

With a fixed interaction between tasks (Cavallanti, Cesa-Bianchi & Gentile 2010) a rating of one user moves all: the
step is spread by A⁻¹ = (I + (b/m) 1 1ᵀ)/(1 + b), so every vector is its own part plus one part that all m share.
b = 0 is plain gradient descent.
"""

from tacit.kernels._jit import fast


@fast
def gradient_rounds(users, items, shared, counts, cells, outcomes, rate, ridge, spread, bounded, learn):
    """Run ratings in order; predictions made before each go to ``outcomes[1]``.

    users, items : (n, k) own parts; shared : (2, k) parts that all users and all items share; counts : (2,) m
    """
    k = users.shape[1]
    zero = users.dtype.type(0)
    for t in range(cells.shape[1]):
        i = cells[0, t]
        j = cells[1, t]
        predicted = 0.0
        for a in range(k):
            predicted += (users[i, a] + shared[0, a]) * (items[j, a] + shared[1, a])
        outcomes[1, t] = predicted
        if not learn:
            continue
        error = outcomes[0, t] - predicted
        for a in range(k):
            u = users[i, a] + shared[0, a]
            v = items[j, a] + shared[1, a]
            user_step = rate * (error * v - ridge * u) / (1.0 + spread)
            item_step = rate * (error * u - ridge * v) / (1.0 + spread)
            users[i, a] += user_step
            items[j, a] += item_step
            shared[0, a] += spread / counts[0] * user_step
            shared[1, a] += spread / counts[1] * item_step
            if bounded:
                users[i, a] = max(users[i, a], zero)
                items[j, a] = max(items[j, a], zero)
