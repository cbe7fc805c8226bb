"""The loop over ratings: predict, take in the rating, move on. Algorithm 2 of the paper; one expert is Algorithm 1.

Everything a stream knows is in few arrays, so that one call per rating stays cheap:

    users, items   (capacity, width)  rows as in ``passive_aggressive``; all zeros for a row that has not started
    memory         float64            the facts of ``running_means``, then log weights of the experts, then, where new
                                      rows start near the average, the sums of all started rows of users and of items
    rules          float64            seed, share of the average in a newcomer, reference scale, η, ρ, uniform or
                                      not, forgetting of the weights, κ of the running means,
                                      whether predictions are cut to the range seen, whether they aim at medians

A row starts when its first rating is taken in. Beside running means users start at zero and items at random around it;
otherwise both start uniform in [0, 2√(start/k)), so that the expected first prediction is ``start`` times the largest
rating seen, and a share of it may be replaced by the average of the rows started so far.

What runs once per rating makes no view of an array and hands on no array that one branch alone uses: each of these
counts references by an atomic operation, and together they took half the time of a round.
"""

import numpy as np

from tacit.kernels import hedge, passive_aggressive
from tacit.kernels._jit import fast, inlined
from tacit.kernels.counter_random import mixed, uniform
from tacit.kernels.passive_aggressive import (
    ADAPTATION,
    BIAS,
    BIASES,
    COUNT,
    EPSILON,
    FACTORS,
    FULL,
    MEANS,
    OFFSET,
    START,
)
from tacit.kernels.running_means import (
    AVERAGE,
    CUT,
    ERROR,
    ETA,
    EXPLORATION,
    FORGETTING,
    HEAD,
    ITEMS,
    LARGEST,
    MEAN,
    MIDDLE,
    REFERENCE,
    SEED,
    SEEN,
    SHRINKAGE,
    TRUSTED,
    UNIFORM,
    USERS,
    VARIANCE,
    VARIED,
    begin_biases_anew,
    cut_to,
    follow_middle,
    inertia,
    leave_out_mistyped,
    shown,
    take_in_mean,
)

_LARGEST = 1e15


@fast
def start_rows(users, items, rows_of, numbers, new, settings, rules, memory):
    """Fill the vectors of rows that are new with their start; they are not marked as started.

    rows_of : (2,) where the user's and the item's row are kept; numbers : (2,) which rows they are; new : (2,)
    """
    for side in range(2):
        if new[side] == 0:
            continue
        rows = users if side == 0 else items
        index = rows_of[side]
        key = mixed(mixed(np.uint64(np.int64(rules[SEED])), side), numbers[side])
        started = memory[USERS + side]
        sums = HEAD + len(settings) + side * rows.shape[1]
        for s in range(len(settings)):
            at = np.int64(settings[s, OFFSET])
            k = np.int64(settings[s, FACTORS])
            means = settings[s, BIASES] == MEANS
            share = rules[AVERAGE] if started > 0 and not means else 0.0
            width = 0.0
            if means:
                width = 2.0 * np.sqrt(3.0) * settings[s, START] * side
            elif k > 0:
                width = 2.0 * np.sqrt(settings[s, START] * memory[LARGEST] / k)
            middle = 0.5 if means else 0.0
            for a in range(passive_aggressive.vector_length(settings, s)):
                drawn = width * (uniform(key, at + a) - middle) if a < k else 0.0
                if share > 0.0:
                    drawn = (1.0 - share) * drawn + share * memory[sums + at + a] / started
                rows[index, at + a] = drawn


@inlined
def current_weights(memory, settings, rules, weights):
    """Fill in the weights of the experts; returns whether they are equal for good."""
    experts = len(settings)
    if rules[UNIFORM] > 0 or experts == 1:
        for s in range(experts):
            weights[s] = 1.0 / experts
        return True
    hedge.normalise_weights(memory[HEAD : HEAD + experts], weights)
    return False


@inlined
def scale_of(largest, reference):
    """How many times larger the ratings are than those for which settings without running means are stated."""
    return largest / reference if reference > 0 and largest > 0 else 1.0


@fast
def vote(users, items, i, j, settings, mean, one, unit, weights, predictions):
    """Fill in the predictions of the experts; returns their weighted mean (Eq. 12).

    one : √scale, the input of a learned bias; unit : the ratings' standard deviation
    """
    combined = 0.0
    for s in range(len(settings)):
        predictions[s] = passive_aggressive.predict(users, items, i, j, settings, s, mean, one, unit)
        combined += weights[s] * predictions[s]
    return combined


