"""Tables and pictures in README and docs come from results files, and from nowhere else.

    python -m benchmarks.pages                       rewrite the generated blocks of all pages
    python -m benchmarks.pages --check               fail where a committed page differs from what the results say
    python -m benchmarks.pages --figures [NAME…] [--quick] [--folder FOLDER]
                                                     draw the pictures, all by default, into ``docs/figures``

A block stands between two comments in a Markdown page and names a results file:

    <!-- results: recommend -->
    …
    <!-- end -->

The modules of ``benchmarks/render`` list in ``BLOCKS`` what draws a block: Markdown from the content of
``results/<name>.json``, or of the several results files that the block names. A block ``bench-NAME`` is what ``tacit
bench NAME`` shows. Pictures are listed in ``FIGURES`` there; one whose results file, or part of it, does not exist yet
is left out and named. ``--quick`` draws the pictures of the quick runs.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import registry, results
from benchmarks.render import (
    Block,
    Drawing,
    engine,
    grade,
    machine,
    recommend,
    scaling,
    stream,
    table,
    tag,
    versus,
    words,
)

HERE = Path(__file__).parent
ROOT = HERE.parent
FIGURES = ROOT / "docs" / "figures"
BLOCK = re.compile(r"(<!-- results: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


BENCH = "bench-"
MODULES = (recommend, tag, words, stream, grade, engine, versus, machine, scaling)
DRAWINGS: dict[str, Drawing] = {
    name: drawing for module in MODULES for name, drawing in getattr(module, "FIGURES", {}).items()
}
"""Name of the SVG file → how it is drawn."""
BLOCKS: dict[str, Block] = {name: block for module in MODULES for name, block in module.BLOCKS.items()}


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def render(name: str) -> str:
    """The block for one results file; says so where nothing has been measured yet."""
    if name.startswith(BENCH):
        return of_bench(name.removeprefix(BENCH))
    if name not in BLOCKS:
        raise SystemExit(
            f"a page asks for results: {name}, which nothing draws; add it to a module of benchmarks/render."
        )
    block = BLOCKS[name]
    records: dict[str, Any] = {}
    for file in block.files or (name,):
        path = HERE / "results" / f"{file}.json"
        if not path.exists():
            return f"*Not measured yet: `results/{file}.json` does not exist.*\n"
        records[file] = json.loads(path.read_text(encoding="utf-8"))
    text = block.drawn(name, records).strip()
    if block.files:
        return f"\n{text}\n\n*From {', '.join(f'`{file}.json`' for file in block.files)}.*\n\n"
    # Programs that measure in parts write after each; the command is that of the latest part.
    return f"\n{text}\n\n*Latest: {source(records[name])}.*\n\n"


def of_bench(name: str) -> str:
    """A table or figure as ``tacit bench`` shows it; what is said below one table is not said again below the next."""
    parts: list[str] = []
    for shown in registry.tables(name, quick=False):
        cells = [[str(cell).replace("|", "\\|") for cell in row] for row in (shown.headings, *shown.rows)]
        body = table([head or " " for head in cells[0]], cells[1:]) if shown.rows else "Not measured yet."
        parts += [f"**{shown.title}**", body, *(note for note in shown.notes if note not in parts)]
    parts += [f"*Latest: {source(record)}.*" for record in registry.records(name, quick=False) if record]
    return "\n" + "\n\n".join(parts) + "\n\n"


def source(record: dict[str, Any]) -> str:
    """Which command made a results file, when and where."""
    machine = record["machine"]
    cores = machine.get("cores", "?")
    where = f"{cores} core{'' if cores == 1 else 's'}, {machine.get('processor', 'unknown processor')}"
    return f"`{record['command']}`, {record['date']}, {where}"


def rewritten(text: str) -> str:
    return BLOCK.sub(lambda match: match[1] + render(match["name"]) + match[4], text)


def save(figure: Figure, path: Path, text: bool = False) -> None:
    """The same figures give the same file: no date in it and no random ids."""
    with mpl.rc_context({"svg.hashsalt": "tacit", "svg.fonttype": "none" if text else "path"}):
        figure.savefig(path, metadata={"Date": None})


def draw(names: list[str], folder: Path, quick: bool) -> None:
    """Write pictures and print where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    ending = "-quick" if quick else ""
    for name in names:
        file = DRAWINGS[name].file + ending
        try:
            figure = DRAWINGS[name].draw(results.read(file)["figures"])
        except (FileNotFoundError, KeyError) as missing:
            print(f"{name} is left out: {file}.json has not been measured, or not all of it ({missing})")
            continue
        path = folder / f"{name}{ending}.svg"
        save(figure, path, DRAWINGS[name].text)
        print(path)


def rewrite(check: bool) -> None:
    """Bring every page up to date, or with ``check`` fail where one is not."""
    stale = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            stale.append(str(page.relative_to(ROOT)))
            if not check:
                page.write_text(new, encoding="utf-8")
    if check and stale:
        raise SystemExit(f"out of date: {', '.join(stale)}; run python -m benchmarks.pages")
    print(f"{len(stale)} page(s) rewritten" if stale else "all pages match the results")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, fail where a page is out of date")
    parser.add_argument("--figures", nargs="*", metavar="NAME", help=f"draw pictures: {', '.join(DRAWINGS)}")
    parser.add_argument("--quick", action="store_true", help="draw the pictures of the quick runs")
    parser.add_argument("--folder", type=Path, default=FIGURES, help="where pictures go")
    given = parser.parse_args()
    if given.figures is None:
        rewrite(given.check)
        return
    unknown = [name for name in given.figures if name not in DRAWINGS]
    if unknown:
        parser.error(f"there is no picture {', '.join(unknown)}; there are {', '.join(DRAWINGS)}")
    draw(given.figures or [*DRAWINGS], given.folder, given.quick)


if __name__ == "__main__":
    main()
