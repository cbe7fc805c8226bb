"""Runs inside a peer's interpreter: loads an adapter, then fits whenever it is told to.

Requests come as JSON lines on standard input, answers go as JSON lines to standard output:

    {"fit": {parameters}, "save": "factors.npz" or null}
        →  {"seconds": 0.61, "processor_seconds": 1.1, "peak_mib": 210.0}

The training matrix is loaded once. An adapter has ``fit(train, threads, **parameters) -> (P, Q)`` and ``VERSION``.
"""

import contextlib
import importlib
import json
import os
import sys
import time

from benchmarks.machine import memory


def main() -> None:
    adapter_name, matrix_path, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    import numpy as np
    import scipy.sparse as sp

    answers = os.fdopen(os.dup(1), "w")
    # Peers print bars and warnings; only answers may reach the caller.
    os.dup2(2, 1)
    adapter = importlib.import_module(f"benchmarks.peers.adapters.{adapter_name}")
    train = sp.load_npz(matrix_path)
    print(json.dumps({"ready": adapter.VERSION}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                memory.reset()
                began, worked = time.perf_counter(), time.process_time()
                rows, cols = adapter.fit(train, threads, **request["fit"])
                seconds, peak = time.perf_counter() - began, memory.peak_mib()
                processor = time.process_time() - worked
            if request.get("save"):
                np.savez(request["save"], rows=rows, cols=cols)
            answer = {"seconds": seconds, "processor_seconds": processor, "peak_mib": round(peak, 1)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
