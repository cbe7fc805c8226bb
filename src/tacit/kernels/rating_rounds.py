"""The loop over ratings: predict, take in the rating, move on. Algorithm 2 of the paper; one expert is Algorithm 1.

Everything a stream knows is in few arrays, so that one call per rating stays cheap:

    users, items   (capacity, width)  rows as in ``passive_aggressive``; all zeros for a row that has not started
    memory         float64            the running facts named below, then log weights of the experts, then, where new
                                      rows start near the average, the sums of all started rows of users and of items
    rules          float64            seed, share of the average in a newcomer, reference scale, η, ρ, uniform or
                                      not, forgetting of the weights, κ of the running means,
                                      whether predictions are cut to the range seen, whether they aim at medians

Running means. A bias follows the residuals that are left to it, with a gain that falls with its n ratings:

    b_u ← b_u + e / (κ + n^0.9),     e = r − mean − b_u − b_v, cut to 1.5 times the root mean squared error so far

and the same for b_v with the old b_u. A gain of 1/(κ + n) would be the mean shrunk towards zero; the power lets it
follow drift, and the cut lies between a mean and a median. Factors explain the rest, in units of the ratings' standard
deviation, so shift and scale of the ratings do not matter. Mean, deviation and error take no surprise above five
deviations at its full size: a mistyped rating moves them little. Before the tenth rating nothing is known to cut by; if
one of the ten lies twenty deviations of the other nine away from them, mean, deviation and error become those of the
nine, and biases begin anew.

A jump of the mean. Errors, in units of their root mean square and cut at 1.5 of it, add up to a lean, which loses a
half with each of them, so that errors of both signs leave nothing and some far ones are no jump. Several ratings in a
row of one user, or of one item, may all miss on one side for that reason alone: only a rating whose user and item both
differ from the last one's counts. When the lean exceeds 20, the n ratings that it is made of say where the mean is now,
and the mean forgets what was before them; it moves by their mean error as it was cut, or by the least error of all of
them, uncut, where that is more:

    lean ← sgn(l) max(|l| − 0.5, 0),  l = lean + cut(e / rms)
    mean ← mean + sgn(lean) max((0.5 + |lean| / n) rms, least)

The middle. A sum of means aims at a mean, and where most ratings are the best one can give, the middle of the ratings
to expect lies above it. So what is told is shifted, by d between low and high predictions, and each end of d follows
the sign of the errors of what was told, by its share in them:

    told = p + (1 − w) d_low + w d_high,     w = ½ + (p − mean) / 3 deviations, cut to [0, 1]
    d_low ← d_low + (1 − w) cut(r − told),   d_high ← d_high + w cut(r − told),     cut at 2 rms / (50 + seen)^¾

from the eleventh rating on. Mean and deviation cut surprises, so a mistyped rating does not change what w means for the
others. Neither end is shifted by more than 1.35 deviations, so that a higher prediction stays higher. Nothing else
learns from it. While all ratings are one of two numbers, a middle would say nothing but which of them is more frequent,
and predictions stay as they are.

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

SEEN, MEAN, VARIANCE, ERROR, LOWEST, HIGHEST, LARGEST, USERS, ITEMS = range(9)
LEAN, RUN, LEAST, EARLIER, LAST_USER, LAST_ITEM = range(9, 15)
"""Of a jump: the lean, its ratings and the least error of them, the ratings before the last jump, and the user and the
item of the last rating."""
LOW_SHIFT, HIGH_SHIFT, VARIED = range(15, 18)
"""Of the middle: the shifts of low and of high predictions, and whether there were more than two different ratings."""
HEAD = 18
SEED, AVERAGE, REFERENCE, ETA, EXPLORATION, UNIFORM, FORGETTING, SHRINKAGE, IN_RANGE, MIDDLE = range(10)
RULES = 10

_POWER = 0.9
_POWERS = np.array([count**_POWER for count in range(2048)])
"""n^0.9 of most rows' counts: a power takes as long as all else that a bias needs."""
_CUT = 1.5
_SURPRISE = 5.0
_LARGEST = 1e15
TRUSTED = 10
"""Ratings after which deviation and error are known well enough to cut by."""
_MISTYPED = 20.0
_SLACK = 0.5
_JUMP = 20.0
_SHIFT_STEP = 2.0
_SHIFT_PATIENCE = 50.0
_MOST_SHIFT = 0.45
_WIDE = 1.5
"""Deviations from the mean at which a prediction counts as low or high."""
_ROUNDING = 1e-14
"""Of a sum of squares: what is left of it below that is no sum of others' squares."""


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
def vote(users, items, i, j, settings, rules, memory, weights, predictions):
    """Fill in the predictions of the experts; returns their weighted mean (Eq. 12)."""
    mean = memory[MEAN]
    one = np.sqrt(scale_of(memory[LARGEST], rules[REFERENCE]))
    unit = np.sqrt(memory[VARIANCE])
    combined = 0.0
    for s in range(len(settings)):
        predictions[s] = passive_aggressive.predict(users, items, i, j, settings, s, mean, one, unit)
        combined += weights[s] * predictions[s]
    return combined


