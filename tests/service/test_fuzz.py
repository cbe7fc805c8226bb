"""Strangers' requests: whatever is sent, the answer is one of those that the page lists, and nothing grows.

``TACIT_FUZZ=1000000`` makes it the long run.
"""

import json
import os
import random
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tacit.service.app import create_app
from tacit.service.questions import ASKS

REQUESTS = int(os.environ.get("TACIT_FUZZ", "1500"))
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
    """Bodies that come near to being right, which reach further inside."""
    row, col, number = (
        rng.choice(["r1", "r2", "new", 5, ""]),
        rng.choice(["c1", "nothing", 7]),
        rng.choice([-1, 0, 1, 5, 1000, 1001]),
    )
    return rng.choice(
        [
            {"rows": [row] * rng.randrange(4), "k": number},
            {"histories": [{"cols": [col, col], "weights": [rng.choice([-1.0, 0.0, 1e30, 1e39]), 1.0]}], "k": number},
            {"ids": [col], "k": number, "side": rng.choice(["rows", "cols", "left"])},
            {"rows": [row], "cols": [col, col]},
            {"row": row, "col": col},
            {"texts": [rng.choice(["", "red apple", "\ud83d\ude00" * 50])], "k": number, "tags": [[]], "n": number},
            {"positive": ["cat"], "negative": [rng.choice(["dog", ""])], "k": number},
            {"rows": [[rng.choice([0.0, 1e308, -1e308]), 1.0]]},
            {
                "events": [
                    {"row": row, "col": col, "weight": rng.choice([1.0, 0.0, -3.0, 1e300]), "id": rng.choice(["", "x"])}
                ]
            },
        ]
    )


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.jit
def test_whatever_is_asked(files, tmp_path, caplog):
    rng = random.Random(0)
    routes = [*ASKS, "events", "reload", "snapshot", "", "unheard"]
    early = 0
    with TestClient(create_app(files.values(), store=tmp_path), raise_server_exceptions=False) as service:
        for number in range(REQUESTS):
            place = f"/v1/models/{rng.choice(MODELS)}/{rng.choice(routes)}"
            content = json.dumps(sensible(rng)).encode() if rng.random() < 0.5 else body(rng)
            kind = TYPES[0] if rng.random() < 0.9 else rng.choice(TYPES)
            answer = service.request(
                rng.choice(["POST"] * 9 + ["GET", "PUT"]), place, content=content, headers={"content-type": kind}
            )
            assert answer.status_code in ANSWERS, (place, content, answer.text)
            assert answer.status_code != 503 or "retry-after" in answer.headers
            if answer.status_code != 200:
                assert set(answer.json()) == {"error"}
            if number == REQUESTS // 2:
                early = resident()
        assert service.get("/health/ready").status_code == 200
    assert resident() < 1.2 * early + (32 << 20)
    assert not [record for record in caplog.records if record.exc_info]
