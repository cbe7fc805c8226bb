"""What compiling costs the first time: processor seconds of a first fit in an empty cache, and of the second process.

    python -m benchmarks.machine.first_use [JOB ...]

Each job is a fit with default parameters on small data and one question, in a fresh process. The first process starts
with an empty cache of kernels, the second finds what the first one compiled. The difference is what a user waits for
once.

Writes ``results/first-use.json``, job by job.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from benchmarks import results

IMPORTS = "import time, numpy as np, tacit\nrng = np.random.default_rng(0)\n"
JOBS = {
    "recommend": (
        """
model = tacit.FactorRecommender().fit(rng.random((200, 100)) < 0.1)
""",
        "model.recommend([0, 1], k=5)",
    ),
    "words": (
        """
lines = [" ".join(f"w{n}" for n in rng.zipf(1.5, 12) % 200) for _ in range(300)]
model = tacit.WordVectors(min_count=1).fit(lines)
""",
        "model.most_similar('w1')",
    ),
    "streams": (
        """
users, items = rng.integers(0, 50, 500), rng.integers(0, 40, 500)
model = tacit.ExpertRatingStream().fit(users, items, rng.integers(1, 6, 500))
""",
        "model.predict(users[:5], items[:5])",
    ),
    "tag": (
        """
X = rng.random((120, 20))
model = tacit.KernelTagger().fit(X, X[:, :4] > 0.6)
""",
        "model.predict_topk(X[:5], 2)",
    ),
    "grade": (
        """
X = rng.random((80, 4))
model = tacit.OrdinalRanker().fit(X, np.where(np.arange(80) < 50, (X[:, 0] * 3).astype(int), -1))
""",
        "model.predict(X[:5])",
    ),
}
"""Job → a fit with default parameters on small data, and a first question."""


def run(job: str, folder: str) -> dict[str, float]:
    """One process: processor and wall seconds after the imports, and processor seconds of the fit alone."""
    fit, question = JOBS[job]
    program = f"""{IMPORTS}
began = time.process_time(), time.perf_counter()
{fit}
fitted = time.process_time()
{question}
print("\\n", time.process_time() - began[0], time.perf_counter() - began[1], fitted - began[0])
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    cpu, wall, fitting = map(float, done.stdout.split()[-3:])
    return {"cpu_seconds": cpu, "seconds": wall, "fit_cpu_seconds": fitting}


def measure(job: str) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        return {"first": run(job, folder), "second": run(job, folder)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", default=[*JOBS], help=f"of {', '.join(JOBS)}")
    for job in parser.parse_args().jobs:
        figures = measure(job)
        print(job, json.dumps(figures))
        results.write_part("first-use", job, figures)


if __name__ == "__main__":
    main()
