"""Many requests a second over few connections: written together, answered in turn (HTTP/1.1 pipelining)."""

import asyncio
import json
import re
from pathlib import Path

LENGTH = re.compile(rb"content-length: (\d+)")


def request(path, body=b"", method="POST", headers=(("content-type", "application/json"),)):
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1".encode(), b"host: x", b"content-length: %d" % len(body)]
    lines += [
        b"%b: %b" % (name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers
    ]
    return b"\r\n".join([*lines, b"", body])


def post(path, **fields):
    return request(path, json.dumps(fields).encode())


async def _answers(reader, count):
    """Statuses, heads and bodies; fewer where the server has closed the connection."""
    found = []
    for _ in range(count):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            found.append((int(head[9:12]), head, await reader.readexactly(int(LENGTH.search(head)[1]))))
        except (asyncio.IncompleteReadError, ConnectionError):
            break
    return found


async def exchange(address, batches, check, connections=8):
    """Send lists of requests, each list at once on a connection; ``check(requests, answers)`` sees what came back."""
    host, port = address.removeprefix("http://").split(":")
    rest = iter(batches)

    async def client():
        reader = writer = None
        for batch in rest:
            if writer is None:
                reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"".join(batch))
            answers = await asyncio.wait_for(_answers(reader, len(batch)), 60)
            check(batch, answers)
            if len(answers) < len(batch) or any(b"connection: close" in head for _, head, _ in answers):
                writer.close()
                writer = None
        if writer is not None:
            writer.close()

    await asyncio.gather(*(client() for _ in range(connections)))


def resident(pid):
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
