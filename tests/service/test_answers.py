"""Questions over HTTP have the answers of the library, and what cannot be answered gets one sentence."""

import json
import sys

import numpy as np
import pytest
from starlette.testclient import TestClient

import tacit
from tacit.service.app import create_app
from tests.service.conftest import COLS, ROWS


def ask(service, name, question, **fields):
    response = service.post(f"/v1/models/{name}/{question}", json=fields)
    assert response.status_code == 200, response.text
    return response.json()


def test_recommend_is_the_contract(service, files):
    answer = ask(service, "shop", "recommend", rows=["r3", "r7"], k=4)
    direct = tacit.load(files["shop"]).recommend(["r3", "r7"], k=4)
    assert [one["row"] for one in answer["results"]] == ["r3", "r7"]
    assert [one["ids"] for one in answer["results"]] == direct.ids.tolist()
    np.testing.assert_array_equal([one["scores"] for one in answer["results"]], direct.scores.astype(float))
    assert answer["sequence"] == 0 and isinstance(answer["model"], str)


def test_new_users_by_their_history_filters_and_averages(service, files):
    model = tacit.load(files["shop"])
    answer = ask(
        service, "shop", "recommend", histories=[{"cols": ["c1", "c2", "unheard of"], "weights": [1, 2, 1]}], k=25
    )
    cells = np.zeros((1, 25), dtype=np.float32)
    cells[0, [1, 2]] = 1, 2
    import scipy.sparse as sp

    direct = model.recommend(sp.csr_array(cells), k=25)
    assert answer["results"][0]["ids"] == direct.ids[0][direct.filled[0]].tolist()
    assert answer["results"][0]["unknown"] == ["unheard of"]
    assert "unknown" not in ask(service, "shop", "recommend", histories=[{"cols": ["c1"]}])["results"][0]
    only = ask(service, "shop", "recommend", rows=["r1"], include=["c5", "c6"], exclude=["c6"], exclude_seen=False)
    assert only["results"][0]["ids"] == ["c5"]
    average = ask(service, "shop", "recommend", rows=["nobody"], unknown="average", k=3)
    assert len(average["results"][0]["ids"]) == 3


def test_similar_score_and_why(service, files):
    model = tacit.load(files["shop"])
    near = ask(service, "shop", "similar", ids=["c1"], k=3)["results"][0]
    assert near["ids"] == model.similar_cols(["c1"], k=3).ids[0].tolist()
    assert ask(service, "shop", "similar", ids=["r1"], k=2, side="rows")["results"][0]["id"] == "r1"
    scores = ask(service, "shop", "score", rows=["r1", "r2"], cols=["c1", "c2"])["scores"]
    assert scores == pytest.approx(model.score_pairs(["r1", "r2"], ["c1", "c2"]).tolist())
    why = ask(service, "shop", "why", row="r1", col="c7")
    assert why["score"] == pytest.approx(float(model.score_pairs("r1", "c7")[0]), abs=1e-5)
    assert {one["id"] for one in why["because"]} == set(model.positives_of("r1")[0])
    alone = ask(service, "shop", "why", history={"cols": ["c1", "c2"]}, col="c7")
    without = ask(service, "shop", "why", history={"cols": ["c2"]}, col="c7")["score"]
    taken = next(one["adds"] for one in alone["because"] if one["id"] == "c1")
    assert alone["score"] - taken == pytest.approx(without, abs=1e-6)


def test_every_recommender_says_why(tmp_path):
    cells = (np.random.default_rng(0).random((40, 25)) < 0.2).astype(np.float32)
    data = tacit.Interactions.from_matrix(cells, row_ids=ROWS, col_ids=COLS)
    members = [("factors", tacit.FactorRecommender(4)), ("linear", tacit.LinearRecommender())]
    models = {"linear": tacit.LinearRecommender(), "blend": tacit.BlendRecommender(members, weights=(1, 1))}
    paths = [tmp_path / f"{name}.tacit" for name in models]
    for model, path in zip(models.values(), paths):
        model.fit(data).save(path)
    with TestClient(create_app(paths, store=tmp_path / "store")) as service:
        for name, model in models.items():
            known = ask(service, name, "why", row="r1", col="c7")
            assert known["score"] == pytest.approx(float(model.score_pairs("r1", "c7")[0]), abs=1e-4)
            parts = sum(one["adds"] for one in known["because"]) + known["remainder"]
            assert parts == pytest.approx(known["score"], abs=1e-6)
            history = [one["id"] for one in known["because"]]
            same = ask(service, name, "why", history={"cols": history}, col="c7")
            assert same["score"] == pytest.approx(known["score"], abs=1e-3)
            assert [one["adds"] for one in same["because"]] == sorted(one["adds"] for one in same["because"])[::-1]
            left = ask(service, name, "why", history={"cols": history[1:]}, col="c7")["score"]
            lost = next(one["adds"] for one in same["because"] if one["id"] == history[0])
            assert same["score"] - lost == pytest.approx(left, abs=1e-5)


