"""Kill a service at random moments or at named steps, again and again, and compare what is left with the truth.

    python -m tests.service.crashes FOLDER TRIALS SEED [--postgres]

Every other trial ends at a named step, the others at a random moment; a database is killed by chance as well. One
process imports everything once and forks a service for every trial. Its clients note what was acknowledged in a pipe,
which outlives them. The truth is a model that takes the store's events one by one, without interruption.
"""

import argparse
import json
import os
import queue
import random
import signal
import sys
import threading
import time
from pathlib import Path

import tacit
from tacit.service import events, faults
from tacit.service.errors import ServiceError
from tacit.service.learners import learner_of
from tacit.service.served import Served
from tacit.service.service import Service, named
from tacit.service.store import New, open_store
from tacit.service.writer import Rhythm
from tests.service.conftest import make_ratings, make_shop, make_tagger

RHYTHM = Rhythm(snapshot_events=9, snapshot_seconds=0.05)
TRIALS_PER_STORE = 10
LONGEST = 300.0
"""Seconds after which a service that has not come to its step never will: far more than a busy machine needs."""


def child(paths, store, folder, acknowledged, seed, where):
    """A service with three clients, until it is killed."""
    faults.arm(where)
    service = Service(paths, store, folder, rhythm=RHYTHM)
    service.start()
    os.write(acknowledged, b"ready\n")

    def client(number):
        rng = random.Random(f"{seed} {number}")
        for count in range(10**6):
            model = rng.choice(list(paths))
            idents = [f"{seed}-{number}-{count}-{k}" for k in range(rng.randint(1, 4))]
            given = [
                events.Event(
                    rng.choice(["r1", "r2", "new", f"n{count % 5}"]), rng.choice(["c1", "c2", f"fresh{count % 3}"]),
                    rng.choice([1.0, 2.0, 4.5]), ident, accepted=rng.random() < 0.5,
                )
                for ident in idents
            ]  # fmt: skip
            # Clients whose acknowledgement was lost send again.
            again = rng.random() < 0.2
            for _ in range(1 + again):
                told = queue.SimpleQueue()
                service.writer.submit(model, [New(one.id, events.to_bytes(one)) for one in given], told.put)
                if isinstance(told.get(), ServiceError):
                    time.sleep(0.02)
                    continue
                os.write(acknowledged, json.dumps([model, idents]).encode() + b"\n")

    for number in range(3):
        threading.Thread(target=client, args=(number,)).start()
    threading.Event().wait()


def trial(paths, store, folder, rng, seed, where, database=None):
    """Run a service, kill it; what it had acknowledged."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            child(paths, store, folder, write, seed, where)
        finally:
            os._exit(3)
    os.close(write)
    with os.fdopen(read) as lines:
        came_late = []

        def end():
            came_late.append(True)
            os.kill(pid, signal.SIGKILL)

        # A service that finds no database does not start, and says so: the database dies when it runs, or has come to
        # its step already.
        lines.readline()
        killer = threading.Timer(LONGEST if where else rng.uniform(0.0, 0.15), end)
        killer.start()
        if database is not None and rng.random() < 0.5:
            time.sleep(rng.uniform(0.0, 0.1))
            database.kill()
            database.start()
        noted = lines.read()
    killer.cancel()
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"it ended by itself: {status}"
    assert not (where and came_late), f"it never came to {where}"
    whole = [line for line in noted.splitlines() if line.endswith("]") and line.startswith("[")]
    return [(model, ident) for model, idents in map(json.loads, whole) for ident in idents]


def verify(paths, store, folder, acknowledged):
    """What the store and its snapshots hold is what was acknowledged, learned once and in order."""
    opened = open_store(store)
    try:
        for name, path in paths.items():
            stored = list(opened.read(name))
            assert [one.sequence for one in stored] == list(range(1, len(stored) + 1)), "numbers have gaps"
            idents = [one.id for one in stored]
            assert len(set(idents)) == len(idents), "an event is there twice"
            lost = {ident for model, ident in acknowledged if model == name} - set(idents)
            assert not lost, f"acknowledged and lost: {sorted(lost)[:3]}"
            restored = Served.open(name, path, folder / name, opened)
            model = tacit.load(path)
            learner = learner_of(model)
            for one in stored:
                learner.apply([events.from_bytes(one.payload)])
            assert restored.sequence == len(stored)
            if learner.restarts_from == "events":
                assert restored.state.learner.decisions == learner.decisions
                continue
            ends = folder / "restored", folder / "straight"
            restored.state.model.save(ends[0])
            model.save(ends[1])
            assert ends[0].read_bytes() == ends[1].read_bytes(), f"{name}: other bits"
        assert opened.check() == []
    finally:
        opened.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("trials", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True)
    for name, make in (("shop", make_shop), ("ratings", make_ratings), ("tags", make_tagger)):
        make().save(given.folder / f"{name}.tacit")
    paths = named([given.folder / f"{name}.tacit" for name in ("shop", "ratings", "tags")])
    for path in paths.values():
        # Kernels are compiled before the first fork.
        learner_of(tacit.load(path)).apply([events.Event("r1", "new", 2.0)])
    rng = random.Random(given.seed)
    database = None
    if given.postgres:
        from tests.service.postgres import Postgres

        database = Postgres(given.folder / "postgres")
    acknowledged, total, trials, steps = [], 0, 0, 0
    try:
        for number in range(given.trials):
            place = given.folder / f"store-{number // TRIALS_PER_STORE}"
            if number % TRIALS_PER_STORE == 0:
                acknowledged = []
                if database is not None:
                    import psycopg

                    with psycopg.connect(database.url, autocommit=True) as fresh:
                        fresh.execute("DROP TABLE IF EXISTS tacit_events, tacit_learned")
            store = str(place) if database is None else database.url
            step = number % 2 == 1
            where = f"{faults.STEPS[number // 2 % len(faults.STEPS)]}:{rng.randint(1, 6)}" if step else ""
            steps += step
            folder = place / "snapshots"
            acknowledged += trial(paths, store, folder, rng, f"{given.seed}.{number}", where, database)
            folder.mkdir(parents=True, exist_ok=True)
            verify(paths, store, folder, acknowledged)
            trials += 1
            if number % TRIALS_PER_STORE == TRIALS_PER_STORE - 1 or number == given.trials - 1:
                total += len(acknowledged)
    finally:
        if database is not None:
            database.stop()
    print(json.dumps({"trials": trials, "steps": steps, "acknowledged": total}))


if __name__ == "__main__":
    sys.exit(main())
