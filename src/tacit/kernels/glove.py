"""One pass of GloVe's stochastic gradient with Adagrad over some cells.

J = Σ f(x_ij) (⟨w_i, w̃_j⟩ + b_i + b̃_j − log x_ij)²,    f(x) = min(1, (x / ceiling)^exponent)
"""

import numpy as np

from tacit.kernels._jit import fast


@fast
def glove_pass(start, stop, rows, cols, logs, weights, words, contexts, word_squares, context_squares, rate):
    """Step once for each cell start..stop; the value of J over them, each cell before its own step.

    words, contexts (v, d+1) : vectors with their bias in the last place
    word_squares, context_squares (v, d+1) : sums of squares of rate · gradient, as in the authors' program: with the
        bare gradient the steps would shrink 1 / rate times sooner
    """
    d = words.shape[1] - 1
    number = words.dtype.type
    total = 0.0
    for k in range(start, stop):
        w, c = words[rows[k]], contexts[cols[k]]
        ws, cs = word_squares[rows[k]], context_squares[cols[k]]
        error = number(0)
        for j in range(d):
            error += w[j] * c[j]
        error += w[d] + c[d] - logs[k]
        total += weights[k] * error * error
        weighted = rate * weights[k] * error
        for j in range(d):
            of_word, of_context = weighted * c[j], weighted * w[j]
            w[j] -= of_word / np.sqrt(ws[j])
            c[j] -= of_context / np.sqrt(cs[j])
            ws[j] += of_word * of_word
            cs[j] += of_context * of_context
        w[d] -= weighted / np.sqrt(ws[d])
        c[d] -= weighted / np.sqrt(cs[d])
        ws[d] += weighted * weighted
        cs[d] += weighted * weighted
    return total
