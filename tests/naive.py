"""Slow twins: dense, obvious, float64. Every fast kernel is tested against one of these functions.

Nothing here may import from ``tacit``: an oracle that shares code with what it checks proves nothing.
"""

import numpy as np

# -- objective -------------------------------------------------------------------------------------------------------


def loss_value(name, r, s):
    """ℓ(r, s) of one positive."""
    if name == "square":
        return (r - s) ** 2
    if name == "logistic":
        return np.log1p(np.exp(-r * s))
    assert name == "squared_hinge", name
    return np.maximum(0.0, 1.0 - r * s) ** 2


def loss_first(name, r, s):
    """ℓ'(r, s) by s."""
    if name == "square":
        return 2 * (s - r)
    if name == "logistic":
        return -r / (1 + np.exp(r * s))
    assert name == "squared_hinge", name
    return -2 * r * np.maximum(0.0, 1 - r * s)


def loss_second(name, r, s):
    """ℓ''(r, s) by s."""
    if name == "square":
        return 2.0 + 0 * s
    if name == "logistic":
        return r * r * np.exp(r * s) / (1 + np.exp(r * s)) ** 2
    assert name == "squared_hinge", name
    return np.where(r * s < 1, 2.0 * r * r, 0.0)


def whole_data_value(P, Q, dense, weight, target, a, b, t, row_ridge, col_ridge, loss="square"):
    """J cell by cell. dense (n, m): True where positive; weight and target (n, m), read where positive."""
    total = 0.0
    for x in range(dense.shape[0]):
        for y in range(dense.shape[1]):
            s = float(P[x] @ Q[y])
            if dense[x, y]:
                total += weight[x, y] * loss_value(loss, target[x, y], s)
            else:
                total += a[x] * b[y] * (t - s) ** 2
    total += sum(row_ridge[x] * float(P[x] @ P[x]) for x in range(len(P)))
    total += sum(col_ridge[y] * float(Q[y] @ Q[y]) for y in range(len(Q)))
    return total


def whole_data_gradient(P, Q, dense, weight, target, a, b, t, row_ridge, loss="square"):
    """∂J/∂P from every cell."""
    S = P @ Q.T
    slope = np.where(dense, weight * loss_first(loss, target, S), 2 * np.outer(a, b) * (S - t))
    return slope @ Q + 2 * row_ridge[:, None] * P


def whole_data_hessian(P, Q, dense, weight, target, a, b, t, row_ridge, loss="square"):
    """∂²J/∂P∂P as a dense (n g, n g) matrix, from every cell."""
    n, g = P.shape
    S = P @ Q.T
    bend = np.where(dense, weight * loss_second(loss, target, S), 2 * np.outer(a, b))
    H = np.zeros((n * g, n * g))
    for x in range(n):
        block = slice(x * g, (x + 1) * g)
        H[block, block] = (Q.T * bend[x]) @ Q + 2 * row_ridge[x] * np.eye(g)
    return H


def best_row(x, Q, dense, weight, target, a, b, t, ridge):
    """The minimiser of the squared objective over p_x, from the dense normal equations."""
    g = Q.shape[1]
    system, right = ridge[x] * np.eye(g), np.zeros(g)
    for y in range(dense.shape[1]):
        c = weight[x, y] if dense[x, y] else a[x] * b[y]
        r = target[x, y] if dense[x, y] else t
        system += c * np.outer(Q[y], Q[y])
        right += c * r * Q[y]
    return np.linalg.solve(system, right)


def graph_penalty(P, similar, strength):
    """λ_g ½ Σ S_xx' ‖p_x − p_x'‖², pair by pair."""
    n = len(P)
    return strength * 0.5 * sum(similar[i, j] * np.sum((P[i] - P[j]) ** 2) for i in range(n) for j in range(n))


def trust_region(value, gradient, hessian, here, radius, *, steps, inner_steps, fresh):
    """Where ``steps`` steps of Lin, Weng and Keerthi's trust region lead, and the radius after them; dense.

    The inner solve is Steihaug's: conjugate gradient until the residual is a tenth, or to the border.
    """
    first = np.linalg.norm(gradient(here))
    for number in range(steps):
        g, H = gradient(here), hessian(here)
        if number and np.linalg.norm(g) <= 1e-2 * first:
            break
        s, r = np.zeros_like(g), -g
        d = r.copy()
        for _ in range(inner_steps):
            if np.linalg.norm(r) <= 0.1 * np.linalg.norm(g):
                break
            alpha = (r @ r) / (d @ H @ d)
            if np.linalg.norm(s + alpha * d) > radius:
                a, b, c = d @ d, 2 * s @ d, s @ s - radius**2
                s = s + (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a) * d
                break
            s, before = s + alpha * d, r @ r
            r = r - alpha * H @ d
            d = r + (r @ r) / before * d
        foreseen = -(g @ s + 0.5 * s @ H @ s)
        fall = value(here) - value(here + s)
        length = np.linalg.norm(s)
        radius = min(radius, length) if fresh else radius
        fresh = False
        over = value(here + s) - value(here) - g @ s
        factor = 4.0 if over <= 0 else max(0.25, -0.5 * (g @ s) / over)
        if fall < 1e-4 * foreseen:
            radius = min(max(factor, 0.25) * length, 0.5 * radius)
        elif fall < 0.25 * foreseen:
            radius = max(0.25 * radius, min(factor * length, 0.5 * radius))
        elif fall < 0.75 * foreseen:
            radius = max(0.25 * radius, min(factor * length, 4 * radius))
        else:
            radius = max(radius, min(factor * length, 4 * radius))
        if fall > 1e-4 * foreseen:
            here = here + s
    return here, radius


