"""PostgreSQL, against a real server: a private one, on loopback, for the length of this file."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tacit import Interactions
from tacit.errors import InputError


def binaries():
    """The newest folder with a server's programs, or None."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True)
    return next((folder for folder in folders if (folder / "pg_isready").exists()), None)


def as_server():
    """PostgreSQL refuses to run as root, so root hands over to the account that Debian makes for it."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no account postgres to run it as")


@pytest.fixture(scope="module")
def server():
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    account = as_server()
    folder = Path(tempfile.mkdtemp(prefix="tacit-postgres-"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    identity = {}
    if account:
        os.chown(folder, account.pw_uid, account.pw_gid)
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    options = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **identity}
    data = folder / "data"
    initialise = [programs / "initdb", "-D", data, "-U", "tacit", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(initialise, check=True, **options)
    command = [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder, "-F"]
    process = subprocess.Popen(command, **options)
    try:
        wait_until_ready(programs, port)
        yield programs, f"postgresql://tacit@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(timeout=30)
        shutil.rmtree(folder)


def wait_until_ready(programs, port):
    for _ in range(150):
        ready = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-q"]
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.1)
    pytest.fail("the private PostgreSQL server did not start within 15 seconds")


@pytest.fixture(scope="module")
def shop(server):
    programs, uri = server
    statements = """
        CREATE TABLE clicks (visitor text, item bigint, seconds double precision, at timestamp);
        INSERT INTO clicks VALUES ('eve', 7, 3, '2024-01-03'), ('bob', 7, 1, '2024-01-01'), ('eve', 9, 2, '2024-01-02');
    """
    subprocess.run([programs / "psql", uri, "-q", "-c", statements], check=True)
    return uri


def test_a_query_becomes_interactions(shop):
    made = Interactions.from_table(
        shop, query="SELECT * FROM clicks", row="visitor", col="item", weight="seconds", time="at"
    )
    assert made.row_ids.all().tolist() == ["bob", "eve"] and made.col_ids.all().tolist() == [7, 9]
    assert made.matrix.toarray().tolist() == [[1, 0], [3, 2]]
    assert made.split(by="last")[1].matrix.toarray().tolist() == [[0, 0], [3, 0]]


def test_what_the_server_refuses_is_passed_on_in_one_sentence(shop):
    with pytest.raises(
        InputError, match=r'the postgresql database answered: .*relation "sales" does not exist'
    ) as caught:
        Interactions.from_table(shop, query="SELECT * FROM sales", row="visitor", col="item")
    assert "\n" not in str(caught.value)


def test_a_server_that_is_not_there():
    with pytest.raises(InputError, match="the postgresql database answered"):
        Interactions.from_table("postgresql://nobody@127.0.0.1:1/x", query="SELECT 1", row="a", col="b")
