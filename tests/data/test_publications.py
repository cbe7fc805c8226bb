"""Published sets, fetched from a server on loopback that misbehaves as real ones do."""

import hashlib
import io
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from tacit.cli.data import command
from tacit.data import publications
from tacit.data.publications import Publication, fetch
from tacit.errors import InputError


def archive(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as writer:
        for name, content in files.items():
            writer.writestr(name, content)
    return packed.getvalue()


GOOD = archive({"ml-tiny/u.data": "1\t2\t3\t4\n" * 500, "ml-tiny/more/README": "terms"})


class Server:
    """One archive; ``cut`` ends the connection after so many bytes, once."""

    def __init__(self, content):
        self.content, self.cut, self.ranges, self.asked = content, None, True, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                wanted = self.headers.get("Range")
                outer.asked.append(wanted)
                first = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and outer.ranges else 0
                if first >= len(outer.content) and wanted and outer.ranges:
                    self.send_error(416)
                    return
                body = outer.content[first:]
                self.send_response(206 if first else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                cut, outer.cut = outer.cut, None
                self.wfile.write(body if cut is None else body[:cut])

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.http.server_port}/ml-tiny.zip"


@pytest.fixture
def server():
    made = Server(GOOD)
    yield made
    made.http.shutdown()
    made.http.server_close()


def publication(content, address):
    return Publication("Tiny", address, hashlib.md5(content).hexdigest(), "ml-tiny", "For tests.", "Nobody, 2026.")


def test_a_set_is_downloaded_checked_and_unpacked(server, tmp_path):
    seen = []
    folder = fetch(publication(GOOD, server.address), tmp_path, report=lambda *at: seen.append(at))
    assert (folder / "u.data").read_text().startswith("1\t2") and (folder / "more" / "README").read_text() == "terms"
    assert seen[-1] == (len(GOOD), len(GOOD))
    assert [path.name for path in tmp_path.iterdir()] == ["ml-tiny"]
    fetch(publication(GOOD, server.address), tmp_path)
    assert len(server.asked) == 1, "what is there is not asked for again"


def test_a_cut_download_goes_on_where_it_stopped(server, tmp_path):
    server.cut = 100
    with pytest.raises(InputError, match="goes on from there"):
        fetch(publication(GOOD, server.address), tmp_path)
    assert not (tmp_path / "ml-tiny").exists()
    fetch(publication(GOOD, server.address), tmp_path)
    assert server.asked[-1] == "bytes=100-" and (tmp_path / "ml-tiny" / "u.data").exists()


def test_a_server_without_ranges_sends_everything_again(server, tmp_path):
    server.cut, server.ranges = 100, False
    with pytest.raises(InputError, match="goes on"):
        fetch(publication(GOOD, server.address), tmp_path)
    fetch(publication(GOOD, server.address), tmp_path)
    assert (tmp_path / "ml-tiny" / "u.data").exists()


def test_all_bytes_there_but_not_unpacked_asks_for_nothing_more(server, tmp_path):
    (tmp_path / "ml-tiny.zip.part").write_bytes(GOOD)
    assert (fetch(publication(GOOD, server.address), tmp_path) / "u.data").exists()


def test_another_archive_is_thrown_away(server, tmp_path):
    server.content = archive({"ml-tiny/u.data": "forged"})
    with pytest.raises(InputError, match="not the publisher's"):
        fetch(publication(GOOD, server.address), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../evil", "/evil", "other/u.data", "ml-tiny/../../evil"])
def test_files_outside_the_folder_are_refused(server, tmp_path, name):
    server.content = archive({name: "x"})
    with pytest.raises(InputError, match="outside its own folder"):
        fetch(publication(server.content, server.address), tmp_path / "data")
    assert not (tmp_path / "evil").exists() and not (tmp_path / "data" / "ml-tiny").exists()


def test_an_archive_that_unfolds_without_end_is_refused(server, tmp_path, monkeypatch):
    monkeypatch.setattr(publications, "_MOST_UNPACKED", 1000)
    with pytest.raises(InputError, match="unpacks to more"):
        fetch(publication(GOOD, server.address), tmp_path)


def test_nobody_there(tmp_path):
    with pytest.raises(InputError, match="could not be read"):
        fetch(publication(GOOD, "http://127.0.0.1:9/nothing.zip"), tmp_path)


def test_the_command_asks_for_the_terms(server, tmp_path, monkeypatch):
    tiny = publication(GOOD, server.address)
    monkeypatch.setattr(publications, "PUBLICATIONS", {"tiny": tiny})
    run = CliRunner()
    refused = run.invoke(command, ["get", "tiny", "--folder", str(tmp_path)], input="n\n")
    assert "For tests." in refused.output and isinstance(refused.exception, InputError) and not server.asked
    accepted = run.invoke(command, ["get", "tiny", "--folder", str(tmp_path)], input="y\n")
    assert accepted.exit_code == 0 and (tmp_path / "ml-tiny" / "u.data").exists()
    quiet = run.invoke(command, ["get", "tiny", "--folder", str(tmp_path / "b"), "--accept", "--json"])
    assert quiet.exit_code == 0 and '"cite"' in quiet.output
    unknown = run.invoke(command, ["get", "huge", "--folder", str(tmp_path)])
    assert "data list" in str(unknown.exception)


def test_another_address_keeps_the_publishers_checksum(server, tmp_path):
    elsewhere = replace(publication(GOOD, "http://127.0.0.1:9/"), md5="0" * 32)
    with pytest.raises(InputError, match="not the publisher's"):
        fetch(elsewhere, tmp_path, address=server.address)
