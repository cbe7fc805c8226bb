"""The loop over ratings: predict, take in the rating, move on. Algorithm 2 of the paper; one expert is Algorithm 1.

Everything a stream knows is in few arrays, so that one call per rating stays cheap:

    users, items   (capacity, width)  rows as in ``passive_aggressive``; all zeros for a row that has not started
    memory         float64            rounds, mean rating, largest |rating|, rows started on either side, then log
                                      weights of the experts, then the sums of all started rows of users and of items
    rules          float64            seed, share of the average in a newcomer, reference scale, η, ρ, uniform or
                                      not, forgetting of the weights

A row starts when its first rating is taken in: uniform in [0, 2√(start/k)), so that the expected first prediction is
``start`` times the largest rating seen; a share of it may be replaced by the average of the rows started so far.
"""

import numpy as np

from tacit.kernels import hedge, passive_aggressive
from tacit.kernels._jit import fast
from tacit.kernels.counter_random import mixed, uniform
from tacit.kernels.passive_aggressive import ADAPTATION, BIASED, EPSILON, FACTORS, FULL, OFFSET, START

ROUNDS, MEAN, LARGEST, USERS, ITEMS = range(5)
HEAD = 5
SEED, AVERAGE, REFERENCE, ETA, EXPLORATION, UNIFORM, FORGETTING = range(7)
RULES = 7


@fast
def start_row(rows, r, started, sums, settings, rules, memory):
    """Fill the vectors of row r with its start; its accumulators stay zero and it is not marked as started.

    ``started`` rows of this side have begun; their vectors add up to ``memory[sums:]``, which also tells the sides
    apart where random numbers are drawn.
    """
    key = mixed(mixed(np.uint64(int(rules[SEED])), sums), r)
    share = rules[AVERAGE] if started > 0 else 0.0
    for s in range(len(settings)):
        at = int(settings[s, OFFSET])
        k = int(settings[s, FACTORS])
        width = 2.0 * np.sqrt(settings[s, START] * memory[LARGEST] / k) if k > 0 else 0.0
        n = k + int(settings[s, BIASED])
        for a in range(n):
            drawn = width * uniform(key, at + a) if a < k else 0.0
            if share > 0.0:
                drawn = (1.0 - share) * drawn + share * memory[sums + at + a] / started
            rows[r, at + a] = drawn


@fast
def rounds(users, items, memory, settings, rules, quadrature, cells, outcomes, learn):
    """Run the ratings in order; returns how many were done (fewer than given: a prediction was not finite).

    cells : (2, n) int64, numbers of users and items
    outcomes : (2, n) float64, ratings in row 0; the predictions made before each was seen go to row 1
    learn : whether to take the ratings in, or only to predict
    quadrature : of ``inverse_root``
    """
    experts = len(settings)
    width = users.shape[1]
    user_sums = HEAD + experts
    item_sums = user_sums + width
    log_weights = memory[HEAD:user_sums]
    weights = np.ones(experts)
    predictions = np.empty(experts)
    losses = np.empty(experts)
    full = 0
    for s in range(experts):
        if settings[s, ADAPTATION] == FULL:
            full = max(full, int(settings[s, FACTORS] + settings[s, BIASED]))
    square = np.empty((2 * full, full))
    columns = np.empty((2 * full, quadrature.shape[2]))
    new_user = np.empty((4, full))
    new_item = np.empty((4, full))
    draws = mixed(np.uint64(int(rules[SEED])), experts)
    averages = rules[AVERAGE] > 0
    uniform_weights = rules[UNIFORM] > 0 or experts == 1
    if uniform_weights:
        weights[:] = 1.0 / experts

    for t in range(cells.shape[1]):
        i = cells[0, t]
        j = cells[1, t]
        rating = outcomes[0, t]
        new_i = users[i, 0] == 0
        new_j = items[j, 0] == 0
        if not uniform_weights:
            hedge.normalise_weights(log_weights, weights)
        # A rating above all before it makes the scale larger: starts, and what this round learns from, follow it,
        # while the prediction on record is the one made before.
        for attempt in range(2):
            if new_i:
                start_row(users, i, memory[USERS], user_sums, settings, rules, memory)
            if new_j:
                start_row(items, j, memory[ITEMS], item_sums, settings, rules, memory)
            known = rules[REFERENCE] > 0 and memory[LARGEST] > 0
            scale = memory[LARGEST] / rules[REFERENCE] if known else 1.0
            one = np.sqrt(scale)
            combined = 0.0
            for s in range(experts):
                predictions[s] = passive_aggressive.predict(users, items, i, j, settings, s, memory[MEAN], one)
                combined += weights[s] * predictions[s]
            if attempt == 0:
                outcomes[1, t] = combined
                if not learn or abs(rating) <= memory[LARGEST]:
                    break
                memory[LARGEST] = abs(rating)
        if not learn:
            continue
        if not np.isfinite(combined):
            return t
        if memory[LARGEST] == 0:
            # Only zeros so far, predicted as zero: nobody can start before the scale is known.
            memory[ROUNDS] += 1
            continue
        memory[USERS] += new_i
        memory[ITEMS] += new_j
        users[i, 0] += 1
        items[j, 0] += 1

        top = 0.0
        if not uniform_weights:
            for s in range(experts):
                top = max(top, weights[s])
        for s in range(experts):
            at = int(settings[s, OFFSET])
            n = int(settings[s, FACTORS] + settings[s, BIASED])
            error = rating - predictions[s]
            loss = max(abs(error) - settings[s, EPSILON] * scale, 0.0)
            losses[s] = loss / scale
            drawn = uniform_weights
            if not drawn:
                chance = (1.0 - rules[EXPLORATION]) * weights[s] / top + rules[EXPLORATION]
                drawn = uniform(mixed(draws, int(memory[ROUNDS])), s) < chance
            if averages and not new_i:
                for a in range(n):
                    memory[user_sums + at + a] -= users[i, at + a]
            if averages and not new_j:
                for a in range(n):
                    memory[item_sums + at + a] -= items[j, at + a]
            if drawn and loss > 0.0:
                if settings[s, ADAPTATION] == FULL:
                    for side in range(2):
                        if side == 0:
                            rows, r, others, q, new = users, i, items, j, new_user
                        else:
                            rows, r, others, q, new = items, j, users, i, new_item
                        passive_aggressive.full_side(
                            rows, r, others, q, settings, s, scale, one, error, new, square, columns, quadrature
                        )
                    for a in range(n):
                        users[i, at + a] = new_user[0, a]
                        items[j, at + a] = new_item[0, a]
                else:
                    passive_aggressive.light_round(users, items, i, j, settings, s, scale, one, error)
            if averages:
                for a in range(n):
                    memory[user_sums + at + a] += users[i, at + a]
                    memory[item_sums + at + a] += items[j, at + a]
        if not uniform_weights:
            hedge.update_weights(log_weights, losses, rules[ETA], rules[FORGETTING])
        memory[ROUNDS] += 1
        memory[MEAN] += (rating - memory[MEAN]) / memory[ROUNDS]
    return cells.shape[1]
