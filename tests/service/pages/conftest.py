"""A real Chromium on a service in this process; what the console said and what left loopback fails the test."""

import contextlib
import shutil
import socket
import subprocess
import threading
import urllib.request
from json import dumps, loads
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tacit.service.app import create_app
from tacit.service.limits import Limits

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {
    f"{name}-{scheme}": (viewport, scheme)
    for name, viewport in (("desk", DESK), ("phone", PHONE))
    for scheme in ("light", "dark")
}
PATIENCE = 120_000
"""Milliseconds that a page is waited for: a machine that is busy with other tests is slow, not wrong."""


def pytest_collection_modifyitems(items):
    """A flow through a browser that fails is tried again, twice: a tab may crash on a machine that is short of memory.

    Pytest counts what it ran again in its last line, so that nothing is hidden.
    """
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="module")
def chromium():
    """One browser for the tests of a file; while it runs, its event loop lets no other one run in the process."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium; install it with: apt-get install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The text of axe-core, from the npm registry."""
    if shutil.which("npm") is None:
        pytest.skip("axe-core is installed by npm, which is not here; install it with: apt-get install npm")
    folder = Path.home() / ".cache" / "tacit-tests" / "axe"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, "axe-core@4"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode or not script.exists():
            pytest.skip(f"axe-core could not be installed from the npm registry: {done.stderr.strip()[:200]}")
    return script.read_text(encoding="utf-8")


@contextlib.contextmanager
def running(models, store, **options):
    """The service under uvicorn in a thread; its address."""
    import uvicorn

    # A kernel's first call compiles it, which takes a busy machine longer than a request may take.
    app = create_app(models, store=store, limits=Limits(seconds=600.0), **options)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            thread.join(0.02)
            assert thread.is_alive()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Watched:
    """A page of which everything is heard: no word in the console, no dialog, no question to another machine."""

    def __init__(self, browser, viewport, scheme):
        self.context = browser.new_context(
            viewport=viewport, color_scheme=scheme, accept_downloads=True, reduced_motion="reduce"
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.said, self.asked = [], []
        self.page.on("console", lambda one: self.said.append(one.text) if one.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _refuse(self, dialog):
        self.said.append(dialog.message)
        dialog.dismiss()

    def close(self):
        self.context.close()
        assert self.said == []
        strangers = [url for url in self.asked if urlsplit(url).scheme in ("http", "https")
                     and urlsplit(url).hostname != "127.0.0.1"]  # fmt: skip
        assert strangers == []


@pytest.fixture
def open_page(chromium):
    """Pages that end with the test."""
    opened = []

    def new(viewport=DESK, scheme="light"):
        opened.append(Watched(chromium, viewport, scheme))
        return opened[-1].page

    yield new
    for one in opened:
        one.close()


@pytest.fixture(params=LOOKS)
def look(request):
    """The name of a look; every flow runs in all of them."""
    return request.param


@pytest.fixture
def page(open_page, look):
    """A page in this look."""
    return open_page(*LOOKS[look])


def fits(page):
    """Nothing is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def wrong(page, axe):
    """What is wrong with a page as it stands: wider than the window, or something that axe calls serious."""
    # The policy of the pages allows no script of ours in the page; the debugger's own evaluation is not bound by it.
    if page.evaluate("typeof window.axe?.run") != "function":
        page.evaluate(axe + ";undefined")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    return serious if fits(page) else ["wider than the window", *serious]


def post(address, path, body):
    """What the service answers."""
    request = urllib.request.Request(address + path, dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return loads(answer.read())


class Held:
    """Answers to some requests, kept back until they are let go: a slow line, without waiting for one."""

    def __init__(self, page, pattern, belongs=lambda body: True):
        self.routes, self.belongs = [], belongs
        page.route(pattern, self._hold)

    def _hold(self, route):
        if self.belongs(route.request.post_data_json):
            self.routes.append((route, route.fetch()))
        else:
            route.continue_()

    def wait(self, page):
        """Until one is held."""
        for _ in range(PATIENCE // 10):
            if self.routes:
                return
            page.wait_for_timeout(10)
        raise AssertionError("nothing was asked that could be held")

    def release(self, page):
        """Let all go, and give the page the time to draw them if it would."""
        self.belongs = lambda body: False
        for route, answer in self.routes:
            with page.expect_event("requestfinished", lambda one, route=route: one == route.request):
                route.fulfill(response=answer)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
