"""Events: learned at once, once, and in order."""

import threading

import pytest
from starlette.testclient import TestClient

import tacit
from tacit.cli.app import main
from tacit.estimators.tag.audit_report import Decisions, read_decisions
from tacit.service import events
from tacit.service.app import create_app
from tacit.service.client import Client, ClientError


def post(service, name, *events):
    response = service.post(f"/v1/models/{name}/events", json={"events": list(events)})
    assert response.status_code == 200, response.text
    return response.json()


def listed(service, row, k=25):
    answer = service.post("/v1/models/shop/recommend", json={"rows": [row], "k": k}).json()
    return answer["results"][0]["ids"]


def test_the_next_answer_knows_it(service):
    best = listed(service, "r3", 1)[0]
    assert post(service, "shop", {"row": "r3", "col": best, "id": "e1"}) == {
        "accepted": 1,
        "duplicates": 0,
        "sequence": 1,
    }
    assert best not in listed(service, "r3")
    post(service, "shop", {"row": "somebody new", "col": "something new"}, {"row": "somebody new", "col": "c1"})
    assert {"something new", "c1"}.isdisjoint(listed(service, "somebody new"))


def test_an_event_counts_once(service, files):
    event = {"row": "r3", "col": "c9", "weight": 2, "id": "e1"}
    assert post(service, "shop", event, event) == {"accepted": 1, "duplicates": 1, "sequence": 1}
    assert post(service, "shop", event, {"row": "r3", "col": "c9", "id": "e2"})["sequence"] == 2
    why = service.post("/v1/models/shop/why", json={"row": "r3", "col": "c9"}).json()
    model = tacit.load(files["shop"])
    model.add("r3", "c9", 2)
    model.add("r3", "c9", 1)
    assert why["score"] == pytest.approx(float(model.score_pairs("r3", "c9")[0]), abs=1e-5)


def test_ids_belong_to_a_model(service):
    post(service, "shop", {"row": "r1", "col": "c1", "id": "same"})
    assert post(service, "ratings", {"row": "a", "col": "x", "weight": 3, "id": "same"})["accepted"] == 1


def test_a_refused_request_leaves_nothing(service):
    good, bad = {"row": "r1", "col": "c1", "id": "e1"}, {"row": "r1", "col": "c1", "weight": 0}
    assert service.post("/v1/models/shop/events", json={"events": [good, bad]}).status_code == 422
    assert post(service, "shop", good) == {"accepted": 1, "duplicates": 0, "sequence": 1}


def test_a_rating_must_be_given_and_a_positive_weighs_one(service):
    before = listed(service, "r1")
    event = {"row": "u9", "col": "x", "id": "r3"}
    answer = service.post("/v1/models/ratings/events", json={"events": [event]})
    assert answer.status_code == 422 and "weight is the rating and is absent" in answer.text
    assert post(service, "ratings", event | {"weight": 1})["accepted"] == 1  # the refused one left no id behind
    assert post(service, "shop", {"row": "r1", "col": before[0]})["accepted"] == 1
    history = service.post("/v1/models/shop/history", json={"row": "r1"}).json()
    assert dict(zip(history["cols"], history["weights"]))[before[0]] == 1.0


def test_a_stored_event_without_a_weight_counts_one():
    assert events.from_bytes(b'{"row":"a","col":"x"}').amount == 1.0
    assert events.from_bytes(events.to_bytes(events.Event("a", "x", 1.0))).weight == 1.0


def test_an_id_that_postgresql_could_not_store_is_refused_before_any_store(service):
    for ident, said in (("a\0b", "holds the character NUL"), ("", "1 to 200 characters, not 0")):
        answer = service.post("/v1/models/shop/events", json={"events": [{"row": "r1", "col": "c1", "id": ident}]})
        assert answer.status_code == 422 and said in answer.json()["error"]
        assert "number 0" in answer.json()["error"]


