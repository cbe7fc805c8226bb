"""The cost model finds the constants of times and sizes that follow it."""

import pytest

from benchmarks.render.scaling import SHARE, Sweep, slope


def figures(positives_cost, row_cost, base, positive_bytes, row_bytes):
    rows, columns = 1000, 200
    table = [
        {
            "positives": p,
            "factors": g,
            "tacit": {
                "sweep_seconds": positives_cost * p * g + row_cost * 1200 * g**2,
                "peak_mib": (base + positive_bytes * p + row_bytes * 1200 * g) / 2**20,
            },
        }
        for p, g in ((5e4, 16), (5e4, 64), (1e5, 32), (2e5, 128))
    ]
    return {"rows": rows, "columns": columns, "table": table}


def test_constants_come_back():

    cost = Sweep.fitted(figures(3e-9, 2e-9, 2e8, 40.0, 8.0))
    assert (cost.per_positive, cost.per_row) == pytest.approx((3e-9, 2e-9), rel=1e-6)
    assert (cost.base_bytes, cost.positive_bytes, cost.row_bytes) == pytest.approx((2e8, 40.0, 8.0), rel=1e-6)


def test_what_is_held_fills_the_memory_and_not_more():

    cost = Sweep(1e-9, 1e-9, 3e8, 60.0, 8.0)
    rows = cost.rows_held(8e9, 64, per_row=50, rows_per_column=10)
    assert cost.bytes(rows, rows / 10, 50 * rows, 64) == pytest.approx(8e9 * SHARE)


def test_no_constant_is_negative():

    assert slope([(1.0, 5.0), (2.0, 4.0), (3.0, 3.0)])[1] == 0.0
