"""Bootstrap intervals of paired differences."""

import numpy as np
import pytest
from scipy import stats

from tacit.errors import InputError
from tacit.metrics.intervals import paired_difference


def test_the_interval_is_scipys_percentile_bootstrap():
    rng = np.random.default_rng(1)
    ours, theirs = rng.gamma(2.0, size=300), rng.gamma(1.8, size=300)
    found = paired_difference(ours, theirs, resamples=4000)
    scipys = stats.bootstrap((ours - theirs,), np.mean, n_resamples=4000, method="percentile", random_state=2)
    error = stats.sem(ours - theirs)
    assert found.mean == pytest.approx((ours - theirs).mean())
    assert found.low == pytest.approx(scipys.confidence_interval.low, abs=0.2 * error)
    assert found.high == pytest.approx(scipys.confidence_interval.high, abs=0.2 * error)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(300):
        found = paired_difference(rng.normal(0.1, 1, 80), np.zeros(80), resamples=300)
        inside += found.low <= 0.1 <= found.high
    assert 0.90 <= inside / 300 <= 0.99


def test_pairing_takes_out_what_is_hard_for_both():
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 10, 500)
    lead = paired_difference(hard + 0.2 + rng.normal(0, 0.5, 500), hard)
    assert lead.verdict == "ahead"
    assert paired_difference(hard, hard + 0.2 + rng.normal(0, 0.5, 500)).verdict == "behind"
    assert paired_difference(hard, rng.permutation(hard)).verdict == "cannot tell"


def test_less_is_better_turns_the_verdict_and_nothing_else():
    rng = np.random.default_rng(6)
    errors = rng.gamma(2.0, size=300)
    more = paired_difference(errors + 0.1, errors, less_is_better=True)
    assert (more.mean, more.verdict) == (pytest.approx(0.1), "behind")
    assert paired_difference(errors, errors + 0.1, less_is_better=True).verdict == "ahead"
    assert paired_difference(errors, rng.permutation(errors), less_is_better=True).verdict == "cannot tell"


def test_one_case_cannot_tell():
    assert paired_difference([0.6], [0.5]).verdict == "cannot tell"
    assert paired_difference([0.6, 0.6], [0.5, 0.5]).verdict == "ahead"


def test_the_same_seed_gives_the_same_interval():
    scores = np.random.default_rng(5).normal(size=(2, 50))
    assert paired_difference(*scores, seed=7) == paired_difference(*scores, seed=7)
    assert paired_difference(*scores, seed=7) != paired_difference(*scores, seed=8)


@pytest.mark.parametrize(
    ("ours", "theirs", "says"),
    [
        ([1.0], [1.0, 2.0], "one score per case"),
        ([], [], "empty"),
        ([1.0, np.nan], [1.0, 2.0], "finite"),
    ],
)
def test_bad_scores_are_refused(ours, theirs, says):
    with pytest.raises(InputError, match=says):
        paired_difference(ours, theirs)
