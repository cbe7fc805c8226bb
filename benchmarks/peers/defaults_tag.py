"""Taggers with default parameters against their peers, on every development set: the defaults table of tags.

    python -m benchmarks.peers.defaults_tag [--sets A,B] [--methods "A;B"] [--before SRC]

The published split, or a fifth of the rows held out (seed 0; Reuters K500: the last fifth). Every method runs as its
library sets it; omikuji and napkinXC in the peers' interpreter. ``--before`` names another commit's ``src``
folder, whose taggers stand beside. P@1/3/5, nDCG@5 and the processor seconds of the fit go to
``results/tag-defaults.json`` as they come; what is not asked for is kept. The table prints the gap in nDCG@5 of each
tagger to the best peer, and of each to what it was before.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

NAME = "tag-defaults"
TAGGERS = {
    "FactorTagger()": ("FactorTagger", (), {}),
    "FactorTagger(loss='square')": ("FactorTagger", (), {"loss": "square"}),
    "NeighbourTagger()": ("NeighbourTagger", (), {}),
    "KernelTagger()": ("KernelTagger", (), {}),
    "KernelTagger('linear')": ("KernelTagger", ("linear",), {}),
    "BlendTagger()": ("BlendTagger", (), {}),
}
PEERS = ("omikuji Parabel", "napkinXC PLT")
SETS = (
    "bibtex", "delicious", "rcv1v2", "stackex_cooking", "stackex_cs", "enron", "corel5k", "corel16k001",
    "mediamill-small", "reutersk500", "Debian packages",
)  # fmt: skip


def parts(name: str) -> tuple[Any, ...]:
    """X, Y, X_test and Y_test of a set."""
    from benchmarks.contest import tag
    from tacit.data import load_multilabel

    if name == tag.DEBIAN:
        return tag.debian()
    if name == "reutersk500":
        data = load_multilabel(name)
        cut = data.X.shape[0] * 4 // 5
        return data.X[:cut], data.Y[:cut], data.X[cut:], data.Y[cut:]
    return tag.published(name)


def measured(method: str, folder: Path, Y_test: Any, source: str | None) -> dict[str, Any]:
    """Figures of one method on the arrays of a folder."""
    from benchmarks.processes import Failed, ask
    from tacit.metrics.labels import ndcg_at_k, precision_at_k

    try:
        if method in PEERS:
            said = ask("peers.adapters:rank", peers=True, method=method, folder=str(folder), parameters={})
        else:
            asked = dict(zip(("estimator", "arguments", "parameters"), TAGGERS[method]))
            said = ask("peers.adapters:our_tag", source=source, folder=str(folder), **asked)
    except Failed as error:
        return {"failed": str(error)}
    top = np.load(folder / "top.npy")
    figures = {f"P@{k}": round(100 * precision_at_k(Y_test, top, k), 2) for k in (1, 3, 5)}
    figures["nDCG@5"] = round(100 * ndcg_at_k(Y_test, top, 5), 2)
    return figures | said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", help="names of data sets, with commas")
    parser.add_argument("--methods", help="names of methods, with semicolons")
    parser.add_argument("--before", metavar="SRC", help="src folder of another commit")
    given = parser.parse_args()
    from benchmarks import results
    from tacit.data.matrix import as_csr

    known = results.FOLDER / f"{NAME}.json"
    figures: dict[str, Any] = results.read(NAME)["figures"] if known.exists() else {}
    methods = given.methods.split(";") if given.methods else [*TAGGERS, *PEERS]
    for name in given.sets.split(",") if given.sets else SETS:
        X, Y, X_test, Y_test = (as_csr(part, "a part").native() for part in parts(name))
        with tempfile.TemporaryDirectory() as folder:
            for part, matrix in (("X", X), ("Y", Y), ("X_test", X_test)):
                sp.save_npz(Path(folder) / f"{part}.npz", sp.csr_matrix(matrix))
            for method in methods:
                rows = figures.setdefault(name, {})
                rows[method] = measured(method, Path(folder), Y_test, None)
                if given.before and method in TAGGERS and "Kernel" not in method:
                    rows[f"{method} before"] = measured(method, Path(folder), Y_test, given.before)
                print(name, method, rows[method], rows.get(f"{method} before", ""), flush=True)
                results.write(NAME, figures, command="python -m benchmarks.peers.defaults_tag")
    show(figures)


def show(figures: dict[str, Any]) -> None:
    """Gaps in nDCG@5 to the best peer, in percentage points; in brackets those of the commit before."""
    for method in TAGGERS:
        cells = []
        for name, rows in figures.items():
            best = max((rows[peer].get("nDCG@5", 0.0) for peer in PEERS if peer in rows), default=None)
            if best is None or method not in rows or "failed" in rows[method]:
                continue
            before = rows.get(f"{method} before", {}).get("nDCG@5")
            was = "" if before is None else f" ({before - best:+.1f})"
            cells.append(f"{name} {rows[method]['nDCG@5'] - best:+.1f}{was}")
        print(f"{method}: " + ", ".join(cells))


if __name__ == "__main__":
    main()
