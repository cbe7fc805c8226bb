"""The service under load, on loopback: answers, events, and both at once.

    python -m benchmarks.machine.service [--quick]

Requests a second of ``recommend`` stand beside those of a bare Starlette route that returns a constant of the same
size, under the same server and the same client, in alternating runs. Both cores are shared by client and server, so
only ratios within one run say something. Events are acknowledged after fsync; the disk's own rate of fsync stands
beside.

Runs of each kind alternate, and medians are told. Turns in which the host stole time (``turns.py``) are left out of the
latencies and taken again; the result says how many, and what the bare route's slowest percent waits at the same rate.

Writes ``results/service.json``, unless it is quick.
"""

import argparse
import asyncio
import gc
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.processes import TURNS, Turns
from tacit import FactorRecommender

ASKED, REPORTED = 200, 2_100
"""Questions and events a second where answers are timed while events come."""

BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
body = b"x" * int(sys.argv[2])
async def constant(request):
    await request.body()
    return Response(body, media_type="application/json")
app = Starlette(routes=[Route("/constant", constant, methods=["POST"])])
print(f"serving on http://127.0.0.1:{sys.argv[1]}/", file=sys.stderr, flush=True)
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
"""


def positives(n: int, m: int, per_row: int, seed: int) -> sp.csr_array:
    """Rows with as many columns each, some columns more popular than others."""
    rng = np.random.default_rng(seed)
    cols = np.sort((m * rng.random((n, per_row)) ** 2).astype(np.int32), axis=1)
    values = np.ones(n * per_row, dtype=np.float32)
    cells = sp.csr_array((values, cols.ravel(), np.arange(n + 1) * per_row), shape=(n, m))
    cells.sum_duplicates()
    return cells


def single_answers(sizes: dict[str, int], m: int, factors: int) -> dict[str, float]:
    """Milliseconds of one list, by the number of positives; the median of alternating runs."""
    models = {}
    for name, total in sizes.items():
        cells = positives(100_000, m, total // 100_000, 0)
        models[name] = FactorRecommender(factors=factors, iterations=1, progress=False).fit(cells)
    spent: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(400):
        for name, model in models.items():
            began = time.perf_counter()
            model.recommend([turn * 37])
            spent[name].append(1000 * (time.perf_counter() - began))
    return {name: float(np.median(times[20:])) for name, times in spent.items()}


class Server:
    """A process that serves; its address is in what it says."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"serving on http://([\d.]+):(\d+)/", line):
                self.host, self.port = found[1], int(found[2])
                break
        else:
            raise RuntimeError("the server did not start")
        time.sleep(1.0)

    def processor_seconds(self) -> float:
        """What the process has used so far."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=120)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes) -> bytes:
    writer.write(
        b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (path.encode(), len(body), body)
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
    content = await reader.readexactly(length)
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(content.decode())
    return content


async def closed_loop(
    server: Server, path: str, make: Callable[[int], bytes], clients: int, seconds: float
) -> list[float]:
    """Latencies of requests that follow each other on so many connections."""
    spent: list[float] = []
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        count = 0
        while (began := time.perf_counter()) < end:
            await ask(reader, writer, path, make(number * 1_000_000 + count))
            spent.append(time.perf_counter() - began)
            count += 1
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return spent


async def open_loop(
    server: Server, path: str, make: Callable[[int], bytes], rate: float, seconds: float
) -> list[float]:
    """Latencies of requests that come at a steady rate, counted from when each was due."""
    free: asyncio.Queue[Any] = asyncio.Queue()
    for _ in range(32):
        free.put_nowait(await asyncio.open_connection(server.host, server.port))
    spent: list[float] = []

    async def one(due: float, number: int) -> None:
        connection = await free.get()
        await ask(*connection, path, make(number))
        free.put_nowait(connection)
        spent.append(time.perf_counter() - due)

    began, tasks = time.perf_counter(), []
    for number in range(int(rate * seconds)):
        due = began + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.create_task(one(due, number)))
    await asyncio.gather(*tasks)
    while not free.empty():
        free.get_nowait()[1].close()
    return spent


async def paced(
    server: Server, path: str, make: Callable[[int], bytes], rate: float, clients: int, seconds: float
) -> list[float]:
    """Latencies of requests that so many connections send in turn at a steady rate, counted from when each was due."""
    spent: list[float] = []
    began, gap = time.perf_counter(), clients / rate

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        due, count = began + gap * number / clients, 0
        while due < began + seconds:
            if (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            await ask(reader, writer, path, make(number * 1_000_000 + count))
            spent.append(time.perf_counter() - due)
            due, count = due + gap, count + 1
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return spent


async def read_your_writes(server: Server, pairs: int, rows: int, cols: int) -> int:
    """Event-then-ask pairs whose answer did not know the event."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    missed = 0
    for number in range(pairs):
        row, col = (number * 7919) % rows, (number * 104_729) % cols
        event = json.dumps({"events": [{"row": row, "col": col, "id": f"pair-{number}"}]}).encode()
        await ask(reader, writer, "/v1/models/big/events", event)
        question = json.dumps({"rows": [row], "k": 1, "include": [col]}).encode()
        answer = json.loads(await ask(reader, writer, "/v1/models/big/recommend", question))
        missed += answer["results"][0]["ids"] != []
    writer.close()
    return missed


