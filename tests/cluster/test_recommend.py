"""Lists that workers write are those that the model gives."""

import polars as pl
import pytest

import tacit
import tacit.cluster
from tacit.errors import InputError

pytestmark = pytest.mark.jit


def test_same_lists_as_the_model(client, parts, tmp_path):
    data = tacit.Interactions.from_table(parts, row="who", col="what")
    model = tacit.FactorRecommender(4, iterations=1).fit(data)
    model.save(tmp_path / "model")
    names = tacit.cluster.recommend(client, tmp_path / "model", tmp_path, k=3, rows_per_part=400)
    assert [name.name for name in names] == [f"part-{place:05}.parquet" for place in range(4)]
    assert pl.read_parquet(names).equals(model.recommend(model.row_ids_.all(), k=3).to_polars())


def test_bad_input_is_one_sentence(client, parts, tmp_path):
    with pytest.raises(InputError, match="does not exist; create it first"):
        tacit.cluster.recommend(client, "model", tmp_path / "none" / "lists")
    tacit.RatingStream().partial_fit(["a"], ["b"], [1.0]).save(tmp_path / "stream")
    with pytest.raises(InputError, match="is not a recommender"):
        tacit.cluster.recommend(client, tmp_path / "stream", tmp_path)
