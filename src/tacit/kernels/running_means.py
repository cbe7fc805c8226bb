"""Running means of ratings: what a stream knows of all of them, of a user and of an item, beside its factors.

``memory`` and ``rules`` are those of ``rating_rounds``; what stands where in them is named here.

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
"""

import numpy as np

from tacit.kernels._jit import fast, inlined
from tacit.kernels.passive_aggressive import BIAS

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
CUT = 1.5
_SURPRISE = 5.0
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
def share_of_high(prediction, memory, deviation):
    """w: how far a prediction lies from the low ones towards the high ones."""
    if deviation == 0:
        return 0.5
    return 0.5 + cut_to((prediction - memory[MEAN]) / (2.0 * _WIDE * deviation), 0.5)


@inlined
def shown(prediction, memory, rules, deviation):
    """A prediction as it is told: shifted to the middle and cut to the range so far, where the rules say so.

    ``deviation`` is √variance, here and below: a root takes as long as ten other steps, so each is taken once a round.
    """
    if rules[MIDDLE] > 0 and memory[VARIED] > 0:
        share = share_of_high(prediction, memory, deviation)
        prediction += (1.0 - share) * memory[LOW_SHIFT] + share * memory[HIGH_SHIFT]
    if rules[IN_RANGE] > 0 and memory[SEEN] > 0:
        prediction = in_range(prediction, memory)
    return prediction


@inlined
def follow_middle(memory, rating, prediction, told, deviation, root):
    """Move the shifts of both ends by the sign of an error; ``root`` is that of the mean squared error."""
    patience = _SHIFT_PATIENCE + memory[SEEN]
    step = cut_to(rating - told, _SHIFT_STEP * root / np.sqrt(patience * np.sqrt(patience)))
    share = share_of_high(prediction, memory, deviation)
    most = _MOST_SHIFT * 2.0 * _WIDE * deviation
    memory[LOW_SHIFT] = cut_to(memory[LOW_SHIFT] + (1.0 - share) * step, most)
    memory[HIGH_SHIFT] = cut_to(memory[HIGH_SHIFT] + share * step, most)


@inlined
def follow_jump(memory, error, root):
    """Add an error to the lean; where that says that the mean has jumped, follow it."""
    lean = memory[LEAN] + cut_to(error / root, CUT)
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
def take_in_mean(memory, user, item, rating, error, deviation, root):
    """Count a rating: mean, variance and mean squared error, surprises cut, and the range as it is.

    deviation, root : of variance and mean squared error before the rating; returns the latter after it
    """
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
        step = cut_to(step, _SURPRISE * deviation)
    surprise = error
    if known and memory[ERROR] > 0:
        surprise = cut_to(error, _SURPRISE * root)
    memory[SEEN] += 1
    share = 1.0 / memory[SEEN]
    memory[MEAN] += step / (memory[SEEN] - memory[EARLIER])
    memory[VARIANCE] += (step * step * (1.0 - share) - memory[VARIANCE]) * share
    memory[ERROR] += (surprise * surprise - memory[ERROR]) * share
    root = np.sqrt(memory[ERROR])
    if known and memory[ERROR] > 0 and memory[LAST_USER] != user and memory[LAST_ITEM] != item:
        follow_jump(memory, error, root)
    memory[LAST_USER] = user
    memory[LAST_ITEM] = item
    return root
