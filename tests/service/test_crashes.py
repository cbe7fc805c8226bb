"""Nothing that was acknowledged is lost, nothing counts twice, and the bits are those of a run that never stopped.

``TACIT_TRIALS=1000`` makes it the long run.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.service.client import ClientError
from tacit.service.errors import StoreError
from tacit.service.faults import STEPS
from tacit.service.store import open_store
from tests.service.postgres import MISSING, WHERE

TRIALS = int(os.environ.get("TACIT_TRIALS", "0"))


MEMORY = Path("/dev/shm")
"""A killed process loses nothing that it has written, synced or not: where files are in memory, trials are quicker."""


def crashes(trials, *options):
    folder = Path(tempfile.mkdtemp(prefix="tacit-", dir=MEMORY if MEMORY.is_dir() else None))
    folder.chmod(0o711)  # the database has a user of its own
    command = [sys.executable, "-m", "tests.service.crashes", str(folder / "run"), str(trials), "0", *options]
    place = Path(__file__).parents[2]
    try:
        run = subprocess.run(command, capture_output=True, text=True, cwd=place, timeout=600 + 15 * trials, check=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.jit
def test_killed_at_random_moments_and_at_every_step():
    trials = max(TRIALS, 2 * len(STEPS))
    found = crashes(trials)
    assert found["trials"] == trials and found["steps"] >= len(STEPS) and found["acknowledged"] > 0


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.skipif(not WHERE, reason=MISSING)
def test_killed_together_with_the_database():
    assert crashes(TRIALS // 10 or 2, "--postgres")["trials"] == (TRIALS // 10 or 2)


@pytest.mark.jit
def test_a_served_process_that_is_killed(files, tmp_path, start):
    """Over HTTP: what the client holds an acknowledgement for is there after SIGKILL, and a graceful stop saves it."""
    store = tmp_path / "store"
    running = start([files["shop"]], store, kill_at="apply.before:6")
    acknowledged = []
    with running.client() as client, pytest.raises(ClientError):
        for k in range(10):
            client.model("shop").events([{"row": "r1", "col": f"c{k}", "id": f"e{k}"}])
            acknowledged.append(k)
    assert running.end() == -9
    assert acknowledged == [0, 1, 2, 3, 4]
    again = start([files["shop"]], store)
    with again.client() as client:
        # The sixth was durable when the process died, though nobody was told.
        answer = client.model("shop").events([{"row": "r1", "col": f"c{k}", "id": f"e{k}"} for k in range(10)])
    assert answer == (4, 6, 10)
    assert again.stop() == 0
    saved = max((store / "snapshots" / "shop").glob("*.tacit"))
    model = tacit.load(files["shop"])
    for k in range(10):
        model.add("r1", f"c{k}")
    model.save(tmp_path / "straight")
    assert saved.read_bytes() == (tmp_path / "straight").read_bytes()


def test_a_damaged_snapshot_is_skipped_loudly(files, tmp_path, start):
    store = tmp_path / "store"
    with start([files["shop"]], store) as running, running.client() as client:
        for k in range(6):
            client.model("shop").events([{"row": "r1", "col": f"c{k}"}])
            client.ask("POST", "/v1/models/shop/snapshot", {})
        running.stop()
    kept = sorted((store / "snapshots" / "shop").glob("*.tacit"))
    assert len(kept) == 2
    damaged = bytearray(kept[-1].read_bytes())
    damaged[-5] ^= 1
    kept[-1].write_bytes(damaged)
    again = start([files["shop"]], store)
    assert "damaged" in again.said
    with again.client() as client:
        assert client.models()[0]["sequence"] == 6
        listed = client.model("shop").recommend(["r1"], k=25)[0].ids
    assert {f"c{k}" for k in range(6)}.isdisjoint(listed)


@pytest.mark.slow
def test_a_stream_that_is_killed_loses_nothing_that_it_has_kept(tmp_path):
    """``tacit stream --store`` on standard input: killed, fed on, and equal to a run over all lines."""
    rng = np.random.default_rng(0)
    lines = [f"u{rng.integers(9)},i{rng.integers(7)},{rng.integers(1, 6)}\n" for _ in range(40)]
    command = [sys.executable, "-m", "tacit", "stream", "-", "--no-header", "-o"]
    killed = [*command, str(tmp_path / "killed.tacit"), "--store", str(tmp_path / "store"), "--save-every", "20"]
    process = subprocess.Popen(killed, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    process.stdin.write("".join(lines[:30]))
    process.stdin.flush()
    while not (tmp_path / "store" / "events.db").exists():
        time.sleep(0.02)
    reader = open_store(tmp_path / "store", write=False)
    while kept_so_far(reader) < 30:
        time.sleep(0.02)
    reader.close()
    process.kill()
    process.communicate()
    subprocess.run(killed, input="".join(lines[30:]), text=True, check=True, stdout=subprocess.DEVNULL)
    straight = [*command, str(tmp_path / "straight.tacit")]
    subprocess.run(straight, input="".join(lines), text=True, check=True, stdout=subprocess.DEVNULL)
    ours, truth = tacit.load(tmp_path / "killed.tacit"), tacit.load(tmp_path / "straight.tacit")
    assert ours.n_ratings_ == truth.n_ratings_ == 40
    users, items = ours.user_ids_.all().tolist(), ours.item_ids_.all().tolist()
    assert (users, items) == (truth.user_ids_.all().tolist(), truth.item_ids_.all().tolist())
    pairs = [(user, item) for user in users for item in items]
    np.testing.assert_array_equal(ours.predict(*zip(*pairs)), truth.predict(*zip(*pairs)))


def kept_so_far(reader):
    try:
        return reader.last("killed")
    except StoreError:
        return 0  # its tables are not made yet
