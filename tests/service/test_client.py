"""The client has a call for every route, with the fields that the route takes, and each call gets its answer."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
import pytest

from tacit.service import questions
from tacit.service.client import Client, ClientError, ModelClient
from tacit.service.direct import Events
from tacit.service.openapi import document
from tacit.service.pages.desk import Desk
from tacit.service.pages.frame import PAGES

NAMES = {"/health/live": "live", "/health/ready": "ready", "/openapi.json": "openapi", "/v1/models/{name}": "facts"}
"""Calls whose names are not the last part of their address."""


def kinds():
    asks = questions.ASKS | Desk({}, {}, ()).asks
    return {name: kind for name, (kind, *_) in asks.items()} | {"events": Events}


def test_every_route_has_a_call():
    of_pages = {"/", "/reports/{report}", *(f"/{name}" for name in PAGES)}
    for path in document(kinds())["paths"].keys() - of_pages:
        name = NAMES.get(path, path.rsplit("/", 1)[-1])
        owner = ModelClient if "{name}" in path else Client
        assert callable(getattr(owner, name, None)), f"{path} has no call {owner.__name__}.{name}"


@pytest.mark.parametrize("name", sorted(kinds()))
def test_a_call_takes_the_fields_of_its_route_with_their_defaults(name):
    given = inspect.signature(getattr(ModelClient, name)).parameters
    fields = {one.name: one for one in msgspec.structs.fields(kinds()[name])}
    assert set(given) - {"self"} == set(fields)
    for field in fields.values():
        default = given[field.name].default
        if field.required:
            assert default is inspect.Parameter.empty
        elif field.default is not msgspec.NODEFAULT:
            assert default == field.default
        else:
            assert list(default) == field.default_factory()


def test_calls_get_typed_answers(files, tmp_path, start):
    running = start([files[name] for name in ("shop", "ratings", "tags", "grades", "words")], tmp_path / "store")
    with running.client() as client:
        assert client.live() and client.ready() and "tacit_requests_total" in client.metrics()
        assert {one["name"] for one in client.models()} >= {"shop", "tags"} and client.watch()["ready"]
        assert client.reports() == []
        assert client.openapi()["openapi"].startswith("3.")
        shop = client.model("shop")
        [listed] = shop.recommend(["r1"], k=2)
        assert listed.row == "r1" and len(listed.ids) == len(listed.scores) == 2
        assert shop.recommend(np.array(["r1"]), k=np.int64(2)) == shop.recommend({"r1": 0}.keys(), k=2) == [listed]
        [by_history] = shop.recommend(histories=[{"cols": listed.ids}], k=1)
        assert by_history.ids[0] not in listed.ids
        assert shop.score(["r1"], [listed.ids[0]]) == pytest.approx([listed.scores[0]])
        reasons = shop.why(listed.ids[0], row="r1")
        assert reasons.score == pytest.approx(sum(adds for _, adds in reasons.because) + reasons.remainder, abs=1e-4)
        assert shop.events([{"row": "r1", "col": listed.ids[0]}]).accepted == 1
        assert shop.snapshot() == shop.facts()["sequence"] == 1 and shop.reload()["sequence"] == 1
        assert listed.ids[0] in shop.history("r1")["cols"]
        assert len(client.model("ratings").predict(["r1"], ["c1"])) == 1
        tags = client.model("tags")
        [tagged] = tags.tags(["red apple"], k=2, rows=["text"])
        tags.events([{"row": "text", "col": tagged.ids[0], "accepted": True}])
        assert tags.tags(["red apple"], k=2, rows=["text"])[0].accepted == tagged.ids[:1]
        [graded] = client.model("grades").grade([[0.2, 0.3]])
        assert graded.grade in graded.chances and sum(graded.chances.values()) == pytest.approx(1)
        assert [word for word, _ in client.model("words").neighbours(["cat"], k=2)].count("cat") == 0
        with pytest.raises(ClientError) as refused:
            shop.recommend(["nobody"])
        assert refused.value.status == 404 and "histories" in str(refused.value) and "fold_in" not in str(refused.value)


def test_one_client_serves_several_threads(files, tmp_path, start):
    running = start([files["shop"]], tmp_path / "store")
    with running.client() as client, ThreadPoolExecutor(8) as threads:
        shop = client.model("shop")
        rows = [f"r{number % 40}" for number in range(200)]
        found = list(threads.map(lambda row: shop.recommend([row], k=3)[0], rows))
        assert [one.row for one in found] == rows
        assert found[0] == found[40] == shop.recommend(["r0"], k=3)[0]
        assert 1 <= len(client._idle) <= 9
    assert not client._idle


def test_missing_tags_are_found_behind_those_that_a_text_has_and_those_decided(files, tmp_path, start):
    """Both are asked past: with the best tag decided and the second one given, the third comes."""
    with start([files["tags"]], tmp_path / "store").client() as client:
        tags = client.model("tags")
        [every] = tags.tags(["fast red car"], k=3, rows=["text"])
        tags.events([{"row": "text", "col": every.ids[0], "accepted": False}])
        [found] = tags.missing(["fast red car"], [every.ids[1:2]], n=1, rows=["text"])
        assert found.id == every.ids[2]