@fast
def answers(users, items, memory, settings, rules, cells, outcomes):
    """Predictions for cells (2, n) into row 1 of ``outcomes``; nothing else is written, so readers may share it."""
    weights = np.empty(len(settings))
    predictions = np.empty(len(settings))
    pair = np.empty((2, users.shape[1]), dtype=users.dtype)
    own_places = np.empty(2, dtype=np.int64)
    own_places[0] = 0
    own_places[1] = 1
    numbers = np.empty(2, dtype=np.int64)
    new = np.empty(2, dtype=np.int64)  # not a mask: room of another type would be compiled for it
    current_weights(memory, settings, rules, weights)
    mean = memory[MEAN]
    one = np.sqrt(scale_of(memory[LARGEST], rules[REFERENCE]))
    unit = np.sqrt(memory[VARIANCE])
    for t in range(cells.shape[1]):
        i = cells[0, t]
        j = cells[1, t]
        new[0] = users[i, COUNT] == 0
        new[1] = items[j, COUNT] == 0
        if new[0] + new[1] > 0:
            numbers[0] = i
            numbers[1] = j
            for a in range(users.shape[1]):
                pair[0, a] = users[i, a]
                pair[1, a] = items[j, a]
            start_rows(pair, pair, own_places, numbers, new, settings, rules, memory)
            first, second = own_places[0], own_places[1]  # bare numbers would compile it once more
            told = vote(pair, pair, first, second, settings, mean, one, unit, weights, predictions)
        else:
            told = vote(users, items, i, j, settings, mean, one, unit, weights, predictions)
        outcomes[1, t] = shown(told, memory, rules, unit)


@inlined
def is_sound(users, items, i, j, memory, experts):
    """Whether what a round has touched is finite, and small enough for a file.

    Sums of rows are not looked at: they are finite where all rows are.
    """
    zero = np.uint64(0)  # unsigned, or the loops are not vectorised
    rows = 0.0
    for a in range(zero, np.uint64(users.shape[1])):
        rows += abs(users[i, a]) + abs(items[j, a])
    facts = 0.0
    for a in range(zero, np.uint64(HEAD + experts)):
        facts += abs(memory[a])
    return rows < _LARGEST and facts < _LARGEST * _LARGEST


@fast
def add_to_sums(users, items, i, j, at, n, memory, experts, sign, new):
    """Keep the sums of all started rows up to date while two of them change: rows that are new are not taken out."""
    first, last = np.uint64(at), np.uint64(at + n)  # unsigned, or the loops are not vectorised
    user_sums = np.uint64(HEAD + experts)
    item_sums = np.uint64(HEAD + experts + users.shape[1])
    if sign > 0.0 or new[0] == 0:
        for a in range(first, last):
            memory[user_sums + a] += sign * users[i, a]
    if sign > 0.0 or new[1] == 0:
        for a in range(first, last):
            memory[item_sums + a] += sign * items[j, a]


@inlined
def keep(users, items, i, j, memory, kept_rows, kept_memory):
    """Copy what a round may touch, in plain loops, because assigning to a slice compiles for seconds."""
    for a in range(users.shape[1]):
        kept_rows[0, a] = users[i, a]
    for a in range(users.shape[1]):
        kept_rows[1, a] = items[j, a]
    for a in range(len(memory)):
        kept_memory[a] = memory[a]


@inlined
def put_back(users, items, i, j, memory, kept_rows, kept_memory):
    """Undo a round."""
    for a in range(users.shape[1]):
        users[i, a] = kept_rows[0, a]
        items[j, a] = kept_rows[1, a]
    for a in range(len(memory)):
        memory[a] = kept_memory[a]


