"""The cost model of a cluster finds the constants of runs that follow it."""

import pytest

from benchmarks.render.scaling import ClusterSweep, Sweep, moved

SIZES = [(1000, 200, 5e4, 16, 1, 50.0), (1000, 200, 5e4, 64, 2, 50.0), (3000, 500, 2e5, 32, 3, 9.0)]
NAMES = ("rows", "columns", "positives", "factors", "workers", "mbit")


def test_constants_come_back():

    true = ClusterSweep(Sweep(3e-9, 2e-9, 0.0, 0.0, 0.0), 0.05, 1.1, 2.0)
    runs = [dict(zip(NAMES, size)) | {"processors": 2} for size in SIZES]
    for run in runs:
        run |= {"processor_seconds": true.processor(run), "traffic": true.traffic(run), "seconds": true.seconds(run)}
    found = ClusterSweep.fitted(true.one, runs)
    for name in ("per_worker", "traffic_share", "crowding"):
        assert getattr(found, name) == pytest.approx(getattr(true, name), rel=1e-6), name


def test_one_worker_sends_nothing_and_more_workers_send_more():

    run = {"rows": 100, "columns": 20, "factors": 8}
    sent = [moved(run | {"workers": workers}) for workers in (1, 2, 4)]
    # Two workers: each fetches the half that the other has.
    assert sent[0] == 0 and sent[1] == 4 * 8 * 120 and sent[2] > sent[1]


def test_workers_beyond_the_processors_take_turns():
    cost = ClusterSweep(Sweep(3e-9, 2e-9, 0.0, 0.0, 0.0), 0.0, 0.0, 1.0)
    run = {"rows": 1000, "columns": 200, "positives": 5e4, "factors": 16, "processors": 2, "mbit": 50.0}
    seconds = [cost.seconds(run | {"workers": workers}) for workers in (1, 2, 4)]
    assert seconds[0] == pytest.approx(2 * seconds[1]) and seconds[2] == seconds[1]
