"""Rows that are asked together get what they would get alone, and each its own."""

import asyncio
import random

import pytest

import tacit
from tacit.service.running_loop import RunningLoop
from tacit.service.together import MOST, Together


def test_everybody_gets_the_own_answer_whatever_else_is_asked():
    calls = []

    def call(key, rows):
        calls.append(len(rows))
        if any(row == "bad" for row in rows):
            raise ValueError("bad")
        return [(key, row) for row in rows]

    async def ask(together, key, row):
        await asyncio.sleep(random.Random(f"{key}{row}").choice([0, 0, 0.001]))
        try:
            assert await together.ask(key, row) == (key, row) and row != "bad"
        except ValueError:
            assert row == "bad"

    async def main():
        together = Together(call)
        rows = [*range(300), *["bad"] * 20]
        await asyncio.gather(*(ask(together, key, row) for key in "ab" for row in rows))

    asyncio.run(main())
    assert max(calls) > 1 and max(calls) <= MOST


@pytest.mark.jit
def test_together_and_alone_give_the_same_bits(files):
    model = tacit.load(files["shop"])
    rows = [f"r{k}" for k in range(MOST)]
    together = model.recommend(rows, k=7)
    for place, row in enumerate(rows):
        alone = model.recommend([row], k=7)
        assert alone.ids.tolist() == together.ids[[place]].tolist()
        assert alone.scores.tobytes() == together.scores[[place]].tobytes()


def test_one_unknown_row_does_not_spoil_the_others(files, tmp_path, start):
    import threading

    running = start([files["shop"]], tmp_path / "store")
    failures = []

    def work(row, known):
        from tacit.service.client import ClientError

        with running.client() as client:
            for _ in range(30):
                try:
                    found = client.model("shop").recommend([row], k=3)
                    if not known or found[0].row != row:
                        failures.append(row)
                except ClientError as error:
                    if known or error.status != 404 or row not in str(error):
                        failures.append(str(error))

    threads = [
        threading.Thread(target=work, args=(row, row[0] == "r")) for row in ("r1", "r2", "nobody", "r3", "noone")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_loop_is_looked_up_again_when_another_one_runs():
    running = RunningLoop()

    async def asks():
        assert running.current() == (asyncio.get_running_loop(), asyncio.current_task())
        assert running.current() == (asyncio.get_running_loop(), asyncio.current_task())

    asyncio.run(asks())
    asyncio.run(asks())
