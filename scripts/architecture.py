"""Write the walks and the picture of docs/architecture.md from what really runs.

A walk is the chain of calls from a public call to its kernel, as files: the program is stopped at the kernel, and the
files on its stack are read. What only stands around a call (``AROUND``) is left out.

    python scripts/architecture.py           write the page's lists and docs/figures/architecture.svg
    python scripts/architecture.py --check   fail if the committed ones are not what would be written
"""

import importlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import tacit
from tacit.neighbours.first_answers import allowance

ROOT = Path(__file__).parents[1]
PACKAGE = Path(tacit.__file__).parent
PAGE = ROOT / "docs" / "architecture.md"
FIGURE = ROOT / "docs" / "figures" / "architecture.svg"
BEGIN, END = "<!-- walks -->", "<!-- end of walks -->"
MOST_FILES = 10
AROUND = ("threads.py", "concurrency.py")
"""What only stands around a call: the thread pool, and the copy of a model that a call works on."""
KERNEL, SHARED, ALONE = ("#f6e3c5", "#a8742f"), ("#cfe3f5", "#2f6fa8"), ("#ffffff", "#777777")
"""Fill and rule of a box."""

KERNELS = {"tacit.features.fourier.sincos": "kernels/sincos.py"}
"""Kernels that are imported by name: where they are called, and their file."""


def _calls() -> dict[str, tuple[str, Callable[[], Any]]]:
    """Public call → the kernel that it should end in, and how to make it on tiny data."""
    allowance.end()  # the first answers of a process come from NumPy
    rng = np.random.default_rng(0)
    positives = sp.csr_array((rng.random((60, 50)) < 0.2).astype(np.float32))
    X = rng.random((40, 12))
    Y = sp.csr_array((X[:, :6] > 0.6).astype(np.float64))
    lines = [[f"w{word}" for word in rng.zipf(1.5, 12) % 20] for _ in range(60)]
    grades = np.where(np.arange(40) < 30, np.digitize(X[:, 0], [0.3, 0.6]), -1)
    quiet: dict[str, Any] = {"threads": 1, "progress": False}
    model = tacit.FactorRecommender(32, **quiet)
    ranker = tacit.OrdinalRanker(
        features="fourier", n_components=16, bandwidth=1.0, regularization=0.1, unlabelled_weight=0.5, loss="square",
        **quiet,
    )  # fmt: skip
    row_kernel = "tacit.kernels.als.conjugate_gradient_rows"
    return {
        "FactorRecommender.fit": (row_kernel, lambda: model.fit(positives)),
        "FactorTagger.fit": (
            "tacit.kernels.positives.curvature_of_rows",
            lambda: tacit.FactorTagger(8, **quiet).fit(X, Y),
        ),
        "WordVectors.fit": (row_kernel, lambda: tacit.WordVectors(20, min_count=1, **quiet).fit(lines)),
        "RatingStream.partial_fit": (
            "tacit.kernels.rating_rounds.light_rounds",
            lambda: tacit.RatingStream(4).partial_fit([1, 2], [3, 4], [5, 1]),
        ),
        "OrdinalRanker.fit": ("tacit.features.fourier.sincos", lambda: ranker.fit(X[:, :3], grades)),
        "FactorRecommender.recommend": ("tacit.kernels.topk.offer", lambda: model.recommend(range(20), k=3)),
    }


def walk(kernel: str, call: Callable[[], Any]) -> list[str]:
    """The files from a public call to its kernel; a file that is entered again after another stands there twice."""
    home, name = kernel.rsplit(".", 1)
    module = importlib.import_module(home)
    real = getattr(module, name)
    chains: list[list[str]] = []

    def spy(*arguments: Any) -> Any:
        files = []
        frame = sys._getframe(1)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PACKAGE) and path.name not in AROUND:
                files.append(path.relative_to(PACKAGE).as_posix())
            frame = frame.f_back
        chains.append(files[::-1])
        return real(*arguments)

    setattr(module, name, spy)
    try:
        call()
    finally:
        setattr(module, name, real)
    if not chains:
        raise SystemExit(f"{kernel} was not called; name in _calls the kernel in which the call ends.")
    last = KERNELS.get(kernel, home.removeprefix("tacit.").replace(".", "/") + ".py")
    return [file for file, _ in itertools.groupby([*chains[0], last])]


def walks() -> dict[str, list[str]]:
    """Public call → its files."""
    return {name: walk(*given) for name, given in _calls().items()}


def listing(found: dict[str, list[str]]) -> str:
    """The walks as a table of the page."""
    rows = ["| call | files, in the order in which they are entered |", "|---|---|"]
    rows += [f"| `{name}` | {' → '.join(f'`{file}`' for file in files)} |" for name, files in found.items()]
    return "\n".join(rows)


def picture(found: dict[str, list[str]]) -> str:
    """One column per call; a file that several walks share has one colour."""
    shared = {file for file in itertools.chain(*found.values()) if sum(file in files for files in found.values()) > 1}
    wide, high, gap = 208, 40, 22
    width, height = 24 + len(found) * (wide + 16), 96 + max(map(len, found.values())) * (high + gap)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        "<title>From a public call to its kernel</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<rect x="24" y="14" width="16" height="16" fill="' + '" stroke="'.join(SHARED) + '"/>',
        '<text x="48" y="27" fill="#222222">shared by several calls</text>',
        '<rect x="224" y="14" width="16" height="16" fill="' + '" stroke="'.join(KERNEL) + '"/>',
        '<text x="248" y="27" fill="#222222">kernel</text>',
    ]
    for column, (name, files) in enumerate(found.items()):
        x = 24 + column * (wide + 16)
        parts.append(
            f'<text x="{x + wide / 2}" y="60" text-anchor="middle" font-size="12" font-weight="600">{name}</text>'
        )
        for place, file in enumerate(files):
            y = 76 + place * (high + gap)
            fill, rule = KERNEL if file.startswith("kernels/") else SHARED if file in shared else ALONE
            folder, _, leaf = file.rpartition("/")
            middle = x + wide / 2
            parts += [
                f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="5" fill="{fill}" stroke="{rule}"/>',
                f'<text x="{middle}" y="{y + 16}" text-anchor="middle" fill="#555555" font-size="11">{folder}/</text>',
                f'<text x="{middle}" y="{y + 32}" text-anchor="middle" fill="#111111">{leaf}</text>',
            ]
            if place:
                parts.append(
                    f'<path d="M{middle} {y - gap} v{gap - 5} m-4 0 l4 5 l4 -5" fill="none" stroke="#555555"/>'
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def written(found: dict[str, list[str]]) -> dict[Path, str]:
    """File → what it should hold."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return {PAGE: f"{before}{BEGIN}\n{listing(found)}\n{END}{after}", FIGURE: picture(found)}


def main() -> None:
    for file, text in written(walks()).items():
        if "--check" not in sys.argv:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{file.relative_to(ROOT)} is not what runs; python scripts/architecture.py writes it.")


if __name__ == "__main__":
    main()
