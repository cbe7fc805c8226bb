"""Small models of every kind, and services that run them, in this process and in one of their own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the service needs the extra 'serve'")

from starlette.testclient import TestClient

import tacit
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.service.app import create_app
from tacit.service.client import Client

ROWS, COLS = [f"r{x}" for x in range(40)], [f"c{y}" for y in range(25)]


def make_shop():
    cells = np.random.default_rng(0).random((40, 25)) < 0.2
    cells[:, 0] = True
    data = tacit.Interactions.from_matrix(cells.astype(np.float32), row_ids=ROWS, col_ids=COLS)
    return tacit.FactorRecommender(factors=6, iterations=3, progress=False, threads=1).fit(data)


def make_ratings():
    return tacit.RatingStream(factors=4, clip=(1, 5)).fit(["a", "b", "a"], ["x", "x", "y"], [5.0, 3.0, 1.0])


def make_tagger():
    texts = ["red apple fruit", "green apple fruit", "fast red car", "slow green car"] * 3
    tags = [["fruit"], ["fruit"], ["vehicle", "fast"], ["vehicle"]] * 3
    return TextTagger(min_count=1, progress=False).fit(texts, tags)


def make_words():
    lines = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog"] * 20
    return tacit.WordVectors(factors=4, min_count=1, iterations=2, progress=False).fit(lines)


def make_grades():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    return tacit.OrdinalRanker(n_components=16, progress=False).fit(X, np.digitize(X.sum(axis=1), [0.7, 1.3]))


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A file of each kind of model."""
    folder = tmp_path_factory.mktemp("models")
    makers = {
        "shop": make_shop,
        "ratings": make_ratings,
        "tags": make_tagger,
        "words": make_words,
        "grades": make_grades,
    }
    for name, make in makers.items():
        make().save(folder / f"{name}.tacit")
    return {name: folder / f"{name}.tacit" for name in makers}


@pytest.fixture
def service(files, tmp_path):
    """All models in this process."""
    with TestClient(create_app(files.values(), store=tmp_path / "store")) as client:
        yield client


class Running:
    """``tacit serve`` in a process of its own."""

    def __init__(self, models, store, *options, kill_at="", environment=None):
        command = [sys.executable, "-m", "tacit", "serve", *map(str, models), "--store", str(store), "--port", "0",
                   "--quiet", *map(str, options)]  # fmt: skip
        given = os.environ | {"TACIT_KILL_AT": kill_at} | (environment or {})
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=given)
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"serving on (http://\S+)/", line):
                self.address = found[1]
                # A log that nobody reads would fill its pipe and hold the service up.
                self._reader = threading.Thread(target=self._read_on, daemon=True)
                self._reader.start()
                return
        self.process.wait()
        self.process.stderr.close()
        raise RuntimeError(f"the service did not start: {self.said}")

    def _read_on(self):
        for line in self.process.stderr:
            self.said += line

    def client(self, **options):
        return Client(self.address, **{"tries": 1, "timeout": 120} | options)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.end()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        """Wait for it, and for all that it said."""
        self.process.wait(timeout=300)
        self._reader.join()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.process.stderr.close()


@pytest.fixture
def start():
    """Start services that end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *given, **more: stack.enter_context(Running(*given, **more))
