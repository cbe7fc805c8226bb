"""Any number of threads ask, learn and save the same model at once; run on each case of the registry.

``TACIT_SECONDS=60 pytest tests/contract/test_threads.py`` runs every case for a minute in eight threads.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tacit
from tacit.errors import InputError
from tacit.estimators.concurrency import learns
from tests.contract.registry import CASES

SECONDS = float(os.environ.get("TACIT_SECONDS", "0.3"))
CALLS_A_SECOND = 20

pytestmark = [pytest.mark.jit, pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)]


def data(case, seed):
    return case.data(np.random.default_rng(seed))


def answer(case, model):
    return np.ascontiguousarray(case.ask(model, data(case, 0))).tobytes()


def fitted(case):
    parameters = {"threads": 1} if "threads" in case.make().get_params() else {}
    return case.make(**parameters).fit(*data(case, 0))


def in_order(case, model, log):
    """A call that learns and notes its number where it is its turn: the order in which calls were taken."""
    if hasattr(model, "state_"):
        own, inner = threading.local(), model.state_.stream.learn

        def noted(*arguments):
            log.append(own.number)
            return inner(*arguments)

        model.state_.stream.learn = noted

        def learn(number):
            own.number = number
            case.learn(model, data(case, number))

        return learn

    def body(draft, number):
        log.append(number)
        case.learn(draft, data(case, number))

    step = learns(body)
    return lambda number: step(model, number)


def test_what_eight_threads_see_is_what_one_would_have_seen(case, tmp_path):
    """Every answer, also of a saved file, is that of some moment of a serial run of the calls in their order."""
    model, log, seen = fitted(case), [], set()
    learn = in_order(case, model, log)
    numbers = iter(range(1, 10 + int(CALLS_A_SECOND * SECONDS)))
    ends = time.monotonic() + SECONDS

    def turns():
        """At least one, however late a thread begins."""
        yield
        while time.monotonic() < ends:
            yield

    def learner():
        for _, number in zip(turns(), numbers):
            learn(number)

    def asker():
        for _ in turns():
            seen.add(answer(case, model))

    def saver(name):
        for _ in turns():
            model.save(tmp_path / name)
            seen.add(answer(case, tacit.load(tmp_path / name)))

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(learner), pool.submit(learner), pool.submit(saver, "one"), pool.submit(saver, "two")]
            for job in [*jobs, *(pool.submit(asker) for _ in range(4))]:
                job.result()
    finally:
        sys.setswitchinterval(switch)

    twin, known = fitted(case), set()
    known.add(answer(case, twin))
    for number in log:
        case.learn(twin, data(case, number))
        known.add(answer(case, twin))
    assert log
    assert seen <= known
    model.save(tmp_path / "many")
    twin.save(tmp_path / "serial")
    assert (tmp_path / "many").read_bytes() == (tmp_path / "serial").read_bytes()


def test_a_call_that_fails_changes_nothing(case):
    model = fitted(case)
    before = answer(case, model)
    with pytest.raises((InputError, ValueError)):
        model.fit(*case.empty())
    assert answer(case, model) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_goes_on_while_threads_of_its_parent_learn(case):
    model, stop = fitted(case), threading.Event()
    # A child that is forked while a thread compiles or imports finds their locks held for ever.
    case.learn(model, data(case, 1))
    answer(case, model)

    def learner():
        while not stop.is_set():
            case.learn(model, data(case, 1))

    thread = threading.Thread(target=learner)
    thread.start()
    try:
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                answer(case, model)
                case.learn(model, data(case, 2))
                os._exit(0 if np.isfinite(case.ask(model, data(case, 0))).all() else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
    finally:
        stop.set()
        thread.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_questions_from_an_event_loop(case):
    model = fitted(case)
    expected = answer(case, model)

    async def ask():
        return await asyncio.gather(*(asyncio.to_thread(answer, case, model) for _ in range(6)))

    assert set(asyncio.run(ask())) == {expected}
