"""Notebooks: results and models as tidy tables, progress as in a terminal."""

import sys
import types

import numpy as np

import tacit
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend.tune import Tuned
from tacit.metrics.ranking import Evaluation
from tacit.progress import Run, is_watched
from tests.report.pages import checked

CELLS = (np.random.default_rng(0).random((12, 6)) < 0.4).astype(np.float32)


def test_results_are_tidy_tables_and_strangers_text_is_text():
    ranked = Ranked(np.array(["<i>ann"]), np.array([["<b>tea", None]], object), np.array([[0.9, np.nan]]),
                    np.array([[True, False]]))  # fmt: skip
    assert "query rank id score <i>ann 1 <b>tea 0.9000" in checked(ranked._repr_html_())
    shown = checked(Evaluation({"ndcg@10": 0.25}, users=8, left_out=2)._repr_html_())
    assert "ndcg@10 0.2500" in shown and "8 users" in shown
    tuned = Tuned(tacit.FactorRecommender(), {"factors": 64}, 0.5, [{}, {}], {})
    assert "best of 2 trials" in checked(tuned._repr_html_()) and "factors 64" in checked(tuned._repr_html_())


def test_models_say_what_differs_and_what_was_learned():
    model = tacit.FactorRecommender(factors=3, iterations=1, progress=False)
    assert "not fitted" in checked(model._repr_html_())
    fitted = model.fit(tacit.Interactions.from_matrix(CELLS))
    shown = checked(fitted._repr_mimebundle_()["text/html"])
    assert "FactorRecommender fitted factors 3 iterations 1" in shown and "row_ids_ 12" in shown
    assert "all by default" in checked(tacit.RatingStream()._repr_html_())


def test_long_tables_are_cut():
    many = Ranked(np.arange(50), np.zeros((50, 1), int), np.zeros((50, 1)), np.ones((50, 1), bool))
    assert "and 30 more rows" in checked(many._repr_html_())


def test_progress_is_shown_in_a_notebook(monkeypatch):
    kernel = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setattr("tacit.progress.find_spec", lambda name: None)
    assert is_watched() == sys.stderr.isatty(), "bars in a notebook need ipywidgets"
    monkeypatch.setattr("tacit.progress.find_spec", lambda name: object())
    assert is_watched()
    assert Run("fit", 1)._show
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace()))
    assert is_watched() == sys.stderr.isatty()
