"""What every estimator promises, run on each case of the registry."""

import functools
import inspect
import os
import signal
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import tacit
from tacit.errors import InputError, ModelFileError
from tacit.progress import InterruptedFitWarning
from tests.contract.registry import CASES, Case

pytestmark = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def fresh(case: Case, **parameters):
    return case.make(**parameters)


def data(case: Case, seed=0):
    return case.data(np.random.default_rng(seed))


@functools.cache
def fitted(case: Case):
    """One model that tests may ask and save, and must leave as it is."""
    return fresh(case).fit(*data(case))


def answer(case: Case, model, arguments) -> bytes:
    return np.ascontiguousarray(case.ask(model, arguments)).tobytes()


def snapshot(arguments):
    """Bytes of every array inside the arguments, to see whether fit changed them."""
    found = []
    for argument in arguments:
        matrix = getattr(argument, "matrix", argument)
        parts = [getattr(matrix, name) for name in ("data", "indices", "indptr") if hasattr(matrix, name)]
        arrays = [part for part in parts if isinstance(part, np.ndarray)] or (
            [matrix] if isinstance(matrix, np.ndarray) else []
        )
        found += [array.tobytes() for array in arrays]
    return found


def test_constructor_only_stores(case):
    model = fresh(case)
    for name in inspect.signature(type(model).__init__).parameters:
        if name != "self":
            assert hasattr(model, name), f"{name} is not kept under its own name"
    assert not any(name.endswith("_") for name in vars(model))


def test_clone_has_equal_parameters_and_is_not_fitted(case):
    model = fitted(case)
    copy = clone(model)
    # Estimators inside an estimator are copied too; they are equal when they print alike.
    assert repr(copy.get_params()) == repr(model.get_params())
    with pytest.raises(NotFittedError, match="call fit"):
        copy.save("nowhere")


def test_fit_returns_itself_and_does_not_change_its_input(case):
    arguments = data(case)
    before = snapshot(arguments)
    model = fresh(case)
    assert model.fit(*arguments) is model
    assert snapshot(arguments) == before


def test_same_seed_same_bits(case):
    arguments = data(case)
    assert answer(case, fresh(case).fit(*arguments), arguments) == answer(case, fitted(case), arguments)


def test_fitting_again_forgets_the_first_fit(case):
    first, second = data(case, 1), data(case, 0)
    model = fresh(case).fit(*first).fit(*second)
    assert answer(case, model, second) == answer(case, fitted(case), second)


def test_same_bits_at_any_number_of_threads(case):
    if "threads" not in fresh(case).get_params():
        pytest.skip("works on one thread by nature")
    arguments = data(case)
    one = fresh(case, threads=1).fit(*arguments)
    three = fresh(case, threads=3).fit(*arguments)
    assert answer(case, one, arguments) == answer(case, three, arguments)


def test_saved_and_loaded_answers_alike(case, tmp_path):
    arguments, model = data(case), fitted(case)
    model.save(tmp_path / "model.tacit")
    loaded = tacit.load(tmp_path / "model.tacit")
    assert type(loaded) is type(model)
    assert answer(case, loaded, arguments) == answer(case, model, arguments)
    loaded.save(tmp_path / "again.tacit")
    assert (tmp_path / "again.tacit").read_bytes() == (tmp_path / "model.tacit").read_bytes()


def test_equal_models_are_equal_files(case, tmp_path):
    for name, model in (("one", fitted(case)), ("two", fresh(case).fit(*data(case)))):
        model.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused(case, tmp_path, part):
    fitted(case).save(tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ModelFileError):
        tacit.load(tmp_path / "cut")


def test_saving_into_a_missing_folder_names_it(case, tmp_path):
    with pytest.raises(InputError, match="missing"):
        fitted(case).save(tmp_path / "missing" / "model")


def test_empty_input_is_refused_in_one_sentence(case):
    with pytest.raises((InputError, ValueError)) as caught:
        fresh(case).fit(*case.empty())
    assert "\n" not in str(caught.value).strip()


def test_interrupt_keeps_what_was_learned(case):
    model = fresh(case)
    if "callback" not in model.get_params():
        pytest.skip("has no long loop to interrupt")
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread only")
    arguments = data(case)
    model.set_params(**case.long(1000), callback=lambda record: os.kill(os.getpid(), signal.SIGINT))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*arguments)
    assert any(issubclass(warning.category, InterruptedFitWarning) for warning in caught)
    assert len(model.history_) == case.loops
    assert np.asarray(case.ask(model, arguments)).size


def test_callback_sees_every_record_and_can_stop(case):
    model = fresh(case)
    if "callback" not in model.get_params():
        pytest.skip("has no long loop")
    seen = []
    model.set_params(**case.long(50), callback=lambda record: seen.append(record) or len(seen) % 2 == 0)
    model.fit(*data(case))
    assert len(seen) == 2 * case.loops


@pytest.mark.parametrize("wrong", [-1, 2.5, "many"])
def test_wrong_threads_are_refused(case, wrong):
    if "threads" not in fresh(case).get_params():
        pytest.skip("works on one thread by nature")
    with pytest.raises(InputError, match="threads"):
        fresh(case, threads=wrong).fit(*data(case))
