"""Draw the pictures of the docs from the results files.

    python -m benchmarks.figures [NAME…] [--quick] [--folder FOLDER]

All of them by default, into ``docs/figures``. ``--quick`` draws the figures of the quick runs. A picture whose results
file, or part of it, does not exist yet is left out and named.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import results
from benchmarks.processes import ROOT
from benchmarks.render import Drawing, engine, grade, machine, recommend, stream, tag, versus, words

FOLDER = ROOT / "docs" / "figures"
MODULES = (engine, recommend, tag, words, stream, grade, versus, machine)


def drawings() -> dict[str, Drawing]:
    """Name of the SVG file → how it is drawn."""
    return {name: drawing for module in MODULES for name, drawing in module.FIGURES.items()}


def save(figure: Figure, path: Path, text: bool = False) -> None:
    """The same figures give the same file: no date in it and no random ids."""
    with mpl.rc_context({"svg.hashsalt": "tacit", "svg.fonttype": "none" if text else "path"}):
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    known = drawings()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="draw the figures of the quick runs")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no picture {', '.join(unknown)}; there are {', '.join(known)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    ending = "-quick" if given.quick else ""
    for name in given.names or known:
        file = known[name].file + ending
        try:
            figure = known[name].draw(results.read(file)["figures"])
        except (FileNotFoundError, KeyError) as missing:
            print(f"{name} is left out: {file}.json has not been measured, or not all of it ({missing})")
            continue
        path = given.folder / f"{name}{ending}.svg"
        save(figure, path, known[name].text)
        print(path)


if __name__ == "__main__":
    main()
