"""Jobs beside their peers: the same answers for the same data, and verdicts that say what the figures say."""

import importlib

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import contest, processes, results
from benchmarks.contest import grade, recommend
from benchmarks.peers import versus
from benchmarks.render.versus import champions, headline, verdict, view

JOBS = ("recommend", "tag", "words", "stream", "grade")


def figures(**methods):
    rows = {
        name: {
            "measures": {"NDCG": accuracy}, "fit_seconds": 9.0, "fit_processor_seconds": seconds,
            "predict_seconds": 0.1, "peak_mib": 100.0,
        }
        for name, (accuracy, seconds) in methods.items()
    }  # fmt: skip
    return {"facts": {"rows": 10}, "measures": {"NDCG": True}, "methods": rows}


def test_verdict_ahead_in_both():
    said = verdict(figures(Tacit=(0.5, 1.0), fast=(0.3, 2.0), good=(0.4, 3.0)))
    assert said == "Tacit is ahead of every peer measured, in NDCG and in time (good takes 3.0 times as long)."


def test_verdict_names_the_shortfall_in_accuracy():
    said = verdict(figures(Tacit=(0.4, 1.0), peer=(0.45, 2.0)))
    assert said == "Tacit falls short of peer by 0.0500 in NDCG and takes 0.50 of its time."


def test_verdict_names_the_shortfall_in_time():
    said = verdict(figures(Tacit=(0.4, 4.0), peer=(0.3, 2.0), poor=(0.1, 1.0)))
    assert said.startswith("Tacit is ahead of peer, the best peer, by 0.1000 in NDCG and takes 2.00 times as long")
    assert said.endswith("faster, and less accurate: peer, poor.")


def test_verdict_where_less_is_better():
    data = figures(Tacit=(0.7, 1.0), peer=(0.8, 2.0)) | {"measures": {"NDCG": False}}
    assert "ahead of every peer" in verdict(data)


def test_the_summary_shows_our_most_accurate_where_none_is_as_accurate_as_the_best_peer():
    data = figures(**{"Tacit, quick": (0.4, 1.0), "Tacit, tuned": (0.5, 4.0), "fast": (0.3, 0.5), "good": (0.6, 2.0)})
    said = headline({"versus": {"figures": {"recommend": {"small": data}}}})
    assert said.splitlines()[-1] == "| Recommend | small | NDCG | 0.500 | 0.600 (good) | 2 × slower | tuned |"


def test_the_champion_is_accurate_enough_and_about_the_fastest():
    ours = {
        "Tacit, poor": (0.3, 0.1),
        "Tacit, plain": (0.5, 1.4),
        "Tacit, quick": (0.45, 1.0),
        "Tacit, slow": (0.9, 9.0),
    }
    assert champions(figures(**ours, peer=(0.4, 2.0))) == ("peer", "Tacit, plain")
    ours["Tacit, plain"] = (0.5, 1.6)
    assert champions(figures(**ours, peer=(0.4, 2.0))) == ("peer", "Tacit, quick")
    ours["Tacit, plain"] = (0.42, 1.4)
    assert champions(figures(**ours, peer=(0.4, 2.0))) == ("peer", "Tacit, quick")


def test_a_method_that_is_absent_stays_in_the_table_with_its_reason():
    data = figures(Tacit=(0.5, 1.0), peer=(0.4, 2.0))
    data["methods"]["big"] = {"absent": "too large"}
    (table,) = view("recommend")({"recommend": {"small": data}})
    assert [row[0] for row in table.rows] == ["Tacit", "peer", "big"]
    assert "big: too large." in table.notes
    assert all(len(row) == len(table.headings) for row in table.rows)
    assert table.rows[1][3] == "2.00"


@pytest.mark.parametrize("job", JOBS)
def test_every_job_has_sizes_measures_and_methods_of_ours_and_of_others(job):
    module = importlib.import_module(f"benchmarks.contest.{job}")
    assert len(module.SIZES) == 3
    assert module.MEASURES
    ours = [name for name in module.METHODS if name.startswith("Tacit")]
    assert ours
    assert len(module.METHODS) > len(ours)
    assert all(size in module.SIZES for method in module.METHODS.values() for size in method.absent)


@pytest.mark.jit
def test_a_task_answers_measured_in_a_process_of_its_own(tmp_path):
    rng = np.random.default_rng(0)
    cells = sp.csr_array((rng.random((60, 30)) < 0.2).astype(np.float32))
    for part in ("main", "small"):
        contest.save(tmp_path, part, train=cells, rows=np.arange(20), test=cells[:20])
    request = {"job": "recommend", "method": "Tacit FactorRecommender", "folder": str(tmp_path), "part": "main"}
    request |= {"points": [{}, {"regularization": -1.0}], "threads": 1}
    good, bad = processes.ask("contest:run", **request)
    assert good["fit_seconds"] > 0
    assert 20 < good["peak_mib"] < 2000
    assert bad["error"].startswith("InputError: regularization")
    answers = np.load(tmp_path / "answers-0.npy")
    assert answers.shape == (20, 10)
    assert not (cells.toarray()[np.arange(20)[:, None], answers] > 0).any()


def test_lists_from_scores_are_the_best_ten_in_order():
    scores = np.random.default_rng(0).random((2500, 40))
    found = recommend.in_blocks(np.arange(2500), lambda rows: scores[rows])
    np.testing.assert_array_equal(found, np.argsort(-scores, axis=1)[:, :10])


def test_what_is_new_is_kept_beside_what_was_there(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    versus.keep("versus", "grade", "diamonds", {"rows": 1}, {"mord LogisticAT": {"fit_seconds": 1}}, grade)
    versus.keep("versus", "grade", "car", {"rows": 2}, {"Tacit OrdinalRanker": {"fit_seconds": 2}}, grade)
    versus.keep("versus", "grade", "car", {}, {"skordinal SVOR": {"fit_seconds": 3}}, grade)
    found = results.read("versus")["figures"]["grade"]
    assert list(found) == ["car", "diamonds"]
    assert list(found["car"]["methods"]) == ["Tacit OrdinalRanker", "skordinal SVOR"]
    assert found["car"]["facts"] == {"rows": 2}