@inlined
def cut_to(value, bound):
    """The value, or the nearer end of [−bound, bound]."""
    value = -bound if value < -bound else value
    return bound if value > bound else value


@inlined
def in_range(prediction, memory):
    """A prediction cut to the range of the ratings so far."""
    prediction = memory[LOWEST] if prediction < memory[LOWEST] else prediction
    return memory[HIGHEST] if prediction > memory[HIGHEST] else prediction


@inlined
def share_of_high(prediction, memory):
    """w: how far a prediction lies from the low ones towards the high ones."""
    deviation = np.sqrt(memory[VARIANCE])
    if deviation == 0:
        return 0.5
    return 0.5 + cut_to((prediction - memory[MEAN]) / (2.0 * _WIDE * deviation), 0.5)


@inlined
def shown(prediction, memory, rules):
    """A prediction as it is told: shifted to the middle and cut to the range so far, where the rules say so."""
    if rules[MIDDLE] > 0 and memory[VARIED] > 0:
        share = share_of_high(prediction, memory)
        prediction += (1.0 - share) * memory[LOW_SHIFT] + share * memory[HIGH_SHIFT]
    if rules[IN_RANGE] > 0 and memory[SEEN] > 0:
        prediction = in_range(prediction, memory)
    return prediction


@inlined
def follow_middle(memory, rating, prediction, told):
    """Move the shifts of both ends by the sign of an error."""
    patience = _SHIFT_PATIENCE + memory[SEEN]
    step = cut_to(rating - told, _SHIFT_STEP * np.sqrt(memory[ERROR]) / np.sqrt(patience * np.sqrt(patience)))
    share = share_of_high(prediction, memory)
    most = _MOST_SHIFT * 2.0 * _WIDE * np.sqrt(memory[VARIANCE])
    memory[LOW_SHIFT] = cut_to(memory[LOW_SHIFT] + (1.0 - share) * step, most)
    memory[HIGH_SHIFT] = cut_to(memory[HIGH_SHIFT] + share * step, most)


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
            told = vote(pair, pair, first, second, settings, rules, memory, weights, predictions)
        else:
            told = vote(users, items, i, j, settings, rules, memory, weights, predictions)
        outcomes[1, t] = shown(told, memory, rules)


@inlined
def follow_jump(memory, error):
    """Add an error to the lean; where that says that the mean has jumped, follow it."""
    root = np.sqrt(memory[ERROR])
    lean = memory[LEAN] + cut_to(error / root, _CUT)
    size = abs(lean) - _SLACK
    sign = 1.0 if lean > 0 else -1.0
    if size <= 0:
        memory[LEAN] = 0.0
        memory[RUN] = 0.0
        return
    if memory[RUN] == 0 or sign * error < sign * memory[LEAST]:
        memory[LEAST] = error
    memory[LEAN] = sign * size
    memory[RUN] += 1
    if size > _JUMP:
        memory[MEAN] += sign * max(root * (_SLACK + size / memory[RUN]), sign * memory[LEAST])
        memory[EARLIER] = memory[SEEN] - memory[RUN]
        memory[LEAN] = 0.0
        memory[RUN] = 0.0


@inlined
def leave_out_mistyped(memory):
    """Where one of the first ratings is far from all others, take it out of mean, deviation and error; returns whether.

    Without a rating x, which is d from the mean of n, the squares of the others around theirs sum to
    Σ − d² n / (n − 1). Others that are all the same know no distance to measure x by.
    """
    n = memory[SEEN]
    squares = n * memory[VARIANCE]
    for x in (memory[LOWEST], memory[HIGHEST]):
        d = x - memory[MEAN]
        rest = squares - d * d * n / (n - 1.0)
        distance = d * n / (n - 1.0)
        if rest > _ROUNDING * squares and distance * distance * (n - 1.0) > _MISTYPED * _MISTYPED * rest:
            memory[MEAN] -= d / (n - 1.0)
            memory[VARIANCE] = rest / (n - 1.0)
            memory[ERROR] = memory[VARIANCE]
            return True
    return False


@inlined
def inertia(shrinkage, count):
    """κ + n^0.9, by which a bias divides what is left to it."""
    n = int(count)
    return shrinkage + (_POWERS[n] if n < len(_POWERS) else n**_POWER)


