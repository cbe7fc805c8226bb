"""The thread pool: order, errors, nesting, forks, and the limit on BLAS."""

import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from tacit import threads
from tacit.errors import InputError


@given(n=st.integers(0, 40), workers=st.integers(1, 6))
def test_results_come_in_chunk_order(n, workers):
    assert threads.run(lambda k: k * k, [(k,) for k in range(n)], workers) == [k * k for k in range(n)]


def test_sums_have_the_same_bits_at_any_number_of_threads(rng):
    values = rng.standard_normal(100_003).astype(np.float32)

    def total(workers):
        parts = threads.run(lambda a, b: values[a:b].sum(), threads.even_chunks(len(values), 1000), workers)
        whole = np.float32(0)
        for part in parts:
            whole += part
        return whole.tobytes()

    assert len({total(workers) for workers in (1, 2, 3, 7)}) == 1


def test_at_most_so_many_calls_run_at_once():
    running, most, lock = 0, 0, threading.Lock()
    step = threading.Barrier(3, timeout=5)

    def watch(_):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        step.wait()  # passes only when three calls are here together
        with lock:
            running -= 1

    threads.run(watch, [(k,) for k in range(9)], 3)
    assert most == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_the_first_error_in_chunk_order_is_raised_and_nothing_new_begins(workers):
    begun = []

    def fail(k):
        begun.append(k)
        if k >= 3:
            raise ValueError(k)

    with pytest.raises(ValueError, match=r"^3$"):
        threads.run(fail, [(k,) for k in range(1000)], workers)
    assert len(begun) < 20
    assert threads.run(lambda k: k, [(1,), (2,)], workers) == [1, 2]


def test_a_run_within_a_run_does_not_wait_for_itself():
    def inner(k):
        return sum(threads.run(lambda j: j, [(j,) for j in range(5)], 4)) + k

    assert threads.run(inner, [(k,) for k in range(8)], 2) == [10 + k for k in range(8)]


def test_runs_of_several_threads_share_the_pool():
    found = {}

    def caller(number):
        found[number] = threads.run(lambda k: k + number, [(k,) for k in range(50)], 2 + number)

    callers = [threading.Thread(target=caller, args=(number,)) for number in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join(timeout=10)
    assert found == {number: [k + number for k in range(50)] for number in range(4)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_gets_a_pool_of_its_own():
    threads.run(lambda k: k, [(1,), (2,)], 2)
    child = os.fork()
    if child == 0:
        os._exit(0 if threads.run(lambda k: k, [(1,), (2,), (3,)], 2) == [1, 2, 3] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@given(lengths=st.lists(st.integers(0, 50), max_size=60), most=st.integers(1, 10), row_cost=st.floats(0, 5))
def test_balanced_chunks_cover_every_row_once(lengths, most, row_cost):
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    chunks = threads.balanced_chunks(indptr, row_cost, most)
    assert [row for a, b in chunks for row in range(a, b)] == list(range(len(lengths)))
    assert len(chunks) <= most
    assert all(a < b for a, b in chunks)


def test_balanced_chunks_balance():
    indptr = np.arange(1001, dtype=np.int64) * 3
    sizes = [b - a for a, b in threads.balanced_chunks(indptr, most=10)]
    assert sizes == [100] * 10


@pytest.mark.parametrize("bad", [-1, 1.5, "two", True])
def test_threads_must_be_a_whole_number(bad):
    with pytest.raises(InputError, match="threads must be 0"):
        threads.resolve(bad)


@pytest.mark.parametrize("all_cores", [0, None])
def test_nothing_means_all_cores(all_cores):
    assert threads.resolve(all_cores) == threads.available() >= 1


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_is_held_to_one_thread_until_the_last_one_leaves():
    threads.run(lambda k: k, [(1,), (2,)], 2)  # loads every BLAS there is
    before = blas_threads()
    entered, leave = threading.Event(), threading.Event()

    def overlap():
        with threads.single_threaded_blas():
            entered.set()
            leave.wait(timeout=10)

    other = threading.Thread(target=overlap)
    with threads.single_threaded_blas():
        with threads.single_threaded_blas():
            assert blas_threads() == {1}
        other.start()
        assert entered.wait(timeout=10)
    assert blas_threads() == {1}
    leave.set()
    other.join(timeout=10)
    assert blas_threads() == before


def test_blas_is_held_from_any_thread_and_whoever_set_a_limit_before():
    found = {}

    def work():
        with threads.single_threaded_blas():
            found["inside"] = blas_threads()

    with threadpool_limits(2, user_api="blas"):
        for _ in range(2):
            other = threading.Thread(target=work)
            other.start()
            other.join(timeout=10)
            assert found.pop("inside") == {1}
            assert blas_threads() == {2}
    with threads.single_threaded_blas():
        assert blas_threads() == {1}


def test_libraries_with_a_limit_per_thread_are_limited_in_the_pool(monkeypatch):
    class Library:
        def __init__(self, internal_api, threading_layer):
            self.internal_api, self.threading_layer, self.limits = internal_api, threading_layer, []

        def set_num_threads(self, number):
            self.limits.append(number)

    libraries = [Library("mkl", "intel"), Library("openblas", "openmp"), Library("openblas", "pthreads")]
    monkeypatch.setattr(threads, "_blas_libraries", lambda: libraries)
    threads._limit_own_blas()
    assert [library.limits for library in libraries] == [[1], [1], []]
