"""Requests that wait share a commit, those that follow a shared commit share the next, and one alone never waits."""

import queue
import threading

import pytest

from tacit.service import writer as writers
from tacit.service.store import New, Placed
from tacit.service.writer import Rhythm, Writer


class HeldStore:
    """Notes how many requests each commit stores; ``gate`` holds one back."""

    def __init__(self):
        self.gate, self.entered, self.sizes = threading.Event(), threading.Event(), []

    def append(self, batch):
        [(_, events)] = batch
        self.sizes.append(len(events))
        self.entered.set()
        assert self.gate.wait(300)
        return [[Placed(place, True) for place, _ in enumerate(events)]]


class NoModel:
    sequence = saved = 0
    saved_at = not_before = 0.0

    def learn(self, stored):
        list(stored)


@pytest.fixture
def running():
    store = HeldStore()
    writer = Writer(store, {"shop": NoModel()}, Rhythm())
    writer.start()
    told = queue.Queue()
    yield store, lambda: writer.submit("shop", [New(None, b"{}")], told.put), told
    store.gate.set()
    writer.stop()


def test_those_who_follow_a_shared_commit_share_the_next(running, monkeypatch):
    monkeypatch.setattr(writers, "GATHER_SECONDS", 300.0)
    store, submit, told = running
    submit()
    assert store.entered.wait(300)
    submit(), submit()  # while the first is being stored
    store.gate.set()
    for _ in range(3):
        told.get(timeout=300)
    assert store.sizes == [1, 2]
    submit()
    with pytest.raises(queue.Empty):
        told.get(timeout=0.05)  # two shared the last one: it waits for the other
    submit()
    told.get(timeout=300), told.get(timeout=300)
    assert store.sizes == [1, 2, 2]


def test_one_alone_waits_for_nobody(running, monkeypatch):
    monkeypatch.setattr(writers, "GATHER_SECONDS", 1e6)
    store, submit, told = running
    store.gate.set()
    for _ in range(5):
        submit()
        told.get(timeout=300)
    assert store.sizes == [1] * 5


def test_who_was_left_alone_waits_no_longer_than_that(running, monkeypatch):
    monkeypatch.setattr(writers, "GATHER_SECONDS", 0.001)
    store, submit, told = running
    submit()
    assert store.entered.wait(300)
    submit(), submit()
    store.gate.set()
    for _ in range(3):
        told.get(timeout=300)
    submit()
    told.get(timeout=300)
    assert store.sizes == [1, 2, 1]