@inlined
def begin_biases_anew(rows):
    for i in range(len(rows)):
        rows[i, BIAS] = 0.0


@fast
def take_in_mean(memory, user, item, rating, error):
    """Count a rating: mean, variance and mean squared error, surprises cut, and the range as it is."""
    known = memory[SEEN] >= TRUSTED
    if memory[SEEN] == 0:
        # Nothing was known: the first rating is no error of anybody.
        error = 0.0
        memory[LOWEST] = rating
        memory[HIGHEST] = rating
    if rating != memory[LOWEST] and rating != memory[HIGHEST] and memory[LOWEST] < memory[HIGHEST]:
        memory[VARIED] = 1.0
    if rating < memory[LOWEST]:
        memory[LOWEST] = rating
    if rating > memory[HIGHEST]:
        memory[HIGHEST] = rating
    step = rating - memory[MEAN]
    if known and memory[VARIANCE] > 0:
        step = cut_to(step, _SURPRISE * np.sqrt(memory[VARIANCE]))
    surprise = error
    if known and memory[ERROR] > 0:
        surprise = cut_to(error, _SURPRISE * np.sqrt(memory[ERROR]))
    memory[SEEN] += 1
    share = 1.0 / memory[SEEN]
    memory[MEAN] += step / (memory[SEEN] - memory[EARLIER])
    memory[VARIANCE] += (step * step * (1.0 - share) - memory[VARIANCE]) * share
    memory[ERROR] += (surprise * surprise - memory[ERROR]) * share
    if known and memory[ERROR] > 0 and memory[LAST_USER] != user and memory[LAST_ITEM] != item:
        follow_jump(memory, error)
    memory[LAST_USER] = user
    memory[LAST_ITEM] = item


@inlined
def is_sound(users, items, i, j, memory):
    """Whether what a round has touched is finite, and small enough for a file."""
    rows = 0.0
    for a in range(users.shape[1]):
        rows += abs(users[i, a]) + abs(items[j, a])
    facts = 0.0
    for a in range(len(memory)):
        facts += abs(memory[a])
    return rows < _LARGEST and facts < _LARGEST * _LARGEST


@fast
def add_to_sums(users, items, i, j, at, n, memory, experts, sign, new):
    """Keep the sums of all started rows up to date while two of them change: rows that are new are not taken out."""
    user_sums = HEAD + experts
    item_sums = user_sums + users.shape[1]
    for a in range(at, at + n):
        if sign > 0.0 or new[0] == 0:
            memory[user_sums + a] += sign * users[i, a]
        if sign > 0.0 or new[1] == 0:
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

    Fewer than given: the next one would make something overflow, and nothing of it has been taken in.

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
    equal = current_weights(memory, settings, rules, weights)

    for t in range(cells.shape[1]):
        i = cells[0, t]
        j = cells[1, t]
        numbers[0] = i
        numbers[1] = j
        rating = outcomes[0, t]
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
            combined = vote(users, items, i, j, settings, rules, memory, weights, predictions)
            if attempt == 0:
                outcomes[1, t] = shown(combined, memory, rules)
                if rules[MIDDLE] > 0 and memory[VARIED] > 0 and memory[SEEN] >= TRUSTED:
                    follow_middle(memory, rating, combined, outcomes[1, t])
                if abs(rating) <= memory[LARGEST]:
                    break
                memory[LARGEST] = abs(rating)
        if memory[LARGEST] == 0:
            # Only zeros so far, predicted as zero: nobody can start before the scale is known.
            take_in_mean(memory, i, j, rating, 0.0)
            continue
        scale = scale_of(memory[LARGEST], rules[REFERENCE])
        one = np.sqrt(scale)
        unit = np.sqrt(memory[VARIANCE])
        base = memory[MEAN] + users[i, BIAS] + items[j, BIAS]
        memory[USERS] += new[0]
        memory[ITEMS] += new[1]
        users[i, COUNT] += 1
        items[j, COUNT] += 1
        take_in_mean(memory, i, j, rating, rating - combined)
        bound = _CUT * np.sqrt(memory[ERROR]) if memory[SEEN] > TRUSTED else np.inf
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
                drawn = chance >= 1.0 or uniform(mixed(draws, np.int64(kept_memory[SEEN])), s) < chance
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
        if not is_sound(users, items, i, j, memory):
            put_back(users, items, i, j, memory, kept_rows, kept_memory)
            return t
        if memory[SEEN] == TRUSTED and leave_out_mistyped(memory):
            begin_biases_anew(users)
            begin_biases_anew(items)
    return cells.shape[1]


rounds = fast(_rounds)
"""For settings of which one has a full H."""

light_rounds = fast(_rounds)
"""For all others: with ``quadrature=None``."""
