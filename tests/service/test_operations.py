"""Tokens, limits, probes, reloads, retraining and logs."""

import json
import os
import random
import re
import shutil
import signal
import threading
import time
from pathlib import Path

import polars as pl
import pytest
from starlette.testclient import TestClient

import tacit
from tacit.data.text_files import TextForm
from tacit.errors import InputError
from tacit.service.app import create_app
from tacit.service.client import ClientError
from tacit.service.limits import Limits
from tacit.service.run import read_titles, read_token
from tacit.service.store import open_store
from tacit.service.writer import Rhythm

TRIALS = int(os.environ.get("TACIT_TRIALS", "0"))
TOKEN = "correct horse battery staple".replace(" ", "-")


def test_a_token_is_asked_for_everywhere_but_at_the_probes(files, tmp_path):
    with TestClient(create_app([files["shop"]], store=tmp_path, token=TOKEN)) as service:
        assert service.get("/health/live").status_code == service.get("/health/ready").status_code == 200
        for path in ("/", "/metrics", "/v1/models", "/openapi.json", "/nowhere"):
            refused = service.get(path)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        for given in (TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}", "Bearer", "Bearer \u00e9".encode()):
            assert service.get("/v1/models", headers={"authorization": given}).status_code == 401
        assert service.get("/v1/models", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_an_address_that_others_reach_needs_a_token(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_TOKEN", raising=False)
    assert read_token(None, "127.0.0.1") is read_token(None, "::1") is read_token(None, "localhost") is None
    for host in ("0.0.0.0", "192.168.1.1", "::", "example.org"):
        with pytest.raises(InputError, match="can be reached by others"):
            read_token(None, host)
    (tmp_path / "token").write_text(TOKEN + "\n")
    assert read_token(tmp_path / "token", "0.0.0.0") == TOKEN
    monkeypatch.setenv("TACIT_TOKEN", "short")
    with pytest.raises(InputError, match="at least 16"):
        read_token(None, "0.0.0.0")


def test_titles_in_another_encoding_are_read_when_it_is_said(tmp_path):
    (tmp_path / "titles.csv").write_bytes("item;name\n7;Caf\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8: line 2"):
        read_titles(str(tmp_path / "titles.csv"), TextForm())
    assert read_titles(str(tmp_path / "titles.csv"), TextForm(encoding="latin-1"))[7] == "Caf\u00e9"


def test_titles_are_found_by_ids_of_either_type_and_with_leading_zeros(tmp_path):
    (tmp_path / "titles.csv").write_text("item,name,shelf\n007,tea,1\n42,jam,2\n-3,,9\n")
    assert read_titles(str(tmp_path / "titles.csv"), TextForm()) == {"007": "tea", "42": "jam", 42: "jam"}
    pl.DataFrame({"item": [7], "name": ["tea"]}).write_parquet(tmp_path / "titles.parquet")
    assert read_titles(str(tmp_path / "titles.parquet"), TextForm()) == {7: "tea"}
    (tmp_path / "ids.csv").write_text("item\n7\n")
    with pytest.raises(InputError, match="needs two columns"):
        read_titles(str(tmp_path / "ids.csv"), TextForm())


def test_limits_and_full_queues_are_refused_with_a_time_to_come_again(files, tmp_path):
    limits, rhythm = Limits(body=500, batch=3, k=5, events=4), Rhythm(most_waiting=2)
    with TestClient(create_app([files["shop"]], store=tmp_path, limits=limits, rhythm=rhythm)) as service:
        place = "/v1/models/shop/events"
        event = {"row": "r1", "col": "c1"}
        full = service.post(place, json={"events": [event] * 3})
        assert (full.status_code, full.headers["retry-after"]) == (503, "1")
        assert service.post(place, json={"events": [event] * 5}).status_code == 422
        assert service.post(place, json={"events": [event | {"text": "x" * 600}]}).status_code == 413
        assert service.post("/v1/models/shop/recommend", json={"rows": ["r1"], "k": 6}).status_code == 422
        assert service.post("/v1/models/shop/recommend", json={"rows": ["r1"] * 4}).status_code == 422
    with TestClient(create_app([files["shop"]], store=tmp_path, limits=Limits(at_once=0))) as service:
        busy = service.get("/v1/models")
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")


def test_what_takes_too_long_is_ended(files, tmp_path, monkeypatch):
    from tacit.service import questions

    answered = threading.Event()

    def slow(*_):
        answered.wait(300)  # longer than the service waits, however busy the machine is
        return {}

    kind, needs, _ = questions.ASKS["similar"]
    monkeypatch.setitem(questions.ASKS, "similar", (kind, needs, slow))
    with TestClient(create_app([files["shop"]], store=tmp_path, limits=Limits(seconds=0.05))) as service:
        late = service.post("/v1/models/shop/similar", json={"ids": ["c1"]})
        answered.set()
        assert (late.status_code, "no answer within 0.05 seconds" in late.text) == (503, True)


def test_a_failure_of_ours_says_nothing_of_its_inside(files, tmp_path, monkeypatch, caplog):
    from tacit.service import questions

    def broken(*_):
        raise RuntimeError("a secret")

    kind, needs, _ = questions.ASKS["score"]
    monkeypatch.setitem(questions.ASKS, "score", (kind, needs, broken))
    app = create_app([files["shop"]], store=tmp_path)
    with TestClient(app, raise_server_exceptions=False) as service:
        failed = service.post("/v1/models/shop/score", json={"rows": ["r1"], "cols": ["c1"]})
        assert (failed.status_code, "secret" in failed.text) == (500, False)
        assert service.get("/health/ready").status_code == 200


def test_bad_files_keep_the_old_model(files, tmp_path):
    path = shutil.copy(files["shop"], tmp_path / "shop.tacit")
    with TestClient(create_app([path], store=tmp_path / "store")) as service:
        before = service.get("/v1/models/shop").json()
        for bad in (b"", b"nonsense" * 100, path.read_bytes()[:-10]):
            path.write_bytes(bad)
            refused = service.post("/v1/models/shop/reload", json={})
            assert (refused.status_code, "the old model stays" in refused.text) == (409, True)
        path.unlink()
        assert service.post("/v1/models/shop/reload", json={}).status_code == 409
        assert service.get("/v1/models/shop").json() == before


@pytest.mark.parametrize(("given", "option"), [("reviews", "--review"), ("rows", "--rows"), ("titles", "--titles")])
def test_what_is_given_for_a_model_that_is_not_served_is_refused(files, tmp_path, given, option):
    with pytest.raises(InputError, match=f"^{option}: no model is named 'foo'; there are shop, tags.$"):
        create_app([files["shop"], files["tags"]], store=tmp_path / "store", **{given: {"foo": {}}})


def test_an_audit_written_as_csv_is_refused_with_the_way_to_write_it(files, tmp_path):
    (tmp_path / "audit.csv").write_text("row,label,score,accept\n3,red,0.5,\n")
    with pytest.raises(InputError, match=r"no JSON; write it with -o FILE\.json") as refused:
        create_app([files["tags"]], store=tmp_path / "store", reviews={"tags": tmp_path / "audit.csv"})
    assert "JSONDecodeError" not in str(refused.value)


def test_names_of_models():
    from tacit.service.service import named

    with pytest.raises(InputError, match="no model file"):
        named([Path("nowhere.tacit")])
    with pytest.raises(InputError, match="stem"):
        named([Path("a b.tacit")])


class Load:
    """Clients that ask and report without pause; ``failed`` has every answer that was not one."""

    def __init__(self, running, clients=3):
        self.failed, self.acknowledged = [], []
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(running, k)) for k in range(clients)]

    def _work(self, running, number):
        rng = random.Random(number)
        with running.client() as client:
            shop = client.model("shop")
            while not self._end.is_set():
                try:
                    shop.recommend([f"r{rng.randrange(40)}"], k=5)
                    event = {"row": f"r{rng.randrange(40)}", "col": f"c{rng.randrange(25)}"}
                    self.acknowledged.append(shop.events([event]).sequence)
                except ClientError as error:
                    self.failed.append(str(error))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.jit
