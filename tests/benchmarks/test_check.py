"""The guard: which losses count, and what the roof of a kernel is."""

import pytest

from benchmarks.machine import kernel_work, roofline
from benchmarks.machine.check import lost


def test_a_loss_of_more_than_a_fifth_counts_and_a_gain_does_not():
    last = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert lost({"a": 0.81, "b": 4.0, "c": 2.5}, last) == {}
    found = lost({"a": 0.79, "b": 1.0, "c": 3.0}, last)
    assert list(found) == ["a", "b"]
    assert found["b"] == "b fell from 2 to 1, by 50 %"


def test_what_is_no_longer_measured_counts_and_what_is_new_does_not():
    assert lost({"new": 0.1}, {"old": 1.0}) == {"old": "old was not measured"}


def test_the_border_belongs_to_what_is_allowed():
    assert lost({"a": 0.75}, {"a": 1.0}, loss=0.25) == {}


@pytest.mark.parametrize(("per_byte", "expected"), [(0.5, 10.0), (100.0, 50.0)])
def test_a_roof_is_the_lower_of_memory_and_operations(per_byte, expected):
    able = {"bandwidth": {"L1": 80.0, "L2": 40.0, "L3": 20.0, "memory": 8.0}, "peak": {"single": 50.0, "double": 25.0}}
    load = kernel_work.Work(per_byte * 1e6, 1e6, 8 << 20, lambda threads: None, "cells", 1)
    assert roofline.attainable(load, able) == expected
    found = roofline.share(load, per_byte * 1e6 / 1e9 / (expected / 2), able)
    assert found["share"] == pytest.approx(0.5)
    assert found["bound"] == ("L3" if per_byte == 0.5 else "operations")


def test_the_kernel_furthest_below_its_roof_is_named():
    kernels = {
        name: {"threads": {"1": {"share": 0.01, "bound": "L2"}, "2": {"share": share, "bound": "L3"}}}
        for name, share in {"a": 0.5, "b": 0.2, "c": 0.9}.items()
    }
    assert roofline.largest_loss(kernels) == {"kernel": "b", "share": 0.2, "bound": "L3"}


@pytest.mark.jit
def test_kernels_do_what_they_are_counted_for():
    """Shapes of the counted work: one tiny call of each kernel, and operations that grow with the formula."""
    tiny = {"n": 300, "m": 100, "count": 2000, "g": 8}
    for name in ("positives, one pass", "ALS, half a sweep", "Adagrad iteration"):
        load = kernel_work.KERNELS[name](**tiny)
        load.call(1)
        assert load.count <= 2000
        assert load.operations > 4 * 8 * load.count - 1
        assert load.working_set == 100 * 8 * 4
    assert kernel_work.gram(100, 8).operations == 2 * 64 * 100
