"""The code of docs/howto/cluster.md runs on the workers of the tests."""

import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from tacit.cli.app import main

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "cluster.md"


@pytest.fixture
def shared(tmp_path):
    """The folder that the page calls /shared."""
    (tmp_path / "events").mkdir()
    people, things = [n % 40 for n in range(400)], [n * n % 23 for n in range(400)]
    table = pl.DataFrame({"user": people, "item": things, "plays": [1.0 + n % 3 for n in range(400)]})
    for place in range(2):
        table[place * 200 : place * 200 + 200].write_parquet(tmp_path / "events" / f"{place}.parquet")
    (tmp_path / "later").mkdir()
    pl.DataFrame({"user": people[:40], "item": [(thing + 1) % 23 for thing in things[:40]]}).write_parquet(
        tmp_path / "later" / "0.parquet"
    )
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text("the king and the queen\na man and a woman\n" * 20)
    (tmp_path / "wines").mkdir()
    sugar = [n * 7 % 60 for n in range(60)]
    wines = {"id": list(range(60)), "sugar": [float(n) for n in sugar], "quality": [n // 20 for n in sugar]}
    pl.DataFrame(wines).write_parquet(tmp_path / "wines" / "0.parquet")
    return tmp_path


def blocks(language, address, folder):
    """The page's code, with the scheduler and the folder of the test."""
    text = PAGE.read_text(encoding="utf-8").replace("tcp://scheduler:8786", address).replace("/shared", str(folder))
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.jit
def test_the_python_of_the_page_runs(client, shared, monkeypatch):
    monkeypatch.chdir(shared)
    names = {}
    for block in blocks("python", client.scheduler.address, shared):
        exec(compile(block, PAGE.name, "exec"), names)
        names["client"] = client  # the page closes its own
    assert list((shared / "lists").glob("*.parquet"))


@pytest.mark.jit
@pytest.mark.slow
def test_the_commands_of_the_page_run(client, shared, monkeypatch, capsys):
    monkeypatch.chdir(shared)
    lines = [line for block in blocks("sh", client.scheduler.address, shared) for line in block.splitlines()]
    assert lines
    for line in lines:
        main([*shlex.split(line)[1:], "--force"])
    assert (shared / "plays.tacit").exists()
