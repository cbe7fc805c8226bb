"""Measures that workers make are those of one process."""

from importlib import import_module

import pytest

import tacit
import tacit.cluster
from tacit.errors import InputError
from tacit.metrics import evaluate

pytestmark = pytest.mark.jit


@pytest.mark.parametrize("make", [lambda: tacit.FactorRecommender(4, iterations=1), tacit.LinearRecommender])
def test_same_measures_as_one_process(client, files, tmp_path, monkeypatch, make):
    # Several ranges of rows and several batches, although the files are small.
    module = import_module("tacit.cluster.evaluate")
    monkeypatch.setattr(module, "ROWS_PER_RANGE", 500)
    monkeypatch.setattr(module, "BATCH", 400)
    monkeypatch.setattr("tacit.metrics.evaluation.BATCH", 400)
    columns = {"row": "who", "col": "what"}
    model = make().fit(tacit.Interactions.from_table(files / "part-0.parquet", **columns))
    model.save(tmp_path / "model")
    held_out = [files / "part-1.parquet", files / "part-2.parquet"]
    how = {"k": [3, 10], "metrics": ["ndcg", "recall", "coverage", "novelty"]}
    many = tacit.cluster.evaluate(client, tmp_path / "model", held_out, **columns, **how)
    test = tacit.Interactions.from_table(str(files / "part-[12].parquet"), **columns)
    test = test.aligned(model.row_ids_, model.col_ids_)
    one = evaluate(model, tacit.Interactions(model.seen_, model.row_ids_, model.col_ids_), test, **how)
    assert dict(many) == dict(one)
    assert (many.users, many.left_out) == (one.users, one.left_out)


def test_bad_input_is_one_sentence(client, files, tmp_path):
    tacit.RatingStream().partial_fit(["a"], ["b"], [1.0]).save(tmp_path / "stream")
    with pytest.raises(InputError, match="is not a recommender that keeps its positives"):
        tacit.cluster.evaluate(client, tmp_path / "stream", files / "part-0.parquet", row="who", col="what")
    data = tacit.Interactions.from_table(files / "part-0.parquet", row="who", col="what")
    tacit.FactorRecommender(2, iterations=1).fit(data).save(tmp_path / "model")
    with pytest.raises(InputError, match="the model knows none of these pairs as new ones"):
        tacit.cluster.evaluate(client, tmp_path / "model", files / "part-0.parquet", row="who", col="what")
