"""Functions of the benchmarks answer from another process, and what goes wrong there is one line here."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import processes
from benchmarks.peers.workers import Worker


def test_an_answer_is_what_the_function_returns():
    assert processes.ask("render:number", value=12.3456, digits=2) == "12.35"


def test_a_process_is_another_one_and_stays_for_several_calls():
    with processes.Process() as process:
        first = process.ask("processes:peak_mib")
        assert 0 < first <= process.ask("processes:peak_mib")
        assert process._process.pid != os.getpid()


def test_blas_is_bounded_and_the_peers_do_not_see_our_package():
    ours, peers = processes.environment(), processes.environment(peers=True, blas=1)
    assert (ours["OPENBLAS_NUM_THREADS"], peers["OPENBLAS_NUM_THREADS"]) == ("2", "1")
    assert str(processes.ROOT / "src") in ours["PYTHONPATH"]
    assert str(processes.ROOT / "src") not in peers["PYTHONPATH"]


@pytest.mark.parametrize(
    ("function", "parameters", "said"),
    [
        ("render:number", {"digits": 2}, "TypeError: number"),
        ("no_such_module:f", {}, "ModuleNotFoundError"),
        ("run:time", {}, "TypeError: 'module' object is not callable"),
    ],
)
def test_what_is_raised_there_is_one_line_here(function, parameters, said):
    with processes.Process() as process:
        with pytest.raises(processes.Failed, match=said):
            process.ask(function, **parameters)
        assert process.ask("render:number", value=1, digits=0) == "1"


def test_a_process_that_dies_leaves_its_last_words():
    dies = ("sh", "-c", "echo no memory left >&2; exit 1", "sh")
    with pytest.raises(processes.Failed, match="no memory left"):
        processes.ask("render:number", prefix=dies, value=1)


@pytest.mark.jit
def test_a_worker_fits_in_its_own_process_and_gives_factors_or_the_reason():

    cells = sp.csr_array((np.random.default_rng(0).random((60, 30)) < 0.2).astype(np.float32))
    with Worker("tacit", cells, threads=1) as worker:
        good, bad = worker.fit(save=True, factors=4, iterations=2), worker.fit(factors=-1)
    assert [part.shape for part in good["factors"]] == [(60, 4), (30, 4)]
    assert good["seconds"] > 0 and good["peak_mib"] > 20
    assert bad["error"].startswith("InputError: factors")


def test_memory_counts_this_process_alone():
    """A child of a large parent does not inherit the parent's peak, and ``forget_peak`` forgets what was freed."""
    held = np.ones(30_000_000)
    code = (
        "from benchmarks.processes import forget_peak, peak_mib; a = peak_mib(); x = bytearray(80 << 20); "
        "b = peak_mib(); del x; forget_peak(); print(a, b, peak_mib())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=processes.ROOT, capture_output=True, text=True, check=True)
    before, peak, after = map(float, done.stdout.split())
    assert held.sum() > 0
    assert before < 100
    assert peak > before + 70
    assert after < before + 40