@pytest.mark.parametrize("kind", [tacit.LinearRecommender, tacit.BlendRecommender])
def test_neighbours_of_rows_without_factors_are_refused_in_a_sentence(kind, tmp_path):
    cells = (np.random.default_rng(0).random((40, 25)) < 0.2).astype(np.float32)
    kind(threads=1).fit(tacit.Interactions.from_matrix(cells, row_ids=ROWS, col_ids=COLS)).save(tmp_path / "m.tacit")
    with TestClient(create_app([tmp_path / "m.tacit"], store=tmp_path / "store")) as service:
        response = service.post("/v1/models/m/similar", json={"ids": ["r1"], "side": "rows"})
    assert 400 <= response.status_code < 500 and "FactorRecommender" in response.json()["error"]


def test_a_tagger_says_which_words_speak(service, files):
    model = tacit.load(files["tags"])
    text = "The red apple, a fruit and a Fruit, zzz"
    found = ask(service, "tags", "why", text=text, col="fruit")
    assert {one["id"] for one in found["because"]} == {"red", "apple", "fruit"}
    label = model.classes_.tolist().index("fruit")
    assert found["score"] == pytest.approx(float(model.decision_function([text])[0, label]))
    told = model.words_for(text, "fruit")
    assert {one["id"]: one["adds"] for one in found["because"]} == dict(zip(told.ids.tolist(), told.contributions))
    assert ask(service, "tags", "why", text="", col="fruit")["because"] == []


def test_tags_words_ratings_and_grades(service, files):
    assert ask(service, "tags", "tags", texts=["red apple"], k=1)["results"][0]["ids"] == ["fruit"]
    lacking = ask(service, "tags", "missing", texts=["red apple", "fast car"], tags=[["fruit"], []], n=1)["results"]
    assert (lacking[0]["row"], lacking[0]["id"]) == (1, "vehicle")
    words = tacit.load(files["words"])
    found = ask(service, "words", "neighbours", positive=["cat", "log"], negative=["mat"], k=2)["results"][0]
    assert found["ids"] == [word for word, _ in words.most_similar(["cat", "log"], ["mat"], k=2)]
    ratings = tacit.load(files["ratings"])
    assert (
        ask(service, "ratings", "predict", rows=["a"], cols=["y"])["ratings"] == ratings.predict(["a"], ["y"]).tolist()
    )
    assert ask(service, "ratings", "recommend", rows=["a"], k=1)["results"][0]["ids"] == ["x"]
    grades = tacit.load(files["grades"])
    answer = ask(service, "grades", "grade", rows=[[0.1, 0.2], [0.9, 0.9]])
    assert [one["grade"] for one in answer["results"]] == grades.predict([[0.1, 0.2], [0.9, 0.9]]).tolist()
    assert answer["results"][0]["chances"] == pytest.approx(grades.predict_proba([[0.1, 0.2]])[0].tolist())


def test_every_model_says_what_it_answers(service):
    models = {one["name"]: one for one in service.get("/v1/models").json()["models"]}
    assert set(models) == {"shop", "ratings", "tags", "words", "grades"}
    assert models["shop"]["answers"] == ["recommend", "similar", "score", "why"]
    assert models["words"]["learns"] is False and models["shop"]["size"] == {"rows": 40, "cols": 25}
    assert service.get("/v1/models/shop").json() == models["shop"]


def test_the_document_names_every_route(service):
    document = service.get("/openapi.json").json()
    answered = {
        f"/v1/models/{{name}}/{one}" for model in service.get("/v1/models").json()["models"] for one in model["answers"]
    }
    assert answered | {"/v1/models/{name}/events", "/health/live", "/metrics"} <= set(document["paths"])
    pages = {"/explore", "/review", "/watch", "/grade", "/v1/watch"}
    asked = {
        f"/v1/models/{{name}}/{name}" for name in ("search", "about", "history", "map", "review", "decided", "grading")
    }
    assert pages | asked <= set(document["paths"])
    for methods in document["paths"].values():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                name = content["schema"]["$ref"].rsplit("/", 1)[1]
                assert name in document["components"]["schemas"]