def fsync_rate(folder: Path, seconds: float = 2.0) -> float:
    """Writes of a page a second, each followed by fsync."""
    with (folder / "probe").open("wb", buffering=0) as file:
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            count += 1
    return count / seconds


def middle(values: list[float]) -> float:
    return round(float(np.median(values)), 3)


def percentile(spent: list[float], share: float) -> float:
    return round(1000 * float(np.quantile(spent, share)), 3)


def while_events_come(
    served: Server,
    place: str,
    question: Any,
    events: str,
    event: Callable[[int], bytes],
    seconds: float,
    turns: Turns,
) -> dict[str, Any]:
    """Latencies of answers without events and with them, in turns."""
    firsts = itertools.count(1_000_000_000, 1_000_000_000)

    def turn() -> tuple[float, float, float]:
        quiet = percentile(asyncio.run(open_loop(served, place, question, ASKED, seconds)), 0.99)
        first = next(firsts)

        async def both() -> tuple[list[float], float]:
            reporting = asyncio.create_task(paced(served, events, lambda k: event(k + first), REPORTED, 64, seconds))
            asked = await open_loop(served, place, question, ASKED, seconds)
            return asked, len(await reporting) / seconds

        asked, reported = asyncio.run(both())
        return quiet, percentile(asked, 0.99), reported

    quiet, busy, reported = (list(each) for each in zip(*turns.of(turn)))
    return {
        "asked_per_second": ASKED,
        "events_per_second_while_asked": round(float(np.median(reported))),
        "p99_ms_without_events": middle(quiet),
        "p99_ms_while_events_come": middle(busy),
        "p99_ratio_while_events_come": middle([one / other for one, other in zip(busy, quiet)]),
    }