# -- full rank -------------------------------------------------------------------------------------------------------


def dense_weights(X, ridge, row_exponent, ridge_exponent):
    """EASE with row weights and a ridge by frequency, column by column: each is a ridge regression without itself."""
    a, penalty = _linear_parts(X, ridge, row_exponent, ridge_exponent)
    m = X.shape[1]
    W = np.zeros((m, m))
    gram = X.T @ (a[:, None] * X)
    for y in range(m):
        others = np.delete(np.arange(m), y)
        left = gram[np.ix_(others, others)] + np.diag(penalty[others])
        W[others, y] = np.linalg.solve(left, gram[others, y])
    return W


def local_weights(X, ridge, row_exponent, ridge_exponent, keep, stored):
    """The same by the ``keep`` columns that co-occur most with y, where a column knows ``stored`` co-occurrences."""
    a, penalty = _linear_parts(X, ridge, row_exponent, ridge_exponent)
    m, cols = X.shape[1], np.where(X.sum(axis=0) > 0, X.sum(axis=0), 1.0)
    gram = X.T.astype(np.float64) @ (a[:, None] * X)
    near = gram * cols**-0.5
    np.fill_diagonal(near, 0.0)
    known = np.zeros((m, m), dtype=bool)
    for i in range(m):
        known[i, np.argsort(-near[i], kind="stable")[:stored]] = True
    own = np.where(known, near, 0.0)
    gram = np.where(known | known.T | np.eye(m, dtype=bool), gram, 0.0)
    W = np.zeros((m, m))
    for y in range(m):
        best = np.argsort(-own[y], kind="stable")[:keep]
        best = best[own[y, best] > 0]
        left = gram[np.ix_(best, best)] + np.diag(penalty[best])
        W[best, y] = np.linalg.solve(left, gram[best, y])
    return W


def dense_objective(X, W, ridge, row_exponent, ridge_exponent):
    a, penalty = _linear_parts(X, ridge, row_exponent, ridge_exponent)
    return float(np.sum(a[:, None] * (X - X @ W) ** 2) + np.sum(penalty[:, None] * W**2))


def _linear_parts(X, ridge, row_exponent, ridge_exponent):
    X = X.astype(np.float64)
    counts = X.sum(axis=1)
    a = np.where(counts > 0, counts, 1.0) ** -row_exponent
    per_cell = (a[:, None] * (X > 0)).sum() / (X > 0).sum()
    a = a / per_cell
    cols = np.where(X.sum(axis=0) > 0, X.sum(axis=0), 1.0) ** ridge_exponent
    diagonal = (a[:, None] * X**2).sum(axis=0)
    return a, ridge * diagonal.mean() * cols / cols.mean()


def sparse_weights(X, exponents):
    """Normalised co-occurrence without its diagonal, all of it."""
    into, by_row, out = exponents
    X = X.astype(np.float64)
    rows, cols = X.sum(axis=1), X.sum(axis=0)
    rows, cols = np.where(rows > 0, rows, 1.0), np.where(cols > 0, cols, 1.0)
    W = (cols**-into)[:, None] * (X.T @ (rows[:, None] ** -by_row * X)) * cols**-out
    np.fill_diagonal(W, 0.0)
    return W


def sharpened_weights(X, exponents, strength, components):
    """The same without a part of its leading directions, by an exact decomposition."""
    into, by_row, out = exponents
    W, X = sparse_weights(X, exponents), X.astype(np.float64)
    rows, cols = X.sum(axis=1), X.sum(axis=0)
    rows, cols = np.where(rows > 0, rows, 1.0), np.where(cols > 0, cols, 1.0)
    _, values, vectors = np.linalg.svd(rows[:, None] ** (-by_row / 2) * X * cols**-0.5)
    V, s = vectors[:components].T, values[:components]
    return W - strength / s[0] ** 2 * (cols ** (0.5 - into))[:, None] * ((V * s**4) @ V.T) * cols ** (0.5 - out)


def row_shares(shares, low_rank, counts, exponent, usual, most=8.0):
    """What the members of a mixture count in rows with so many positives, row by row."""
    result = []
    for count in counts:
        times = min(max(usual / count, 1 / most), most) if count else 1.0
        own = [share * times**exponent if low else share for share, low in zip(shares, low_rank)]
        result.append([one / sum(own) for one in own])
    return np.array(result)


