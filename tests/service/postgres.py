"""A private PostgreSQL on loopback, from the distribution's packages."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

WHERE = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
MISSING = "no PostgreSQL on this machine; install it with 'apt-get install postgresql'"


class Postgres:
    """A server with a folder and a port of its own; it can be killed and started again."""

    def __init__(self, folder):
        self.folder, self.bin = Path(folder), WHERE[-1].parent
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"postgresql://tacit@127.0.0.1:{self.port}/postgres"
        # The server refuses to run as root; the package brings a user of its own.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self._run("initdb", "-D", self.folder / "data", "-U", "tacit", "-A", "trust", "--no-sync")
        self.start()

    def _run(self, program, *arguments):
        subprocess.run([self.bin / program, *map(str, arguments)], check=True, capture_output=True, **self._as_user())

    def _as_user(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "cwd": self.folder} if self.user else {}

    def start(self):
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o",
                  f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=20",
                  "start")  # fmt: skip

    def kill(self):
        """As a power cut would: the server and all that it has started."""
        main = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(main)], capture_output=True, text=True, check=False
        )
        for pid in (main, *map(int, children.stdout.split())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while (state := Path(f"/proc/{main}/stat")).exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z":
            time.sleep(0.01)
        # A dead process that nobody has waited for yet still counts as running to a new server.
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