def test_decisions_about_tags(service):
    ask = {"texts": ["red apple"], "rows": ["p1"], "k": 3}
    first = service.post("/v1/models/tags/tags", json=ask).json()["results"][0]["ids"]
    post(
        service,
        "tags",
        {"row": "p1", "col": first[0], "accepted": True},
        {"row": "p1", "col": first[1], "accepted": False},
    )
    after = service.post("/v1/models/tags/tags", json=ask).json()["results"][0]
    assert after["accepted"] == [first[0]] and set(first[:2]).isdisjoint(after["ids"])
    missing = {"texts": ["red apple"], "rows": ["p1"], "tags": [[]], "n": 10}
    assert first[1] not in [
        one["id"] for one in service.post("/v1/models/tags/missing", json=missing).json()["results"]
    ]


def test_decisions_go_back_into_training(files, tmp_path, capsys):
    """Over HTTP into the store, out of it as a reviewed CSV, and into the next fit."""
    with TestClient(create_app([files["tags"]], store=tmp_path / "store")) as service:
        cells = [("=p1", "fruit", True), ("p2", "fast", False), ("p2", "vehicle", True), ("p3", "fast", True)]
        post(service, "tags", *({"row": row, "col": tag, "accepted": right} for row, tag, right in cells))
        post(
            service,
            "tags",
            {"row": "p3", "col": "fast", "accepted": None},
            {"row": "p2", "col": "vehicle", "accepted": False},
        )
    main(["events", "decisions", str(tmp_path / "store"), "--model", "tags"])
    (tmp_path / "reviewed.csv").write_text(capsys.readouterr().out)
    assert read_decisions(tmp_path / "reviewed.csv") == Decisions(
        [("=p1", "fruit")], [("p2", "fast"), ("p2", "vehicle")]
    )


def test_a_restart_goes_on_where_it_stopped(files, tmp_path):
    events = [{"row": f"r{k % 7}", "col": f"c{k % 11}", "id": f"e{k}"} for k in range(30)]
    with TestClient(create_app([files["shop"]], store=tmp_path)) as service:
        post(service, "shop", *events)
        before = [listed(service, f"r{k}") for k in range(10)]
    with TestClient(create_app([files["shop"]], store=tmp_path)) as service:
        assert service.get("/v1/models/shop").json()["sequence"] == 30
        assert [listed(service, f"r{k}") for k in range(10)] == before
        assert post(service, "shop", *events)["accepted"] == 0


def test_many_clients_at_once(files, tmp_path, start):
    """Every event is acknowledged once, whatever thread it came from, and the next answer knows it."""
    running = start([files["shop"]], tmp_path / "store")
    failures, answers = [], []

    def work(worker):
        with running.client() as client:
            shop = client.model("shop")
            for k in range(25):
                row = f"w{worker}"
                col = f"c{k % 25}"
                answers.append(shop.events([{"row": row, "col": col, "id": f"{worker}-{k}"}]))
                if col in shop.recommend([row], k=25)[0].ids:
                    failures.append((worker, k))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(one.sequence for one in answers) == list(range(1, 201))


def test_the_client_says_what_the_service_says(files, tmp_path, start):
    running = start([files["shop"], files["tags"]], tmp_path / "store")
    with Client(running.address) as client:
        assert [one["name"] for one in client.models()] == ["shop", "tags"]
        shop = client.model("shop")
        assert shop.recommend(["r1"], k=2)[0].row == "r1"
        assert shop.similar(["c1"], k=2)[0].ids
        assert client.model("tags").tags(["red apple"], k=1)[0].ids == ["fruit"]
        assert shop.events([{"row": "r1", "col": "c1"}]).accepted == 1
        with pytest.raises(ClientError, match="unknown"):
            shop.recommend(["nobody"])
    with pytest.raises(ClientError, match="cannot be reached"), Client("http://127.0.0.1:9", tries=1) as client:
        client.models()