def test_reloads_and_a_retrain_under_load(files, tmp_path, start, capsys):
    """No request fails, no event is lost, and the new model has learned what came while it was trained."""
    from tacit.cli.app import main

    path = shutil.copy(files["shop"], tmp_path / "shop.tacit")
    running = start([path], tmp_path / "store")
    with Load(running) as load, running.client() as client:
        for _ in range(TRIALS // 10 or 10):
            client.ask("POST", "/v1/models/shop/reload", {})
        running.process.send_signal(signal.SIGHUP)
        before = client.models()[0]["model"]
        main(["retrain", str(path), "--store", str(tmp_path / "store"), "--reload", running.address, "--json"])
        said = json.loads(capsys.readouterr().out.splitlines()[-1])
        enough = len(load.acknowledged) + 11
        while len(load.acknowledged) < enough and not load.failed:
            time.sleep(0.01)
    with running.client() as client:
        model = client.models()[0]
        row = "r3"
        listed = client.model("shop").recommend([row], k=25)[0].ids
    assert not load.failed and len(load.acknowledged) > 10
    assert model["model"] == said["digest"] != before
    assert sorted(load.acknowledged) == list(range(1, model["sequence"] + 1))
    assert model["sequence"] >= said["sequence"] > 0
    assert running.stop() == 0
    # A restart of the retrained file comes to the same answers.
    again = start([path], tmp_path / "store")
    with again.client() as client:
        assert client.models()[0]["sequence"] == model["sequence"]
        assert client.model("shop").recommend([row], k=25)[0].ids == listed
    grown = tacit.load(path)
    assert grown.seen_.nnz >= tacit.load(files["shop"]).seen_.nnz


def test_a_model_without_histories_is_not_trained_on_its_events_alone(files, tmp_path, capsys):
    from tacit.cli.app import main

    lean = tmp_path / "shop.tacit"
    tacit.load(files["shop"]).save(lean, histories=False)
    tacit.load(lean).add("r3", "c1").save(lean)
    before = lean.read_bytes()
    open_store(tmp_path / "store").close()
    with pytest.raises(SystemExit) as stopped:
        main(["retrain", str(lean), "--store", str(tmp_path / "store")])
    assert stopped.value.code == 2 and "saved without histories" in capsys.readouterr().err
    assert lean.read_bytes() == before


def test_two_services_on_one_store_and_a_port_in_use(files, tmp_path, start):
    running = start([files["shop"]], tmp_path / "store")
    with pytest.raises(RuntimeError, match="in use by another process"):
        start([files["shop"]], tmp_path / "store")
    port = running.address.rsplit(":", 1)[1]
    with pytest.raises(RuntimeError, match=f"cannot listen on 127.0.0.1 port {port}"):
        start([files["shop"]], tmp_path / "other", "--port", port)


def test_logs_are_json_without_ids_of_people(files, tmp_path, capfd):
    import logging

    from tacit.service.logs import log_to_standard_error

    kept = {
        name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate)
        for name in ("tacit.service", "uvicorn", "uvicorn.error")
    }
    log_to_standard_error()
    try:
        with TestClient(create_app([files["shop"]], store=tmp_path)) as service:
            service.post("/v1/models/shop/events", json={"events": [{"row": "a-person", "col": "c1"}]})
            service.post("/v1/models/shop/recommend", json={"rows": ["a-person"]}, headers={"x-request-id": "req-7"})
    finally:
        for name, (handlers, propagate) in kept.items():
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = handlers, propagate
    lines = capfd.readouterr().err.splitlines()
    found = [json.loads(line) for line in lines]
    assert any(
        one.get("request_id") == "req-7" and one["route"] == "recommend" and one["status"] == 200 for one in found
    )
    assert not any("a-person" in line for line in lines)


def test_the_examples_of_the_page_run(tmp_path, start):
    """Every curl and Python example, against a service of the models that the page speaks of."""
    who = ["ann", "ann", "bob", "bob", "cyd", "cyd", "dan", "dan"]
    what = ["tea", "jam", "tea", "honey", "jam", "honey", "bread", "butter"]
    data = tacit.Interactions.from_table({"who": who, "what": what}, row="who", col="what")
    tacit.FactorRecommender(factors=3, progress=False).fit(data).save(tmp_path / "shop.tacit")
    running = start([tmp_path / "shop.tacit"], tmp_path / "store")
    page = (Path(__file__).parents[2] / "docs/howto/serve.md").read_text(encoding="utf-8")
    asked = re.findall(
        r"curl -s http://127.0.0.1:8000(\S+) -H 'content-type: application/json' \\\n  -d '(.*?)'\n", page
    )
    assert len(asked) == page.count("curl -s") == 6
    with running.client() as client:
        for path, body in asked:
            client.ask("POST", path, json.loads(body))
    (example,) = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    exec(compile(example.replace("http://127.0.0.1:8000", running.address), "serve.md", "exec"), {})
