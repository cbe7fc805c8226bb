"""An hour of a shop in short: 50 questions and 10 events a second, as fast as they are answered; memory stays.

``TACIT_SOAK=216000`` makes it the hour.
"""

import asyncio
import os
import random

import pytest

from tests.service.conftest import COLS, ROWS
from tests.service.pipelines import exchange, post, resident

REQUESTS = int(os.environ.get("TACIT_SOAK", "6000"))
PIPELINED = 20


@pytest.mark.jit
@pytest.mark.slow
def test_memory_stays_for_an_hour(files, tmp_path, start):
    running = start([files["shop"], files["ratings"], files["tags"]], tmp_path / "store")
    rng, held, wrong = random.Random(0), [], []
    batches = REQUESTS // PIPELINED

    def one(number):
        row, col = rng.choice(ROWS), rng.choice(COLS)
        kind = number % 6
        if kind == 0:
            event = {"row": row, "col": col, "weight": 1.0 + rng.random(), "id": f"e{number}"}
            return post(f"/v1/models/{rng.choice(['shop', 'ratings', 'tags'])}/events", events=[event])
        if kind == 1:
            return post("/v1/models/ratings/predict", rows=[row], cols=[col])
        if kind == 2:
            return post("/v1/models/tags/tags", texts=["red apple"], rows=[row])
        if kind == 3:
            return post("/v1/models/shop/similar", ids=[col], k=5)
        return post("/v1/models/shop/recommend", rows=[row], k=10)

    def load():
        for number in range(batches):
            if number % max(batches // 20, 1) == 0:
                held.append(resident(running.process.pid))
                yield [post(f"/v1/models/{rng.choice(['shop', 'ratings'])}/{rng.choice(['reload', 'snapshot'])}")]
            yield [one(number * PIPELINED + place) for place in range(PIPELINED)]

    def check(sent, answers):
        assert len(answers) == len(sent)
        wrong.extend(content for status, _, content in answers if status != 200)

    asyncio.run(exchange(running.address, load(), check))
    held.append(resident(running.process.pid))
    assert running.stop() == 0
    print(f"\n{[round(one / 2**20, 1) for one in held]} MB")
    assert not wrong, wrong[:3]
    # After a fifth of the time all that is ever needed is there.
    assert held[-1] < 1.05 * held[len(held) // 5 + 1]
