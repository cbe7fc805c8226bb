"""Strangers' requests: whatever is sent, the answer is one of those that the page lists, and nothing grows.

``TACIT_FUZZ=1000000`` makes it the long run.
"""

import asyncio
import json
import os
import random
from collections import Counter

import pytest
from starlette.testclient import TestClient

from tacit.service.app import create_app
from tacit.service.questions import ASKS
from tests.service.pipelines import exchange, request, resident

REQUESTS = int(os.environ.get("TACIT_FUZZ", "3000"))
PIPELINED = 20
"""Requests that are written at once."""
ANSWERS = {200, 400, 401, 404, 405, 409, 413, 415, 422, 429, 503}
SCRAPS = [
    None, True, 0, -1, 2**63, 10**400, 1e308, -0.0, "", "r1", "c1", "\ud800", "<script>", "a" * 3000, "\x00",
    "../../etc/passwd", [], {}, [[]], ["r1"], ["r1"] * 5, [0], {"cols": ["c1"]}, [0.5, 1.5],
    [{"cols": ["c1"], "weights": [1e308]}], {"row": "r1", "col": "c1"},
    [{"row": "r1", "col": "c1", "weight": float("inf")}], [{"row": "r9", "col": "c9", "id": "x", "weight": 1e-30}],
]  # fmt: skip
FIELDS = [
    "rows", "k", "ids", "cols", "row", "col", "history", "histories", "texts", "tags", "n", "positive", "negative",
    "events", "include", "exclude", "context", "unknown", "side", "exclude_seen", "id", "__class__",
]  # fmt: skip
MODELS = ["shop", "ratings", "tags", "words", "grades", "nobody", "..", "%2e%2e", "shop/../tags", "\u00e9"]
TYPES = [b"application/json", b"application/json; charset=utf-16", b"text/plain", b"", b"application/x-pickle", b"\xff"]


def body(rng):
    kind = rng.random()
    if kind < 0.1:
        return rng.randbytes(rng.randrange(200))
    fields = {rng.choice(FIELDS): rng.choice(SCRAPS) for _ in range(rng.randrange(4))}
    text = json.dumps(fields).encode()
    if kind < 0.3 and text:
        spoiled = bytearray(text)
        for _ in range(rng.randrange(1, 4)):
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        return bytes(spoiled)
    return text[: rng.randrange(len(text) + 1)] if kind < 0.4 else text


def sensible(rng):
    """Model, route and a body that come near to being right, which reach further inside."""
    row, col = rng.choice(["r1", "r2", "r3", "new", 5, ""]), rng.choice(["c1", "c2", "nothing", 7])
    k = rng.choice([-1, 0, 1, 5, 5, 5, 1000, 1001])
    weight, text = rng.choice([1.0, 1.0, 2.5, 0.0, -3.0, 1e300]), rng.choice(["", "red apple", "\ud83d\ude00" * 50])
    odd = rng.choice([-1.0, 0.0, 1e30, 1e39])
    event = {"row": row, "col": col, "weight": weight, "id": rng.choice(["", "x", str(rng.random())])}
    return rng.choice(
        [
            ("shop", "recommend", {"rows": [row] * rng.randrange(4), "k": k}),
            ("shop", "recommend", {"histories": [{"cols": [col, col], "weights": [odd, 1.0]}], "k": k}),
            ("shop", "similar", {"ids": [col], "k": k, "side": rng.choice(["rows", "cols", "left"])}),
            ("shop", "score", {"rows": [row], "cols": [col, col]}),
            ("shop", "why", {"row": row, "col": col}),
            ("shop", "events", {"events": [event] * rng.randrange(3)}),
            ("ratings", "events", {"events": [event]}),
            ("ratings", "predict", {"rows": [row], "cols": [col]}),
            ("ratings", "recommend", {"rows": [row], "k": k}),
            ("tags", "tags", {"texts": [text], "k": k}),
            ("tags", "missing", {"texts": [text], "tags": [[]], "n": k}),
            ("tags", "events", {"events": [{"row": row, "col": "fruit", "accepted": rng.choice([True, False, None])}]}),
            ("words", "neighbours", {"positive": ["cat"], "negative": [rng.choice(["dog", ""])], "k": k}),
            ("grades", "grade", {"rows": [[rng.choice([0.0, 1e308, -1e308]), 1.0]]}),
        ]
    )  # fmt: skip


