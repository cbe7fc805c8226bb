"""Shared fixtures: seeded generators, the folder of real data, interrupts, and the end-of-session check on kernels."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("tacit", deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
settings.load_profile("tacit")

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def pytest_configure():
    # A shell's background jobs begin with interrupts ignored, and so would every program that a test starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    if JIT_IS_OFF:
        for item in items:
            if item.get_closest_marker("jit"):
                item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))


# Compiled signatures by kernel, over all processes of the session: pytest-xdist's workers run the tests, but only the
# controller's exit status counts, so the workers hand theirs over.
_signatures: dict[str, set[str]] = {}


def _collect(found):
    for kernel, signatures in found.items():
        _signatures.setdefault(kernel, set()).update(signatures)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    _collect(getattr(node, "workeroutput", {}).get("signatures", {}))


def pytest_sessionfinish(session, exitstatus):
    """At most two signatures per kernel over everything the session ran."""
    from tacit.kernels import _jit

    mine: dict[str, list[str]] = {}
    for kernel in _jit.REGISTER:
        if hasattr(kernel, "signatures"):
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
            # Two kernels of one function are two kernels.
            while name in mine:
                name += " again"
            mine[name] = [str(signature) for signature in kernel.signatures]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["signatures"] = mine
        return
    _collect(mine)
    many = {kernel: signatures for kernel, signatures in _signatures.items() if len(signatures) > 2}
    for kernel, signatures in many.items():
        print(f"\n{kernel} was compiled for more than two signatures: {'; '.join(sorted(signatures))}")
    if many and exitstatus == 0:
        session.exitstatus = 1


@pytest.fixture(autouse=True, scope="session")
def answers_by_kernels():
    """What NumPy would answer first (``tests/neighbours/test_first_answers.py``) is asked of the kernels."""
    from tacit.neighbours.first_answers import allowance

    allowance.end()


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real data; tests that need it skip where it is absent."""
    folder = os.environ.get("TACIT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("real data are not here: set TACIT_DATA to the folder that holds them")
    return Path(folder)
