"""Both stores keep the same promises; what they cannot do is one sentence."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.service.errors import StoreError
from tacit.service.store import New, open_store
from tests.service.postgres import MISSING, WHERE, Postgres


@pytest.fixture(scope="module")
def database():
    if not WHERE:
        pytest.skip(MISSING)
    folder = Path("/tmp") / f"tacit-store-{os.getpid()}"
    server = Postgres(folder)
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request, tmp_path):
    if request.param == "sqlite":
        yield str(tmp_path / "store")
        return
    import psycopg

    server = request.getfixturevalue("database")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS tacit_events, tacit_learned")
    yield server.url


def test_events_are_numbered_once_and_stay(place):
    store = open_store(place)
    first = store.append(
        [("a", [New("x", b"1"), New("y", b"2"), New("x", b"3"), New(None, b"4")]), ("b", [New("x", b"5")])]
    )
    assert [[tuple(one) for one in places] for places in first] == [
        [(1, True), (2, True), (1, False), (3, True)],
        [(1, True)],
    ]
    assert store.append([("a", [New("y", b"6"), New(None, b"4")])]) == [[(2, False), (4, True)]]
    store.set_learned("a", "digest", 2)
    store.set_learned("a", "digest", 3)
    store.close()
    again = open_store(place)
    assert [tuple(one) for one in again.read("a", after=1)] == [(2, "y", b"2"), (3, None, b"4"), (4, None, b"4")]
    assert (again.last("a"), again.last("b"), again.last("c"), again.models()) == (4, 1, 0, ["a", "b"])
    assert (again.learned_by("a", "digest"), again.learned_by("a", "other")) == (3, 0)
    assert again.check() == []
    again.close()


def test_a_second_writer_is_refused_and_a_reader_is_not(place):
    store = open_store(place)
    store.append([("a", [New("x", b"1")])])
    with pytest.raises(StoreError, match="in use by another process"):
        open_store(place)
    reader = open_store(place, write=False)
    assert reader.last("a") == 1
    reader.close()
    store.close()
    open_store(place).close()


def test_a_full_disk_loses_nothing(tmp_path):
    """The file may not grow: the commit is refused in a sentence, and all that was stored before is there."""
    program = f"""
import resource, sys
from tacit.service.errors import StoreError
from tacit.service.store import New, open_store
store = open_store({str(tmp_path / "store")!r})
store.append([("a", [New(None, b"1")])])
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
count = 1
try:
    while True:
        store.append([("a", [New(None, b"x" * 20_000)])])
        count += 1
except StoreError as error:
    print(error)
print(count)
"""
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "cannot write to the event store" in said[0] and "nothing that was acknowledged is lost" in said[0]
    store = open_store(tmp_path / "store")
    assert store.last("a") == int(said[1]) > 1
    assert store.append([("a", [New(None, b"after")])])[0][0].fresh
    store.close()


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot open"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match="no event store"):
        open_store(tmp_path / "nowhere", write=False)
    (tmp_path / "events.db").write_bytes(b"not a database at all, but long enough to be one" * 100)
    with pytest.raises(StoreError, match="cannot open"):
        open_store(tmp_path)


def test_the_clock_does_not_matter(tmp_path, monkeypatch):
    store = open_store(tmp_path)
    store.append([("a", [New(None, b"1")])])
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert store.append([("a", [New(None, b"2")])])[0][0].sequence == 2
    assert [one.payload for one in store.read("a")] == [b"1", b"2"]
    store.close()


def test_export_check_and_import(place, tmp_path, capsys):
    from tacit.cli.app import main

    store = open_store(place)
    events = [{"row": "r1", "col": "c1"}, {"row": "r2", "col": "c2", "weight": 2.0}]
    store.append([("shop", [New("x", json.dumps(events[0]).encode()), New(None, json.dumps(events[1]).encode())])])
    store.close()
    main(["events", "export", place])
    lines = capsys.readouterr().out
    (tmp_path / "events.jsonl").write_text(lines)
    assert [json.loads(line)["sequence"] for line in lines.splitlines()] == [1, 2]
    for expected in ((2, 0), (0, 2)):
        main(["events", "import", str(tmp_path / "copy"), str(tmp_path / "events.jsonl"), "--json"])
        said = json.loads(capsys.readouterr().out)
        assert (said["accepted"], said["duplicates"]) == expected
    main(["events", "check", str(tmp_path / "copy"), "--json"])
    assert json.loads(capsys.readouterr().out) == {"events": {"shop": 2}, "problems": []}
    (tmp_path / "bad.jsonl").write_text('{"model": "shop"}\n')
    with pytest.raises(SystemExit):
        main(["events", "import", str(tmp_path / "copy"), str(tmp_path / "bad.jsonl")])
    assert "line 1 is not an exported event" in capsys.readouterr().err


def test_a_hole_in_the_numbers_is_found(tmp_path):
    import sqlite3

    store = open_store(tmp_path)
    store.append([("a", [New(None, b"1")] * 3)])
    store.close()
    with sqlite3.connect(tmp_path / "events.db") as connection:
        connection.execute("DELETE FROM events WHERE sequence = 2")
    connection.close()
    store = open_store(tmp_path)
    assert store.check() == ["a: event 2 is missing; the next one is 3."]
    store.close()