ROUTES = [*ASKS, "events", "", "unheard"]
SLOW_ROUTES = ["reload", "snapshot"]
HEADERS = [
    ("x-request-id", b"a b"), ("x-request-id", b"mine"), ("authorization", b"Bearer x"), ("accept", b"text/html"),
    ("cookie", b"\xff" * 50), ("x", b"y" * 5000), ("origin", b"null"),
]  # fmt: skip


def given(rng):
    """Method, path, body and headers of a request."""
    model, route, fields = sensible(rng)
    content = json.dumps(fields).encode()
    if rng.random() < 0.6:
        model, route = rng.choice(MODELS), rng.choice(SLOW_ROUTES if rng.random() < 0.005 else ROUTES)
    if rng.random() < 0.4:
        content = body(rng)
    path = f"/v1/models/{model}/{route}"
    kind = TYPES[0] if rng.random() < 0.9 else rng.choice(TYPES)
    return rng.choice(["POST"] * 9 + ["GET", "PUT"]), path, content, kind


@pytest.mark.jit
def test_whatever_is_asked(files, tmp_path, caplog):
    """In this process: every answer is one of those that the page lists, and says one thing."""
    rng = random.Random(0)
    with TestClient(create_app(files.values(), store=tmp_path), raise_server_exceptions=False) as service:
        for _ in range(1000):
            method, path, content, kind = given(rng)
            answer = service.request(method, path, content=content, headers={"content-type": kind})
            assert answer.status_code in ANSWERS, (path, content, answer.text)
            assert answer.status_code != 503 or "retry-after" in answer.headers
            if answer.status_code != 200:
                assert set(answer.json()) == {"error"}
        assert service.get("/health/ready").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def wire(rng):
    """The bytes of a request, now and then such as no client should send."""
    method, path, content, kind = given(rng)
    more = [rng.choice(HEADERS)] if rng.random() < 0.1 else []
    more += [("transfer-encoding", b"gzip")] if rng.random() < 0.002 else []
    sent = request(path.replace("\u00e9", "%C3%A9"), content, method, [("content-type", kind), *more])
    if rng.random() < 0.002:
        spoiled = bytearray(sent)
        # In the first line: with another length the server would wait for the rest, and the client for an answer.
        spoiled[rng.randrange(sent.index(b"\r\n"))] = rng.randrange(256)
        return bytes(spoiled)
    return sent


@pytest.mark.jit
@pytest.mark.slow
def test_whatever_is_sent(files, tmp_path, start):
    """Over sockets, to a process of its own: no answer but those, no traceback, and memory stays."""
    running = start(files.values(), tmp_path / "store")
    rng, counts, held, wrong = random.Random(1), Counter(), [], []

    def batches():
        for number in range(REQUESTS // PIPELINED):
            if number % max(REQUESTS // PIPELINED // 10, 1) == 0:
                held.append(resident(running.process.pid))
            yield [wire(rng) for _ in range(PIPELINED)]

    def check(sent, answers):
        # Whatever follows a request that cannot be read is not answered: uvicorn closes the connection.
        counts.update(status for status, _, _ in answers)
        counts["unread"] += len(sent) - len(answers)
        wrong.extend(
            (one[:300], status, content[:300])
            for (status, head, content), one in zip(answers, sent)
            if status not in ANSWERS or (status == 503 and b"retry-after" not in head)
        )

    asyncio.run(exchange(running.address, batches(), check))
    held.append(resident(running.process.pid))
    with running.client() as client:
        assert client.ask("GET", "/health/ready") == {"ready": True}
    assert running.stop() == 0
    print(f"\n{dict(counts)} {[round(one / 2**20) for one in held]} MB")
    assert not wrong, wrong[:5]
    assert counts[200] > REQUESTS / 100 and counts["unread"] < REQUESTS / 5
    assert held[-1] < 1.05 * held[len(held) // 5 + 1] + (4 << 20)
    assert "Traceback" not in running.said and '"where"' not in running.said