def _rounds(users, items, memory, settings, rules, quadrature, cells, outcomes):
    """Take in the ratings in order; returns how many were taken in.

    Fewer than given: the next one makes something overflow. Where it was given alone, nothing of it has been taken in;
    of several, the caller has to put back what was there, because a copy in every round takes a seventh of its time.

    cells : (2, n) int64, numbers of users and items
    outcomes : (2, n) float64, ratings in row 0; the predictions made before each was seen go to row 1
    quadrature : of ``inverse_root``; None where no setting has a full H, whose code is then not compiled either
    """
    experts = len(settings)
    log_weights = memory[HEAD : HEAD + experts]
    weights = np.empty(experts)
    predictions = np.empty(experts)
    losses = np.empty(experts)
    kept_rows = np.empty((2, users.shape[1]), dtype=users.dtype)
    kept_memory = np.empty(len(memory))
    new = np.empty(2, dtype=np.int64)  # not a mask: room of another type would be compiled for it
    numbers = np.empty(2, dtype=np.int64)
    longest = np.int64(0)
    full = np.int64(0)
    for s in range(experts):
        n = passive_aggressive.vector_length(settings, s)
        longest = n if n > longest else longest
        if settings[s, ADAPTATION] == FULL:
            full = n if n > full else full
    scratch = np.empty((4, longest), dtype=users.dtype)
    if quadrature is not None:
        square = np.empty((2 * full, full))
        columns = np.empty((2 * full, quadrature.shape[2]))
        new_user = np.empty((4, full))
        new_item = np.empty((4, full))
    draws = mixed(np.uint64(np.int64(rules[SEED])), np.int64(2))  # a bare 2 would compile it once more
    averages = rules[AVERAGE] > 0
    alone = cells.shape[1] == 1
    equal = current_weights(memory, settings, rules, weights)
    scale = scale_of(memory[LARGEST], rules[REFERENCE])
    one = np.sqrt(scale)
    unit = np.sqrt(memory[VARIANCE])
    root = np.sqrt(memory[ERROR])

    for t in range(cells.shape[1]):
        i = cells[0, t]
        j = cells[1, t]
        numbers[0] = i
        numbers[1] = j
        rating = outcomes[0, t]
        seen = memory[SEEN]
        if alone:
            keep(users, items, i, j, memory, kept_rows, kept_memory)
        new[0] = users[i, COUNT] == 0
        new[1] = items[j, COUNT] == 0
        if not equal:
            hedge.normalise_weights(log_weights, weights)
        # A rating above all before it makes the scale larger: starts, and what this round learns from, follow it,
        # while the prediction on record is the one made before.
        combined = 0.0
        for attempt in range(2):
            if new[0] + new[1] > 0:
                start_rows(users, items, numbers, numbers, new, settings, rules, memory)
            combined = vote(users, items, i, j, settings, memory[MEAN], one, unit, weights, predictions)
            if attempt == 0:
                outcomes[1, t] = shown(combined, memory, rules, unit)
                if rules[MIDDLE] > 0 and memory[VARIED] > 0 and memory[SEEN] >= TRUSTED:
                    follow_middle(memory, rating, combined, outcomes[1, t], unit, root)
                if abs(rating) <= memory[LARGEST]:
                    break
                memory[LARGEST] = abs(rating)
                scale = scale_of(memory[LARGEST], rules[REFERENCE])
                one = np.sqrt(scale)
        if memory[LARGEST] == 0:
            # Only zeros so far, predicted as zero: nobody can start before the scale is known.
            root = take_in_mean(memory, i, j, rating, 0.0, unit, root)
            continue
        base = memory[MEAN] + users[i, BIAS] + items[j, BIAS]
        memory[USERS] += new[0]
        memory[ITEMS] += new[1]
        users[i, COUNT] += 1
        items[j, COUNT] += 1
        root = take_in_mean(memory, i, j, rating, rating - combined, unit, root)
        bound = CUT * root if memory[SEEN] > TRUSTED else np.inf
        left = cut_to(rating - memory[MEAN] - users[i, BIAS] - items[j, BIAS], bound)
        users[i, BIAS] += left / inertia(rules[SHRINKAGE], users[i, COUNT])
        items[j, BIAS] += left / inertia(rules[SHRINKAGE], items[j, COUNT])
        moved = memory[MEAN] + users[i, BIAS] + items[j, BIAS] - base

        top = 0.0
        for s in range(experts):
            top = weights[s] if weights[s] > top else top
        for s in range(experts):
            means = settings[s, BIASES] == MEANS
            error = rating - predictions[s]
            loss = abs(error) - settings[s, EPSILON] * scale
            loss = 0.0 if loss < 0.0 else loss
            losses[s] = loss / scale
            drawn = equal
            if not drawn:
                chance = (1.0 - rules[EXPLORATION]) * weights[s] / top + rules[EXPLORATION]
                drawn = chance >= 1.0 or uniform(mixed(draws, np.int64(seen)), s) < chance
            at = np.int64(settings[s, OFFSET])
            n = passive_aggressive.vector_length(settings, s)
            summed = averages and not means
            own_scale = 1.0 if means else scale
            if means:
                error = cut_to(error - moved, bound) / unit if unit > 0 else 0.0
                loss = abs(error) - settings[s, EPSILON]
            if summed:
                add_to_sums(users, items, i, j, at, n, memory, experts, -1.0, new)
            if drawn and loss > 0.0 and n > 0:
                if quadrature is not None and settings[s, ADAPTATION] == FULL:
                    for side in range(2):
                        if side == 0:
                            rows, r, others, q, out = users, i, items, j, new_user
                        else:
                            rows, r, others, q, out = items, j, users, i, new_item
                        passive_aggressive.full_side(
                            rows, r, others, q, settings, s, own_scale, one, error, out, square, columns, quadrature
                        )
                    for a in range(n):
                        users[i, at + a] = new_user[0, a]
                        items[j, at + a] = new_item[0, a]
                else:
                    passive_aggressive.light_round(users, items, i, j, settings, s, own_scale, one, error, scratch)
            if summed:
                add_to_sums(users, items, i, j, at, n, memory, experts, 1.0, new)
        if not equal:
            hedge.update_weights(log_weights, losses, rules[ETA], rules[FORGETTING])
        if not is_sound(users, items, i, j, memory, experts):
            if alone:
                put_back(users, items, i, j, memory, kept_rows, kept_memory)
            memory[SEEN] = seen
            return t
        if memory[SEEN] == TRUSTED and leave_out_mistyped(memory):
            begin_biases_anew(users)
            begin_biases_anew(items)
            root = np.sqrt(memory[ERROR])
        unit = np.sqrt(memory[VARIANCE])
    return cells.shape[1]


rounds = fast(_rounds)
"""For settings of which one has a full H."""

light_rounds = fast(_rounds)
"""For all others: with ``quadrature=None``."""
