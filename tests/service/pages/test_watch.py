"""A stream watched in a real browser while events arrive."""

import urllib.request
from json import dumps, loads

import numpy as np

import tacit
from tacit.service.stream_record import StreamRecord
from tests.service.pages.conftest import PHONE, in_every_look, running


def post(address, path, body):
    request = urllib.request.Request(address + path, dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return loads(answer.read())


def test_a_stream_is_watched_while_events_arrive(open_page, axe, tmp_path):
    tacit.ExpertRatingStream().fit(["a", "b"], ["x", "y"], [5.0, 1.0]).save(tmp_path / "stars.tacit")
    rng = np.random.default_rng(0)
    with running([tmp_path / "stars.tacit"], tmp_path / "store") as address:
        page = open_page(PHONE, "dark")
        page.goto(address + "/watch")
        page.get_by_text("Waiting for ratings").wait_for()
        for part in range(2):
            events = [
                {"row": f"u{rng.integers(9)}", "col": f"i{n % 7}", "weight": float(1 + n % 5)} for n in range(300)
            ]
            post(address, "/v1/models/stars/events", {"events": events})
            page.locator(".tile", has_text="ratings learned").get_by_text(str(300 * (part + 1)), exact=True).wait_for()
        page.locator("figure svg polyline").first.wait_for()
        page.get_by_text("Weights of the experts").wait_for()
        assert page.locator("figure svg polyline").count() == 4 and page.get_by_text("snapshot").count()
        assert in_every_look(page, axe) == []
        # A page that goes on asking would meet a server that has stopped.
        page.goto("about:blank")


def test_a_record_is_what_numpy_says():
    rng = np.random.default_rng(1)
    items, ratings, predicted = rng.integers(0, 5, 700), rng.integers(1, 6, 700).astype(float), rng.random(700) * 5
    record = StreamRecord()
    for item, guess, rating in zip(items.tolist(), predicted.tolist(), ratings.tolist()):
        record.add(item, guess, rating)
    errors = np.abs(predicted - ratings)
    before = np.array([ratings[:n].mean() if n else ratings[0] for n in range(700)])
    own = np.array([ratings[:n][items[:n] == items[n]].mean() if (items[:n] == items[n]).any() else before[n]
                    for n in range(700)])  # fmt: skip
    expected = [errors.mean(), np.abs(before - ratings).mean(), np.abs(own - ratings).mean()]
    np.testing.assert_allclose(list(record.running().values()), expected)
    np.testing.assert_allclose(record.recent(), errors[-200:].mean())
    drift = (errors[-200:].mean() - errors[:-200].mean()) / (errors.std() * np.sqrt(1 / 200 + 1 / 500))
    np.testing.assert_allclose(record.drift(), drift)
    assert len(record.curve) < 256 and record.curve[-1]["count"] > 680