def kernel_ridge(K, Y, weight, ridge):
    """α of each label that minimises Σ_i w_i (y_i − (Kα)_i)² + ridge · αᵀKα: (K + ridge·W⁻¹) α = y."""
    columns = [np.linalg.solve(K + ridge * np.diag(1 / weight[:, j]), Y[:, j]) for j in range(Y.shape[1])]
    return np.stack(columns, axis=1)


def label_targets(Y, power):
    """(f_y / f̄)^−power of each label, f̄ the geometric mean of f_y over all cells that are known."""
    counts = [max(int((Y[:, j] > 0).sum()), 1) for j in range(Y.shape[1])]
    logs = [np.log(counts[j]) for _, j in np.argwhere(Y > 0)]
    return np.array([(count / np.exp(np.mean(logs))) ** -power for count in counts])


def relevance(X, Y, power):
    """What features weigh by: the lengths of their weights in a ridge regression of labels less their means."""
    weights = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ (Y - Y.mean(axis=0)))
    lengths = np.linalg.norm(weights, axis=1)
    return ((lengths / lengths[X.any(axis=0)].mean() + 0.5) / 1.5) ** power


def imputed_kernel_ridge(K, Y, ridge, targets):
    """α of the second model, which learns from all rows: what the first one guesses of each without having seen it."""
    known = np.flatnonzero(Y.any(axis=1))
    guesses = np.zeros(Y.shape)
    for row in range(len(Y)):
        others = known[known != row]
        alpha = np.linalg.solve(K[np.ix_(others, others)] + ridge * np.eye(len(others)), Y[others] * targets)
        guess = np.maximum(K[row, others] @ alpha, 0)
        guesses[row] = np.maximum(guess / np.linalg.norm(guess), Y[row])
    return np.linalg.solve(K + ridge * np.eye(len(K)), guesses * targets)


def gaussian_kernel(A, B, bandwidth):
    """exp(−‖a − b‖² / 2ℓ²), pair by pair."""
    return np.array([[np.exp(-((a - b) ** 2).sum() / (2 * bandwidth**2)) for b in B] for a in A])


def left_out_scores(K, Y, ridge):
    """What each row is given by a model that is fitted on all the others, one refit per row."""
    scores = np.zeros(Y.shape)
    for row in range(len(Y)):
        others = np.delete(np.arange(len(Y)), row)
        alpha = np.linalg.solve(K[np.ix_(others, others)] + ridge * np.eye(len(others)), Y[others])
        scores[row] = K[row, others] @ alpha
    return scores


def label_profiles(scores):
    """Positive scores to the power ¾, as a row of length one; zeros where there are none."""
    powers = np.maximum(scores, 0) ** 0.75
    return np.array([row / np.linalg.norm(row) if row.any() else row for row in powers])


def joined_by_labels(X, Z, share):
    """Rows whose inner products are (1 − μ) ⟨x, x'⟩ + μ ⟨z, z'⟩."""
    return np.hstack((np.sqrt(1 - share) * X, np.sqrt(share) * Z))


def kernel_ridge_by_labels_too(X, Y, new, bandwidth, ridge, share):
    """Scores of new rows, and profiles of both: rows are compared by what a first model says of their labels too."""
    K = gaussian_kernel(X, X, bandwidth)
    profiles = label_profiles(left_out_scores(K, Y, ridge))
    first = np.linalg.solve(K + ridge * np.eye(len(K)), Y)
    new_profiles = label_profiles(gaussian_kernel(new, X, bandwidth) @ first)
    known, asked = joined_by_labels(X, profiles, share), joined_by_labels(new, new_profiles, share)
    alpha = np.linalg.solve(gaussian_kernel(known, known, bandwidth) + ridge * np.eye(len(K)), Y)
    return gaussian_kernel(asked, known, bandwidth) @ alpha, profiles, new_profiles


# -- neighbours ------------------------------------------------------------------------------------------------------


def top_k(scores, k):
    """The k best cells of each row: sort all by (score descending, number ascending); -inf may not be chosen."""
    numbers = np.full((len(scores), k), -1)
    best = np.full((len(scores), k), np.nan)
    for r, row in enumerate(scores):
        order = [c for c in sorted(range(len(row)), key=lambda c: (-row[c], c)) if row[c] > -np.inf][:k]
        numbers[r, : len(order)] = order
        best[r, : len(order)] = row[order]
    return numbers, best


# -- words -----------------------------------------------------------------------------------------------------------


def cooccurrence(sentences, words, weight, window, before=True, after=True):
    """X_ij summed pair by pair; ``sentences`` are lists of word numbers, ``weight`` a function of the distance."""
    counts = np.zeros((words, words))
    for sentence in sentences:
        for p, word in enumerate(sentence):
            for q, other in enumerate(sentence):
                if 0 < abs(p - q) <= window and ((q < p and before) or (q > p and after)):
                    counts[word, other] += weight(abs(p - q))
    return counts


def ppmi(counts, shift=1.0, smoothing=1.0):
    """max(0, log p(i,j) / (p(i) p_s(j)) − log k), with p_s(j) ∝ p(j)^s; cells without a count are 0."""
    counts = np.asarray(counts, dtype=np.float64)
    values = np.zeros_like(counts)
    contexts = counts.sum(axis=0) ** smoothing
    contexts /= contexts.sum()
    for i, j in zip(*np.nonzero(counts)):
        joint = counts[i, j] / counts.sum()
        values[i, j] = max(0.0, np.log(joint / (counts[i].sum() / counts.sum() * contexts[j])) - np.log(shift))
    return values


