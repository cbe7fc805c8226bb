"""The guard: which losses count, which processor's ratios they are compared with, and what the roof of a kernel is."""

import json

import pytest

from benchmarks import results
from benchmarks.machine import check, kernel_work, roofline
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


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A folder of results with the ratios of an Intel, asked on a machine that says it is ``stored(name)``."""
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "command", lambda: "python -m benchmarks.machine.check")

    def on(processor, **ratios):
        monkeypatch.setattr(results, "processor", lambda: processor)
        monkeypatch.setattr(
            check, "ratios", lambda: {name: lambda value=value: value for name, value in ratios.items()}
        )

    on("Intel", speed=0.67, quality=1.5)
    check.main(["--update"])
    return on


def test_ratios_are_compared_with_those_of_the_same_processor(stored, capsys):
    stored("Intel", speed=0.36, quality=1.5)
    with pytest.raises(SystemExit, match=r"lost: speed fell from 0\.67 to 0\.36, by 46 %\."):
        check.main([])
    stored("AMD", speed=0.36, quality=1.5)
    check.main(["--update"])
    check.main([])
    assert "nothing lost: all 2 ratios are within 20 % of those stored for AMD." in capsys.readouterr().out


def test_a_processor_without_ratios_is_told_how_to_store_them(stored):
    stored("AMD", speed=0.36, quality=1.5)
    with pytest.raises(SystemExit, match=r"no ratios of this processor, AMD; store them .* --update\."):
        check.main([])


def test_an_update_keeps_the_ratios_of_other_processors_and_those_not_measured(stored, tmp_path):
    stored("AMD", speed=0.36, quality=1.5)
    check.main(["--update"])
    stored("AMD", speed=0.40, quality=9.0)
    check.main(["--only", "speed", "--update"])
    record = json.loads((tmp_path / "check.json").read_text())
    assert record["figures"] == {"Intel": {"speed": 0.67, "quality": 1.5}, "AMD": {"speed": 0.40, "quality": 1.5}}
    assert {name: part["machine"]["processor"] for name, part in record["parts"].items()} == {
        "Intel": "Intel",
        "AMD": "AMD",
    }


def test_the_ratios_in_the_repository_name_a_processor():
    record = results.read("check")
    assert record["figures"].keys() == record["parts"].keys()
    for processor, part in record["parts"].items():
        assert part["machine"]["processor"] == processor
        assert len(record["figures"][processor]) > 10
