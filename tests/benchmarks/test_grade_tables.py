"""Tables and pictures of grades with rivals that are missing, or ran on fewer draws."""

import pytest

from benchmarks.render import grade as grade_tables

MEASURES = ("auc", "c_index", "mae", "qwk", "mze", "amae")


@pytest.fixture
def record():
    full = {"OrdinalRanker": [0.9, 0.8], "labelled rows only": [0.8, 0.7], "mord": []}
    bare = {"OrdinalRanker": [0.7, 0.7], "labelled rows only": [0.7, 0.7]}
    figures = {
        name: dict.fromkeys(MEASURES, areas) | {"missing": missing, "chosen": []}
        for name, areas, missing in (("one", full, {"mord": "no environment"}), ("two", bare, {}))
    }
    return {"figures": figures}


def test_a_rival_without_figures_stays_in_the_table_with_its_reason(record):
    text = grade_tables.quality(record)
    assert "| mord | not run | not run |" in text
    assert "mord has no figure on one: no environment" in text
    assert "| **0.8500** (0.8000–0.9000, 2) |" in text.replace("| OrdinalRanker ", "")


def test_gains_say_help_only_beyond_two_standard_errors(record):
    text = grade_tables.quality(record)
    assert "| one | loss and γ chosen | +0.1000 ± 0.0000 | 2 up, 0 down of 2 | help |" in text
    assert "| two | loss and γ chosen | +0.0000 ± 0.0000 | 0 up, 0 down of 2 | never chosen |" in text
    assert "| one | squared loss | not run | – | – |" in text


def test_measures_of_real_sets_mark_the_best(record):
    text = grade_tables.real(record)
    assert "| one | mord | not run | not run | not run | not run | not run | not run | 0 |" in text
    # Less is better for MAE, so the second method's figure is the bold one there.
    assert "| one | labelled rows only | 0.750 | 0.750 | **0.750** | 0.750 | **0.750** | **0.750** | 2 |" in text


def test_pictures_cope_with_missing_rivals(record, tmp_path):
    grade_tables.draw_quality(record["figures"]).savefig(tmp_path / "quality.svg")
    assert "not run" in (tmp_path / "quality.svg").read_text("utf-8")
    points = {
        "exact": [{"unlabelled": 10, "seconds": 1.0, "grown_mib": 2.0}],
        "M-SAMULT": [{"unlabelled": 10, "stopped": "full"}],
    }
    grade_tables.draw_size(points).savefig(tmp_path / "size.svg")
    assert "exact" in (tmp_path / "size.svg").read_text("utf-8")


def test_defaults_are_shown_as_gaps_to_the_best_peer_over_the_draws_that_all_have():
    def found(*areas):
        return {str(seed): {"auc": area, "seconds": 2.0} for seed, area in enumerate(areas)}

    methods = {"mord": found(0.80, 0.82), "OrdinalRanker()": found(0.82), "OrdinalRanker() before": found(0.79)}
    text = grade_tables.defaults({"figures": {"one": methods, "two": {"mord": {}}}})
    assert "| one | 0.7900 | 0.8200 | 0.8000 (mord) | -0.0100 | +0.0200 | 1.0 × | 1 |" in text
    assert "behind by more than 0.003: none" in text


def test_steps_beside_the_minimiser_are_means_over_draws_and_a_run_that_diverges_says_so():
    def draw(area, points):
        return {"λ": {"regularization": 0.5, "exact": {"auc": area, "seconds": 1.0}, "points": points}}

    def point(steps, area, error):
        return {"steps": steps, "auc": area, "error": error, "seconds": 2.0, "numbers_kept": 128 * steps}

    sound = [draw(0.9, [point(10, 0.7, 0.5)]), draw(0.8, [point(10, 0.8, 0.1)])]
    lost = [draw(0.9, [point(10, 0.5, 9e5), {"steps": 80, "diverged": "not finite"}])]
    rows = grade_tables.step_rows({"one": sound, "two": lost})
    assert rows == [
        ["one", "λ, 0.5", "exact minimiser", "–", "0.8500", "0", "1.00", "–"],
        ["one", "λ, 0.5", "QS³ORAO, Algorithm 1", "10", "0.7500", "0.300", "2.00", "1,280"],
        ["two", "λ, 0.5", "exact minimiser", "–", "0.9000", "0", "1.00", "–"],
        ["two", "λ, 0.5", "QS³ORAO, Algorithm 1", "–", "diverges in 1 of 1 draws", "–", "–", "–"],
    ]
