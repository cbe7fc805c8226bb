"""Checkpoints: killed fits resume to the same bits, and a damaged file is refused before training touches it."""

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import model_file
from tacit.errors import InputError
from tests.fuzz.trials import run_module, trials

POSITIVES = sp.random_array((12, 9), density=0.4, rng=np.random.default_rng(0), format="csr")


def fit(path, solver="adagrad"):
    model = tacit.FactorRecommender(factors=2, iterations=3, solver=solver, held_out=0.2, patience=9, checkpoint=path)
    return model.fit(POSITIVES)


def halved(array):
    return array[: len(array) // 2]


DAMAGES = {
    "no fingerprint": lambda state, arrays: state.pop("fingerprint"),
    "another fingerprint": lambda state, arrays: state.update(fingerprint="x"),
    "no history": lambda state, arrays: state.pop("history"),
    "a history of nothing": lambda state, arrays: state.update(history=[{}]),
    "a history without what was watched": lambda state, arrays: state["history"][0].pop("held_out_ndcg"),
    "an objective that is text": lambda state, arrays: state["history"][0].update(objective="1"),
    "no rows": lambda state, arrays: arrays.pop("rows"),
    "fewer rows": lambda state, arrays: arrays.update(rows=halved(arrays["rows"])),
    "one row for all": lambda state, arrays: arrays.update(rows=arrays["rows"][:1]),
    "rows of another type": lambda state, arrays: arrays.update(rows=arrays["rows"].astype(np.float64)),
    "NaN": lambda state, arrays: arrays.update(cols=arrays["cols"] * np.nan),
    "half of the best sweep": lambda state, arrays: arrays.pop("best rows"),
    "a solver of other blocks": lambda state, arrays: arrays.update({"solver x": np.zeros(1)}),
    "a solver that remembers less": lambda state, arrays: arrays.update(
        {name: halved(array) for name, array in arrays.items() if name.startswith("solver rows")}
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused_in_one_sentence(tmp_path, damage):
    path = tmp_path / "checkpoint"
    fit(path)
    kind, state, arrays = model_file.read(path)
    DAMAGES[damage](state, arrays)
    model_file.write(path, kind, state, arrays)
    with pytest.raises(InputError, match=r"checkpoint.*delete") as caught:
        tacit.FactorRecommender(
            factors=2, iterations=5, solver="adagrad", held_out=0.2, patience=9, checkpoint=path
        ).fit(POSITIVES)
    assert "\n" not in str(caught.value)


def test_a_fit_that_resumes_says_after_which_sweep(tmp_path, capsys):
    path = tmp_path / "checkpoint"

    def stop_after(sweeps):
        return lambda record: record["iteration"] == sweeps

    def told(**options):
        tacit.FactorRecommender(factors=2, iterations=3, checkpoint=path, **options).fit(POSITIVES)
        return capsys.readouterr().err

    assert told(callback=stop_after(2)) == ""
    assert told(progress=False, callback=stop_after(3)) == ""
    assert "has all 3 sweeps already; nothing is left to train" in told()
    path.unlink()
    told(callback=stop_after(2))
    assert f"goes on after sweep 2 of 3, from the checkpoint {str(path)!r}." in told()


@pytest.mark.slow
def test_fits_that_are_killed_resume_to_the_same_bits():
    run_module("tests.fuzz.checkpoints", trials(2))
