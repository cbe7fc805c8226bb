"""A stream watched in a real browser while events arrive."""

import urllib.parse

import numpy as np
import pytest

import tacit
from tacit.service.stream_record import StreamRecord
from tests.service.pages.conftest import LOOKS, PHONE, post, running, wrong
from tests.service.pages.hostile import HOSTILE

NAMES = [*(f"stars-{look}" for look in LOOKS), "שלום_" + "x" * 100]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A stream for each look, because ratings are kept; one has a name from right to left."""
    folder = tmp_path_factory.mktemp("watched")
    stream = tacit.ExpertRatingStream().fit(["a", "b"], ["x", "y"], [5.0, 1.0])
    for name in NAMES:
        stream.save(folder / f"{name}.tacit")
    with running([folder / f"{name}.tacit" for name in NAMES], folder / "store") as found:
        yield found


def test_a_stream_is_watched_while_events_arrive(address, page, look, axe):
    rng = np.random.default_rng(0)
    page.goto(f'{address}/watch?model="stars-{look}"')
    page.get_by_text("Waiting for ratings").wait_for()
    for part in range(2):
        events = [{"row": f"u{rng.integers(9)}", "col": f"i{n % 7}", "weight": float(1 + n % 5)} for n in range(300)]
        post(address, f"/v1/models/stars-{look}/events", {"events": events})
        page.locator(".tile", has_text="ratings learned").get_by_text(str(300 * (part + 1)), exact=True).wait_for()
    page.locator("figure svg polyline").first.wait_for()
    page.get_by_text("Weights of the experts").wait_for()
    assert page.locator("figure svg polyline").count() == 4 and page.get_by_text("snapshot").count()
    assert wrong(page, axe) == []


def test_all_streams_together_and_ids_that_are_markup(address, open_page, axe):
    page = open_page(PHONE, "dark")
    page.goto(address + "/watch")
    page.locator("section h2").nth(len(NAMES) - 1).wait_for()
    events = [{"row": one, "col": other, "weight": 3.0} for one in HOSTILE for other in HOSTILE]
    path = "/v1/models/" + urllib.parse.quote(NAMES[-1]) + "/events"
    assert post(address, path, {"events": events})["accepted"] == len(events)
    section = page.locator("section", has=page.get_by_role("heading", name=NAMES[-1]))
    section.get_by_text(str(len(events)), exact=True).wait_for()
    assert wrong(page, axe) == [] and page.title() == "Watch · Tacit"


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
