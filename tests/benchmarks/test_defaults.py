"""The defaults table: gaps that are positive where we are ahead, and the rule by which a default may change."""

import pytest

from benchmarks.peers.defaults import row, verdict
from benchmarks.render import stream as stream_tables
from benchmarks.render import versus as defaults_tables


def test_gaps_are_positive_where_we_are_ahead():
    better = row("recommend", "Our()", "a", "NDCG@10", 0.33, ("peer", 0.30), 0.30)
    assert better["gap"] == pytest.approx(0.1) and better["gap_before"] == pytest.approx(0.0)
    less_error = row("stream", "Our()", "a", "progressive MAE", 0.9, ("peer", 1.0), 1.2)
    assert less_error["gap"] == pytest.approx(0.1) and less_error["gap_before"] == pytest.approx(-0.2)
    assert less_error["change"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("measure", "before", "ours", "kept"),
    [
        ("NDCG@10", (0.30, 0.30), (0.36, 0.295), True),
        ("NDCG@10", (0.30, 0.30), (0.36, 0.290), False),
        ("NDCG@10", (0.30, 0.30), (0.299, 0.299), False),
        ("AUC", (0.90, 0.90), (0.95, 0.898), True),
        ("AUC", (0.90, 0.90), (0.95, 0.896), False),
    ],
)
def test_a_default_may_change_if_the_mean_gains_and_no_set_loses_more(measure, before, ours, kept):
    rows = [row("job", "Our()", f"set {n}", measure, b, ("peer", before[n]), before[n]) for n, b in enumerate(ours)]
    assert verdict(rows)["keeps_the_rule"] is kept


def test_the_page_names_what_is_behind():
    rows = [row("stream", "Our()", "thin", "test MAE", 1.1, ("river", 1.0), None)]
    told = verdict(rows)
    assert told["behind"] == ["thin, test MAE (-10.0%)"] and "keeps_the_rule" not in told
    shown = defaults_tables.gaps({"figures": {"rows": rows, "estimators": {"Our()": told}}})
    assert (
        "behind by more than the margin: thin, test MAE (-10.0%)" in shown
        and "| thin | test MAE | – | 1.1000 |" in shown
    )


def test_constants_are_judged_on_the_set_that_did_not_choose_them():
    methods = {"RatingStream()": {"progressive": 1.0, "test": 1.0, "per_second": 5}}
    methods["ExpertRatingStream()"] = methods["RatingStream()"]
    one = {"ratings": 10, "methods": methods}
    sets = {"a": one | {"grid_errors": [0.9, 1.0]}, "b": one | {"grid_errors": [1.1, 1.0]}}
    figures = {"grid": {"delta": [0.1, 0.2]}, "default": [0.2], "sets": sets}
    shown = stream_tables.defaults({"figures": figures})
    assert "| a | 0.2 | +0.00% | +0.00% |" in shown
    assert "| b | 0.1 | -10.00% | +10.00% |" in shown