def glove_value(words, contexts, counts, ceiling=100.0, exponent=0.75):
    """Σ over counted pairs of f(x) (⟨w, w̃⟩ + b + b̃ − log x)²; biases stand in the last column."""
    total = 0.0
    for i, j in zip(*np.nonzero(counts)):
        score = words[i, :-1] @ contexts[j, :-1] + words[i, -1] + contexts[j, -1]
        total += min(1.0, (counts[i, j] / ceiling) ** exponent) * (score - np.log(counts[i, j])) ** 2
    return total


# -- tags ------------------------------------------------------------------------------------------------------------


def symmetric_reconstruction(S, rank):
    """Z Zᵀ of Z = U s^½ from the truncated SVD of a symmetric matrix: free of the signs of U."""
    U, s, _ = np.linalg.svd(S)
    Z = U[:, :rank] * np.sqrt(s[:rank])
    return Z @ Z.T


def joint_matrix(Y, C, weights):
    """Step 1 of Algorithm 3: [[m2 M, m3 Y], [m3 Yᵀ, m1 C]]."""
    graph, rows, carried = weights
    return np.block([[rows * Y @ Y.T, carried * Y], [carried * Y.T, graph * C]])


def ridge(X, Z, strength):
    return np.linalg.solve(X.T @ X + strength * np.eye(X.shape[1]), X.T @ Z)


def neighbour_votes(query, points, Y, k, power):
    """Weighted part of the k points of highest cosine that carry each label (Eq. 1 when the power is 0)."""
    cosine = np.array([p @ query / (np.linalg.norm(p) * np.linalg.norm(query)) for p in points])
    nearest = sorted(range(len(points)), key=lambda i: (-cosine[i], i))[:k]
    weight = {i: cosine[i] ** power for i in nearest if cosine[i] > 0}
    return sum(w * Y[i] for i, w in weight.items()) / sum(weight.values())