def test_titles_stand_beside_ids(files, tmp_path):
    titles = {"shop": {col: f"<b>{col}</b>" for col in COLS[:20]}}
    with TestClient(create_app([files["shop"]], store=tmp_path, titles=titles)) as service:
        one = ask(service, "shop", "recommend", rows=["r1"], k=25)["results"][0]
        assert one["titles"] == [titles["shop"].get(ident) for ident in one["ids"]]


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("/v1/models/none/recommend", {"rows": ["r1"]}, 404, "no model of this name"),
        ("/v1/models/shop/recommend", {"rows": ["nobody"]}, 404, "unknown"),
        ("/v1/models/shop/recommend", {"rows": []}, 422, "1 to 1000"),
        ("/v1/models/shop/recommend", {"rows": ["r1"], "k": 0}, 422, "k must be between 1 and 1000"),
        ("/v1/models/shop/recommend", {"rows": ["r1"], "k": 10**9}, 422, "k must be"),
        ("/v1/models/shop/recommend", {"rows": ["r1"] * 1001}, 422, "1 to 1000"),
        ("/v1/models/shop/recommend", {"rows": ["r1"], "histories": []}, 422, "either rows or histories"),
        ("/v1/models/shop/recommend", {"rows": [1.5]}, 422, "rows"),
        ("/v1/models/shop/recommend", {"rows": ["r1"], "path": "/etc/passwd"}, 422, "unknown field"),
        ("/v1/models/shop/events", {"events": [{"user": "a", "item": "b"}]}, 422, "/openapi.json describes"),
        ("/v1/models/shop/grade", {"rows": [[1]]}, 409, "does not answer grade"),
        ("/v1/models/shop/why", {"row": "r1", "col": "nothing"}, 404, "unknown"),
        ("/v1/models/words/neighbours", {"positive": ["unheard"]}, 404, "unheard"),
        ("/v1/models/grades/grade", {"rows": [[1, 2], [1]]}, 422, "as many numbers"),
        ("/v1/models/ratings/predict", {"rows": ["a"], "cols": []}, 422, "equally long"),
        ("/v1/models/words/events", {"events": [{"row": "a", "col": "b"}]}, 409, "does not learn"),
        ("/v1/models/shop/events", {"events": []}, 422, "1 to 10000"),
        ("/v1/models/shop/events", {"events": [{"row": "a", "col": "b", "weight": -1}]}, 422, "number 0: weight"),
        ("/v1/models/shop/events", {"events": [{"row": 7, "col": "b"}]}, 422, "ids are text"),
        ("/v1/models/shop/events", {"events": [{"row": "", "col": "b"}]}, 422, "characters"),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(service, path, body, status, sentence):
    response = service.post(path, json=body)
    assert (response.status_code, sentence in response.json()["error"]) == (status, True), response.text


def test_bodies_that_are_not_what_they_should_be(service):
    place = "/v1/models/shop/recommend"
    plain = {"content-type": "text/plain"}
    assert service.post(place, content="{}", headers=plain).status_code == 415
    json_type = {"content-type": "application/json; charset=utf-8"}
    for body in (b"", b"{", b"\xff\xfe", b"[" * 100_000, json.dumps({"rows": "r1"}).encode(), b"null"):
        assert service.post(place, content=body, headers=json_type).status_code in (400, 422)
    assert service.post(place, content=b" " * (8 << 20) + b"{}", headers=json_type).status_code == 413
    assert "empty" in service.post(place, content=b"", headers=json_type).json()["error"]
    for response in (service.get(place), service.get("/v1/models/shop/reload"), service.get("/v1/models/shop/search")):
        assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert service.get("/../etc/passwd").status_code == 404
    assert service.get("/static/%2e%2e/app.py").status_code == 404


def test_headers_of_every_answer(service):
    for path in ("/", "/v1/models", "/nowhere", "/static/index.js"):
        headers = service.get(path).headers
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert service.get("/v1/models", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert service.get("/v1/models", headers={"x-request-id": "a b"}).headers["x-request-id"] != "a b"


def test_counters_for_prometheus(service):
    ask(service, "shop", "recommend", rows=["r1"])
    service.post("/v1/models/shop/recommend", json={"rows": ["nobody"]})
    service.post("/v1/models/ratings/events", json={"events": [{"row": "a", "col": "x", "weight": 4}]})
    text = service.get("/metrics").text
    assert 'tacit_requests_total{model="shop",route="recommend",status="200"} 1.0' in text
    assert 'tacit_events_total{model="ratings",outcome="accepted"} 1.0' in text
    assert 'tacit_sequence{model="ratings"} 1.0' in text
    assert 'tacit_running_error{model="ratings"}' in text
    assert not sys.platform.startswith("linux") or "process_resident_memory_bytes" in text
    assert "nobody" not in text