def measure(folder: Path, n: int, m: int, per_row: int, factors: int, seconds: float, pairs: int) -> dict[str, Any]:
    model = FactorRecommender(factors=factors, iterations=2, progress=False).fit(positives(n, m, per_row, 0))
    model.save(folder / "big.tacit")
    rng = random.Random(0)
    rows = [rng.randrange(n) for _ in range(50_000)]

    def question(number: int) -> bytes:
        return b'{"rows":[%d],"k":10}' % rows[number % len(rows)]

    def event(number: int) -> bytes:
        return b'{"events":[{"row":%d,"col":%d,"id":"e%d"}]}' % (rows[number % len(rows)], number % m, number)

    given = [str(folder / "big.tacit"), "--store", str(folder / "store"), "--port", "0", "--quiet"]
    served = Server([sys.executable, "-m", "tacit", "serve", *given])
    found: dict[str, Any] = {"rows": n, "cols": m, "positives": int(model.seen_.nnz), "factors": factors}
    place = "/v1/models/big/recommend"

    async def length() -> int:
        reader, writer = await asyncio.open_connection(served.host, served.port)
        content = await ask(reader, writer, place, question(0))
        writer.close()
        return len(content)

    size = asyncio.run(length())
    bare = Server([sys.executable, "-c", BARE, str(served.port + 1 if served.port < 65_000 else 20_011), str(size)])
    events = "/v1/models/big/events"
    try:
        asyncio.run(closed_loop(served, place, question, 16, 2.0))  # whatever is done once is done
        asyncio.run(closed_loop(served, events, lambda k: event(k + 100_000_000), 16, 2.0))
        found["load_before"] = os.getloadavg()
        rates: dict[str, list[float]] = {"recommend": [], "bare": []}
        costs: dict[str, list[float]] = {"recommend": [], "bare": []}
        for _ in range(TURNS):
            for name, server, path in (("recommend", served, place), ("bare", bare, "/constant")):
                before = server.processor_seconds()
                spent = asyncio.run(closed_loop(server, path, question, 16, seconds))
                rates[name].append(len(spent) / seconds)
                costs[name].append(1e6 * (server.processor_seconds() - before) / len(spent))
        found["requests_per_second"] = {name: round(float(np.median(each))) for name, each in rates.items()}
        found["processor_microseconds"] = {name: round(float(np.median(each))) for name, each in costs.items()}
        found["ratio_to_bare"] = middle([ours / theirs for ours, theirs in zip(rates["recommend"], rates["bare"])])
        found["ratio_to_bare_by_processor_time"] = middle(
            [theirs / ours for ours, theirs in zip(costs["recommend"], costs["bare"])]
        )
        half = float(np.median(rates["recommend"])) / 2
        turns = Turns()
        calm = turns.of(lambda: asyncio.run(open_loop(served, place, question, half, seconds)))
        found["p50_ms_at_half_load"] = middle([percentile(one, 0.5) for one in calm])
        found["p99_ms_at_half_load"] = middle([percentile(one, 0.99) for one in calm])
        constant = turns.of(lambda: asyncio.run(open_loop(bare, "/constant", question, half, seconds)))
        found["p99_ms_of_the_bare_route_at_that_load"] = middle([percentile(one, 0.99) for one in constant])
        found["fsyncs_per_second_of_the_disk"] = round(fsync_rate(folder))
        before = served.processor_seconds()
        alone = asyncio.run(closed_loop(served, events, event, 64, 2 * seconds))
        found["events_per_second_64_clients"] = round(len(alone) / (2 * seconds))
        found["processor_microseconds"]["event"] = round(1e6 * (served.processor_seconds() - before) / len(alone))
        found["event_p99_ms"] = percentile(alone, 0.99)
        found |= while_events_come(served, place, question, events, event, seconds, turns)
        found["turns_left_out_for_stolen_time"] = turns.disturbed
        found["read_your_writes"] = {"pairs": pairs, "missed": asyncio.run(read_your_writes(served, pairs, n, m))}
        found["load_after"] = os.getloadavg()
    finally:
        bare.stop()
        served.stop()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small model and short runs")
    asked = parser.parse_args()
    shape = (5_000, 2_000, 20, 32, 1.0, 200) if asked.quick else (100_000, 20_000, 48, 64, 4.0, 10_000)
    sizes = {"0.5 M": 500_000, "1 M": 1_000_000} if asked.quick else {"1 M": 1_000_000, "12 M": 12_000_000}
    gc.collect()
    gc.freeze()  # a collection in the client would count as the server's
    gc.disable()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TACIT_BENCH_FOLDER")) as folder:
        found = {"single_answer_ms": single_answers(sizes, shape[1], shape[3])}
        found |= measure(Path(folder), *shape)
    print(json.dumps(found, indent=2))
    if not asked.quick:
        results.write("service", found)


if __name__ == "__main__":
    main()