class SplitMix:
    """The generator of the sampled kernels, by Python's whole numbers."""

    def __init__(self, state):
        self.state = state

    def uniform(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        return ((bits ^ (bits >> 31)) >> 11) / 2**53


def unlabelled_column(sampler, positives, random, tables, p):
    """A column without a positive in this row (m,): twenty draws, and the last whatever it is.

    tables : ``cumulative`` (m,) probabilities by popularity, or the ``columns`` (m, g) and the ``scale`` of their ranks
    """
    m = len(positives)
    for _ in range(20):
        if sampler == "uniform":
            y = int(random.uniform() * m)
        elif sampler == "static":
            y = int(np.sum(tables["cumulative"] < random.uniform()))
        else:
            weight = np.abs(p) * tables["columns"].std(axis=0)
            d = int(np.sum(np.cumsum(weight) < random.uniform() * weight.sum()))
            rank = min(m - 1, int(-np.log(1 - random.uniform()) * tables["scale"]))
            best_first = np.argsort(-tables["columns"][:, d])
            y = best_first[rank] if p[d] > 0 else best_first[::-1][rank]
        if not positives[y]:
            break
    return y


def sampled_epoch(cells, positives, method, sampler, tables, Zx, Zy, V, B, rate, ridge, random, negatives=1):
    """One pass of stochastic gradient over (row, column) cells; V (d, g) and B (e, g) are changed in place.

    Zx (n, d) and Zy (m, e) are features; the last number of a column's vector is its bias, so a row's is one.
    """
    m = len(Zy)

    def of_row(x):
        return np.append((Zx[x] @ V)[:-1], 1.0)

    def step(z, parameters, slope, direction):
        for feature in np.flatnonzero(z):
            gradient = slope * z[feature] * direction + ridge * parameters[feature]
            parameters[feature] -= rate * gradient

    for x, i in cells:
        if method == "pointwise":
            for number in range(negatives + 1):
                p = of_row(x)
                y = i if number == 0 else unlabelled_column(sampler, positives[x], random, tables, p)
                q = Zy[y] @ B
                slope = 2 * (p @ q - (number == 0))
                step(Zx[x], V, slope, np.append(q[:-1], 0.0))
                step(Zy[y], B, slope, p)
            continue
        p, q = of_row(x), Zy[i] @ B
        for draws in range(1, 51 if method == "warp" else 2):
            j = unlabelled_column(sampler, positives[x], random, tables, p)
            gap = p @ q - p @ (Zy[j] @ B)
            if method == "pairwise" or gap < 1:
                slope = -np.log(1 + (m - 1) // draws) if method == "warp" else -1 / (1 + np.exp(gap))
                step(Zx[x], V, slope, np.append((q - Zy[j] @ B)[:-1], 0.0))
                step(Zy[i], B, slope, p)
                step(Zy[j], B, -slope, p)
                break


def skipgram_epoch(order, of_row, Y, contexts, negatives, rate, Z, C, random):
    """One pass of skip-gram over rows that share labels; Z and C are changed in place."""

    def climb(i, j, target):
        gap = rate * (target - 1 / (1 + np.exp(-Z[i] @ C[j])))
        change, C[j] = gap * C[j], C[j] + gap * Z[i]
        return change

    for row in order:
        for _ in range(contexts):
            labels = np.flatnonzero(Y[row])
            label = labels[int(random.uniform() * len(labels))]
            rows_with_label = np.flatnonzero(Y[:, label])
            change = climb(of_row[row], of_row[rows_with_label[int(random.uniform() * len(rows_with_label))]], 1.0)
            for _ in range(negatives):
                change = change + climb(of_row[row], of_row[int(random.uniform() * len(Y))], 0.0)
            Z[of_row[row]] += change


def skipgram_by_neighbours(order, near, contexts, negatives, rate, Z, C, random):
    """One pass of skip-gram over nearest rows (near (n, n) says which); Z and C, which may be one, change in place."""
    for row in order:
        for _ in range(contexts):
            random.uniform()  # the kernel draws a label first, and each row is its own only one
            neighbours = np.flatnonzero(near[row])
            pairs = [(neighbours[int(random.uniform() * len(neighbours))], 1.0)]
            change = np.zeros(Z.shape[1])
            for number in range(negatives + 1):
                if number:
                    pairs.append((int(random.uniform() * len(near)), 0.0))
                j, target = pairs[-1]
                gap = rate * (target - 1 / (1 + np.exp(-(Z[row].astype(float) @ C[j]))))
                before = C[j].copy()
                change = change + gap * before
                C[j] = before + gap * Z[row]
            Z[row] += change.astype(Z.dtype)


def cosine_gradient(X, V, anchors, others, apart, scale, negatives):
    """∂O/∂V of Eq. 10 pair by pair, as Eq. 11 and 12 print it: V is (d, g), K is the cosine times the scale."""
    gradient = np.zeros_like(V)
    for i, anchor in enumerate(anchors):
        share = negatives / max(apart[i].sum(), 1)
        for j, other in enumerate(others):
            if i != j and not apart[i, j]:
                continue
            x, y = X[anchor], X[other]
            z, t = V.T @ x, V.T @ y
            a, b, c = z @ t, 1 / np.linalg.norm(z), 1 / np.linalg.norm(t)
            K = scale * a * b * c
            slope = 1 / (1 + np.exp(K)) if i == j else 0.0
            if apart[i, j]:
                slope -= share / (1 + np.exp(-K))
            by_V = (
                -a * b**3 * c * np.outer(z, x)
                - a * b * c**3 * np.outer(t, y)
                + b * c * (np.outer(z, y) + np.outer(t, x))
            )
            gradient += slope * scale * by_V.T
    return gradient


def adam(V, gradients, rates):
    """V after steps upwards by Adam, densely; a feature whose gradient is zero in a step is left alone in it."""
    V, first, second = V.copy(), np.zeros_like(V), np.zeros_like(V)
    for step, (gradient, rate) in enumerate(zip(gradients, rates), 1):
        slope = gradient(V)
        touched = slope.any(axis=1)
        first[touched] = 0.9 * first[touched] + 0.1 * slope[touched]
        second[touched] = 0.999 * second[touched] + 0.001 * slope[touched] ** 2
        mean, spread = first / (1 - 0.9**step), second / (1 - 0.999**step)
        V[touched] += rate * (mean / (np.sqrt(spread) + 1e-8))[touched]
    return V


def companion_scores(Y, T, ridge):
    """Each label's ridge regression on all other labels and all guesses, drawn towards its own scaled guess."""
    Y, T = np.asarray(Y, dtype=np.float64), np.asarray(T, dtype=np.float64)
    share = (Y * T).sum() / (T**2).sum()
    scores = np.empty_like(Y)
    for label in range(Y.shape[1]):
        inputs = np.concatenate((np.delete(Y, label, axis=1), T), axis=1)
        gap = Y[:, label] - share * T[:, label]
        weights = np.linalg.solve(inputs.T @ inputs + ridge * np.eye(inputs.shape[1]), inputs.T @ gap)
        scores[:, label] = share * T[:, label] + inputs @ weights
    return scores


# -- rating streams --------------------------------------------------------------------------------------------------


def inverse_root(A):
    """A^{-1/2} through the eigenvalues."""
    values, vectors = np.linalg.eigh(A)
    return (vectors / np.sqrt(values)) @ vectors.T


def projection_in_norm(x, G, bounded):
    """argmin ‖z − x‖²_G over z_a ≥ 0 for a < bounded, by trying every set of places that may be zero."""
    best, smallest = None, np.inf
    for mask in range(2**bounded):
        zero = [a for a in range(bounded) if mask >> a & 1]
        free = [a for a in range(len(x)) if a not in zero]
        z = np.zeros(len(x))
        if free:
            # Stationary in the free places: G_ff (z_f − x_f) + G_fz (0 − x_z) = 0.
            z[free] = x[free] + np.linalg.solve(G[np.ix_(free, free)], G[np.ix_(free, zero)] @ x[zero])
        value = (z - x) @ G @ (z - x)
        if (z[:bounded] >= -1e-12).all() and value < smallest:
            best, smallest = z, value
    return best


def passive_aggressive_side(w, x, H, error, *, variant, adaptation, constraint, C, delta, epsilon, forgetting, bounded):
    """One side of one round (Algorithm 1): the new vector and the new H (a k × k matrix whatever the adaptation)."""
    loss = max(abs(error) - epsilon, 0.0)
    if loss == 0:
        return w, H
    H = forgetting * H + (np.diag(x**2) if adaptation == "diagonal" else np.outer(x, x))
    inverse = np.eye(len(x)) if adaptation is None else inverse_root(delta * np.eye(len(x)) + H)
    norm = x @ inverse @ x
    tau = {"PA": loss / norm, "PA-I": min(C, loss / norm), "PA-II": loss / (norm + 1 / (2 * C))}[variant]
    new = w + tau * np.sign(error) * inverse @ x
    if constraint == "exact" and adaptation == "full":
        new = projection_in_norm(new, np.linalg.inv(inverse), bounded)
    elif constraint != "free":
        new = np.concatenate([np.maximum(new[:bounded], 0), new[bounded:]])
    return new, H


def running_means(users, items, ratings, V, *, kappa, C, delta, middle=False):
    """Predictions of running means and factors on what they leave, each made before its rating is taken in.

    V (items, k) are the first factors of items; those of users start at zero. PA-II with a diagonal H. ``middle``
    shifts what is told from the mean towards the median.
    """
    V, k = V.copy(), V.shape[1]
    U, HU, HV = np.zeros((max(users) + 1, k)), np.zeros((max(users) + 1, k)), np.zeros_like(V)
    bu, bi, nu, ni = (np.zeros(n) for n in (len(U), len(V), len(U), len(V)))
    mean = variance = squared = lean = 0.0
    run, earlier, last, predictions, shifts = [], 0, (-1, -1), [], np.zeros(2)
    for n, (i, j, r) in enumerate(zip(users, items, ratings), start=1):
        unit = np.sqrt(variance)
        predicted = mean + bu[i] + bi[j] + unit * (U[i] @ V[j])
        if middle and len(set(ratings[: n - 1])) > 2:
            share = np.clip(0.5 + (predicted - mean) / (3 * unit), 0, 1)
            told = predicted + np.array([1 - share, share]) @ shifts
            most = 2 * np.sqrt(squared) / (50 + n - 1) ** 0.75 if n > 10 else 0.0
            shifts += np.array([1 - share, share]) * np.clip(r - told, -most, most)
            shifts = np.clip(shifts, -1.35 * unit, 1.35 * unit)
        else:
            told = predicted
        predictions.append(told)
        step, error = r - mean, r - predicted if n > 1 else 0.0
        surprise = error
        if n > 10:
            step = np.clip(step, -5 * np.sqrt(variance), 5 * np.sqrt(variance))
            surprise = np.clip(error, -5 * np.sqrt(squared), 5 * np.sqrt(squared))
        variance = ((n - 1) * variance + step**2 * (1 - 1 / n)) / n
        squared = ((n - 1) * squared + surprise**2) / n
        mean += step / (n - earlier)
        if n > 10 and i != last[0] and j != last[1]:
            lean += np.clip(error / np.sqrt(squared), -1.5, 1.5)
            lean = np.sign(lean) * max(abs(lean) - 0.5, 0)
            run = [*run, error] if lean else []
            if abs(lean) > 20:
                least = min(np.sign(lean) * np.array(run))
                mean += np.sign(lean) * max((0.5 + abs(lean) / len(run)) * np.sqrt(squared), least)
                earlier, lean, run = n - len(run), 0.0, []
        last = i, j
        bound = 1.5 * np.sqrt(squared) if n > 10 else np.inf
        left = np.clip(r - mean - bu[i] - bi[j], -bound, bound)
        nu[i] += 1
        ni[j] += 1
        bu[i] += left / (kappa + nu[i] ** 0.9)
        bi[j] += left / (kappa + ni[j] ** 0.9)
        rest = np.clip(r - mean - bu[i] - bi[j] - unit * (U[i] @ V[j]), -bound, bound) / unit if unit else 0.0
        u, v = U[i].copy(), V[j].copy()
        for w, x, H in ((U[i], v, HU[i]), (V[j], u, HV[j])) if rest else ():
            H += x**2
            direction = x / np.sqrt(delta + H)
            w += rest / (x @ direction + 1 / (2 * C)) * direction
        for odd in (np.argmin(ratings[:10]), np.argmax(ratings[:10])) if n == 10 else ():
            others = np.delete(ratings[:10], odd)
            if abs(ratings[odd] - others.mean()) > 20 * others.std() > 0:
                mean, variance, squared = others.mean(), others.var(), others.var()
                bu[:], bi[:] = 0, 0
    return np.array(predictions)


# -- grades ----------------------------------------------------------------------------------------------------------


def ordinal_pair_risk(scores, codes, weights, priors, gamma):
    """Eqs. 7 and 8 with the squared loss, pair by pair: mean over splits of γ R_PN + (1−γ)(R_PU + R_NU − ½)."""

    def side(classes):
        """Rows of these classes with weights that mix the classes by their priors."""
        rows, shares = [], []
        for c in classes:
            members = np.flatnonzero(codes == c)
            rows += list(members)
            shares += list(priors[c] * weights[members] / weights[members].sum())
        return rows, np.array(shares) / np.sum(shares)

    def risk(left, right):
        total = 0.0
        for a, share_a in zip(*left):
            for b, share_b in zip(*right):
                total += share_a * share_b * (1 - scores[a] + scores[b]) ** 2
        return total

    k = len(priors)
    free = np.flatnonzero(codes < 0)
    unlabelled = (free, weights[free] / weights[free].sum())
    risks = []
    for j in range(k - 1):
        high, low = side(range(j + 1, k)), side(range(j + 1))
        mixed = risk(high, unlabelled) + risk(unlabelled, low) - 0.5 if len(free) else 0.0
        risks.append(gamma[j] * risk(high, low) + (1 - gamma[j]) * mixed)
    return float(np.mean(risks))


def qs3orao(batches, frequencies, priors, gamma, strength, theta):
    """Algorithm 1, pair by pair: f of the rows so far and α of every step, from given batches and frequencies.

    ``batches`` are (rows, codes, shares) of every step, ``frequencies`` (d, m) arrays. Slips corrected: l₅ goes with
    the unlabelled row, l₆ with the negative one, and every earlier α decays by the current step.
    """

    def wave(omega, x):
        return np.concatenate([np.cos(omega.T @ x), np.sin(omega.T @ x)]) / np.sqrt(omega.shape[1])

    def score(x):
        return sum(alpha @ wave(omega, x) for alpha, omega in zip(alphas, frequencies))

    alphas = []
    k = len(priors)
    for i, (rows, codes, shares) in enumerate(batches, start=1):
        f = [score(x) for x in rows]
        eta = theta / i
        new = np.zeros(2 * frequencies[i - 1].shape[1])
        phi = [wave(frequencies[i - 1], x) for x in rows]
        free = [n for n in range(len(rows)) if codes[n] < 0]
        for j in range(k - 1):
            high = [(n, priors[codes[n]] * shares[n] / sum(priors[j + 1 :])) for n in range(len(rows)) if codes[n] > j]
            low = [
                (n, priors[codes[n]] * shares[n] / sum(priors[: j + 1])) for n in range(len(rows)) if 0 <= codes[n] <= j
            ]
            unlabelled = [(n, shares[n]) for n in free]
            for left, right, mix in (
                (high, low, gamma[j]),
                (high, unlabelled, 1 - gamma[j]),
                (unlabelled, low, 1 - gamma[j]),
            ):
                for a, share_a in left:
                    for b, share_b in right:
                        slope = 2 * (1 - f[a] + f[b]) * share_a * share_b * mix / (k - 1)
                        new += -slope * phi[a] + slope * phi[b]
        alphas = [(1 - eta * strength) * alpha for alpha in alphas]
        alphas.append(-eta * new)
    return alphas


def all_threshold_loss(w, cuts, features, codes, weights, strength):
    """Σ_i ω_i Σ_j log(1 + exp(−s_ij (⟨w, φ_i⟩ − b_j))) + λ/2 ‖w‖², row by row and threshold by threshold."""
    total = 0.0
    for row, code, weight in zip(features, codes, weights):
        for j, cut in enumerate(cuts):
            sign = 1.0 if code > j else -1.0
            total += weight * np.log(1.0 + np.exp(-sign * (row @ w - cut)))
    return total / np.sum(weights) + strength / 2 * w @ w


def in_own_units(scores, weights):
    """Scores less their weighted mean, over their weighted deviation; each row counts as often as its weight says."""
    rows = [s for s, w in zip(scores, weights) for _ in range(int(w))]
    middle = sum(rows) / len(rows)
    deviation = (sum((s - middle) ** 2 for s in rows) / len(rows)) ** 0.5
    return np.array([(s - middle) / deviation for s in scores])


def best_cut_cost(scores, codes, weights, k, cost):
    """The least cost(predicted) over every way to cut the scores into k consecutive classes."""
    from itertools import combinations_with_replacement

    distinct = np.unique(scores)
    borders = np.concatenate(([distinct[0] - 1], (distinct[1:] + distinct[:-1]) / 2, [distinct[-1] + 1]))
    return min(cost(np.searchsorted(cut, scores)) for cut in combinations_with_replacement(borders, k - 1))


# -- metrics: ranking ------------------------------------------------------------------------------------------------


def ranking_metrics(scores, train, test, k):
    """Means over users with held-out items that are not in train; ``scores``, ``train``, ``test`` are dense (n, m)."""
    names = ("precision", "recall", "ndcg", "mrr", "map", "hit_rate", "auc")
    sums, counts = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    n, m = scores.shape
    listed, surprise = set(), []
    for u in range(n):
        relevant = {i for i in range(m) if test[u, i] and not train[u, i]}
        if not relevant:
            continue
        candidates = [i for i in range(m) if not train[u, i]]
        ranking = sorted(candidates, key=lambda i: (-scores[u, i], i))[:k]
        places = [j for j, i in enumerate(ranking, start=1) if i in relevant]
        most = min(k, len(relevant))
        values = {
            "precision": len(places) / k,
            "recall": len(places) / len(relevant),
            "ndcg": sum(1 / np.log2(j + 1) for j in places) / sum(1 / np.log2(j + 1) for j in range(1, most + 1)),
            "mrr": 1 / places[0] if places else 0.0,
            "map": sum(sum(p <= j for p in places) / j for j in places) / most,
            "hit_rate": float(bool(places)),
        }
        others = [i for i in candidates if i not in relevant]
        if others:
            pairs = [(scores[u, i] > scores[u, j]) + 0.5 * (scores[u, i] == scores[u, j])
                     for i in relevant for j in others]  # fmt: skip
            values["auc"] = float(np.mean(pairs))
        for name, value in values.items():
            sums[name] += value
            counts[name] += 1
        listed.update(ranking)
        surprise += [-np.log2((np.count_nonzero(train[:, i]) + 1) / (n + 1)) for i in ranking]
    means = {name: sums[name] / counts[name] if counts[name] else np.nan for name in names}
    means["coverage"] = len(listed) / m
    means["novelty"] = float(np.mean(surprise)) if surprise else np.nan
    return means


# -- metrics: labels -------------------------------------------------------------------------------------------------


def label_metrics(truth, numbers, k, inverse):
    """P@k, recall@k, nDCG@k, PSP@k and PSnDCG@k, row by row; ``truth`` is dense (n, L)."""
    rows = []
    for labels, listed in zip(truth, numbers):
        true = {label for label in range(len(labels)) if labels[label]}
        places = [(j, label) for j, label in enumerate(listed[:k], start=1) if label in true]
        best = sorted((inverse[label] for label in true), reverse=True)[:k]
        ideal = sum(1 / np.log2(j + 1) for j in range(1, min(k, len(true)) + 1))
        rows.append(
            {
                "precision": len(places) / k,
                "recall": len(places) / len(true) if true else 0.0,
                "ndcg": sum(1 / np.log2(j + 1) for j, _ in places) / ideal if true else 0.0,
                "psp": sum(inverse[label] for _, label in places),
                "best psp": sum(best),
                "psndcg": sum(inverse[label] / np.log2(j + 1) for j, label in places) / ideal if true else 0.0,
                "best psndcg": sum(w / np.log2(j + 1) for j, w in enumerate(best, start=1)) / ideal if true else 0.0,
            }
        )
    total = {name: sum(row[name] for row in rows) for name in rows[0]}
    means = {name: total[name] / len(rows) for name in ("precision", "recall", "ndcg")}
    ratios = {n: total[n] / total[f"best {n}"] if total[f"best {n}"] else 0.0 for n in ("psp", "psndcg")}
    return means | ratios


def best_places(values, k):
    """Places of the k largest values, largest first, ties to the lower place; minus infinity is never chosen."""
    allowed = [place for place, value in enumerate(values) if value > -np.inf]
    return sorted(allowed, key=lambda place: (-values[place], place))[:k]


# -- what is popular -------------------------------------------------------------------------------------------------


def votes(positives):
    """Every row that has anything shares one vote among its columns; the mean over these rows."""
    rows = [row != 0 for row in np.asarray(positives) if np.any(row)]
    return np.mean([row / row.sum() for row in rows], axis=0)


def nearest_scores(col_factors, wanted, ridge=1e-6):
    """Q p with the p that comes nearest to ``wanted``, and a ridge relative to the mean of the diagonal of QᵀQ."""
    q = np.asarray(col_factors, dtype=np.float64)
    g = q.shape[1]
    held = np.sqrt(ridge * np.square(q).sum() / g) * np.eye(g)
    return q @ np.linalg.lstsq(np.vstack([q, held]), np.concatenate([wanted, np.zeros(g)]), rcond=None)[0]


# -- metrics: ordinal ------------------------------------------------------------------------------------------------


def concordance_index(y, scores):
    """All pairs, one by one."""
    pairs = [
        (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j])
        for i in range(len(y))
        for j in range(len(y))
        if y[i] > y[j]
    ]
    return float(np.mean(pairs))


def ordinal_auc(y, scores):
    """The C-index of every split into lower and higher classes, averaged."""
    return float(np.mean([concordance_index(np.asarray(y) > border, scores) for border in sorted(set(y))[:-1]]))


# -- metrics: words --------------------------------------------------------------------------------------------------


def analogy(vectors, a, b, c):
    """3CosAdd over all words but the given three; vectors are scaled to length one first."""
    unit = [v / np.linalg.norm(v) if np.any(v) else v for v in np.asarray(vectors, dtype=np.float64)]
    target = unit[b] - unit[a] + unit[c]
    return max((word for word in range(len(unit)) if word not in {a, b, c}), key=lambda word: unit[word] @ target)
