"""Shared fixtures: seeded generators, the folder of real data, and the end-of-session check on kernels."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("tacit", deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
settings.load_profile("tacit")

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def pytest_collection_modifyitems(items):
    if JIT_IS_OFF:
        for item in items:
            if item.get_closest_marker("jit"):
                item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))


def pytest_sessionfinish(session, exitstatus):
    """At most two signatures per kernel over everything this process ran."""
    from tacit.kernels import _jit

    many = [d.py_func.__name__ for d in _jit.REGISTER if len(getattr(d, "signatures", ())) > 2]
    if many and exitstatus == 0:
        print(f"\nkernels with more than two compiled signatures: {', '.join(many)}")
        session.exitstatus = 1


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
