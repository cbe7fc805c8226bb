"""FactorRecommender() of this commit and of another, on the sets and the split of ``full_rank.py``.

    python -m benchmarks.peers.defaults_recommend [--sets A,B] [--before SRC] [--quick]

NDCG@10 over the full ranking, a fifth of the positives held out at random (seed 0). ``--before`` names another commit's
``src`` folder; what recommended by default there was FactorRecommender(). Figures and processor seconds of the fit go
to ``results/recommend-defaults.json`` as they come; what is not asked for is kept. ``--quick`` takes the first set.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.peers.full_rank import SETS
from benchmarks.processes import ask
from tacit import Interactions

NAME = "recommend-defaults"
OURS, BEFORE = "FactorRecommender()", "FactorRecommender() before"


def measure(name: str, before: str | None) -> dict[str, Any]:
    """Both commits on one set, each in a process of its own."""
    parts = Interactions.from_matrix(SETS[name]().matrix).split(test=0.2, seed=0)
    sources = {OURS: None} | ({BEFORE: before} if before else {})
    with tempfile.TemporaryDirectory() as folder:
        for part, cells in zip(("train", "test"), parts):
            sp.save_npz(Path(folder) / f"{part}.npz", sp.csr_matrix(cells.matrix.astype(np.float32)))
        return {
            method: ask("peers.adapters:our_recommend", source=source, folder=folder)
            for method, source in sources.items()
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", help="names of data sets, with commas")
    parser.add_argument("--before", metavar="SRC", help="src folder of another commit")
    parser.add_argument("--quick", action="store_true", help="the first set, into a file of its own")
    given = parser.parse_args()
    file = f"{NAME}-quick" if given.quick else NAME
    figures: dict[str, Any] = results.read(file)["figures"] if (results.FOLDER / f"{file}.json").exists() else {}
    for name in given.sets.split(",") if given.sets else list(SETS)[: 1 if given.quick else None]:
        figures[name] = figures.get(name, {}) | measure(name, given.before)
        print(name, figures[name], flush=True)
        results.write(file, figures, command="python -m benchmarks.peers.defaults_recommend")


if __name__ == "__main__":
    main()
