"""Splits: which events are held out. Every rule is seeded and gives the same answer on every machine."""

import datetime
import numbers
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.events import Events
from tacit.errors import InputError

By = Literal["random", "last", "time", "user"]
Test = float | str | datetime.date | np.datetime64
RULES = ("random", "last", "time", "user")


def held_out(events: Events, rows: int, test: Test, seed: int, by: By) -> NDArray[np.bool_]:
    """Mask of the events that go to the test part.

    random : ``test`` of all events, drawn without replacement
    last : of each row the latest event (the latest ``test`` when that is a whole number); a row always keeps one
    time : the latest ``test`` of all events, events of one moment together; or all from the moment ``test`` on
    user : all events of ``test`` of the rows that have any
    """
    checks.choice("by", by, RULES)
    if isinstance(test, str | datetime.date | np.datetime64):
        return _from(events, test, by)
    _check_test(test)
    if len(events) < 2:
        raise InputError(f"there are only {len(events)} events; a split needs at least two.")
    rng = np.random.default_rng(checks.seed(seed, "seed"))
    if by == "random":
        mask = np.zeros(len(events), dtype=bool)
        mask[rng.permutation(len(events))[: _count(test, len(events), "events")]] = True
        return mask
    if by == "user":
        used = np.unique(events.row)
        if len(used) < 2:
            raise InputError("by='user' needs at least two rows with events.")
        chosen = np.zeros(rows, dtype=bool)
        chosen[rng.permutation(used)[: _count(test, len(used), "rows")]] = True
        return chosen[events.row]
    if events.time is None:
        raise InputError(f"by={by!r} needs times; name their column with time=... in Interactions.from_table.")
    if by == "time":
        return _latest(events.time, _count(test, len(events), "events"))
    return _last_of_each(events, 1 if test < 1 else int(test), rng)


def _from(events: Events, test: str | datetime.date | np.datetime64, by: By) -> NDArray[np.bool_]:
    """Everything from the moment ``test`` on."""
    if by != "time":
        raise InputError(f"test={test!r} is a moment, which splits by='time' only, not by={by!r}.")
    if events.time is None or events.time.dtype.kind != "M":
        has = "no times" if events.time is None else "times that are numbers"
        raise InputError(f"test={test!r} is a moment, but the interactions have {has}; give a share, such as test=0.2.")
    try:
        moment = np.datetime64(_in_utc(test))
    except ValueError:
        raise InputError(
            f"test={test!r} does not read as a date; write it as '2024-11-01' or '2024-11-01 18:00'."
        ) from None
    if np.isnat(moment):
        raise InputError(f"test={test!r} is not a moment; write it as '2024-11-01'.")
    mask: NDArray[np.bool_] = events.time >= moment
    if mask.all() or not mask.any():
        lacks = "train on" if mask.all() else "test"
        raise InputError(
            f"test={_shown(moment)!r} leaves nothing to {lacks}: the times run from {_shown(events.time.min())} to "
            f"{_shown(events.time.max())}; give a moment between them."
        )
    return mask


def _shown(moment: np.datetime64) -> str:
    """As people write it.

    >>> _shown(np.datetime64("2024-11-01T00:00:00.000000")), _shown(np.datetime64("2024-11-01T18:30:00.000000"))
    ('2024-11-01', '2024-11-01 18:30:00')
    """
    return str(moment).replace("T", " ").removesuffix(".000000").removesuffix(" 00:00:00")


def _in_utc(test: Any) -> Any:
    """A moment with a time zone in UTC, as the times of interactions are; others as they stand."""
    if isinstance(test, str):
        try:
            test = datetime.datetime.fromisoformat(test.strip())
        except ValueError:
            return test
    if isinstance(test, datetime.datetime) and test.tzinfo is not None:
        return test.astimezone(datetime.UTC).replace(tzinfo=None)
    return test


def _check_test(test: float) -> None:
    whole = isinstance(test, numbers.Integral) and 1 <= test <= checks.LARGEST
    share = isinstance(test, numbers.Real) and 0 < test < 1
    if isinstance(test, bool) or not (whole or share):
        raise InputError(f"test={test!r} must be a share between 0 and 1 or a whole number from 1 on.")


def _count(test: float, total: int, what: str) -> int:
    count = int(test) if test >= 1 else max(1, min(total - 1, round(test * total)))
    if count >= total:
        raise InputError(f"test={test} would hold out all {total} {what}; leave at least one for training.")
    return count


def _latest(time: NDArray[Any], count: int) -> NDArray[np.bool_]:
    """The latest ``count``, or as near to it as whole moments allow."""
    ordered = np.sort(time)
    moment = ordered[len(time) - count]
    from_moment: NDArray[np.bool_] = time >= moment
    after_moment: NDArray[np.bool_] = time > moment
    sizes = int(from_moment.sum()), int(after_moment.sum())
    if sizes[0] == len(time) and sizes[1] == 0:
        raise InputError("by='time' finds only one moment in the time column; split by='random' instead.")
    take_moment = sizes[1] == 0 or (sizes[0] < len(time) and sizes[0] - count <= count - sizes[1])
    return from_moment if take_moment else after_moment


def _last_of_each(events: Events, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """The latest ``count`` of each row; equal times are put in a seeded order."""
    assert events.time is not None
    order = np.lexsort((rng.permutation(len(events)), events.time, events.row))
    sizes = np.bincount(events.row)
    starts = np.cumsum(sizes) - sizes
    row = events.row[order]
    index = np.arange(len(events)) - starts[row]
    mask = np.zeros(len(events), dtype=bool)
    mask[order[(index >= sizes[row] - count) & (index >= 1)]] = True
    if not mask.any():
        raise InputError("by='last' finds no row with two events; split by='random' instead.")
    return mask
