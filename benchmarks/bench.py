"""One table or figure by name: measure it, then give it back as JSON, which ``tacit bench`` shows; or all on one page.

    python -m benchmarks.bench --list
    python -m benchmarks.bench NAME [--quick] [--show]
    python -m benchmarks.bench --html FILE

``--show`` measures nothing and takes the results files as they are. The programs' own output goes to standard error.
``--html`` writes everything that was measured as one page to look at: tables from ``render/``, as everywhere; pictures
from ``docs/figures`` and, where a few numbers say most, drawn here from the same results files.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import registry, results
from benchmarks.pages import BLOCKS, ROOT, source
from benchmarks.processes import ABSENT, launch
from tacit.report import markdown
from tacit.report.blocks import Bars, Block, Lines, Paragraph, Picture, Section, Table, Tiles
from tacit.report.page import render


def measure(name: str, quick: bool) -> list[str]:
    """Call the programs; gives back a sentence for each that could not do its work."""
    remarks = []
    for call in registry.commands(name, quick):
        ended = launch(*call, stdout=sys.stderr)
        if ended:
            absent = "its data are not here; a line above says which they are and where to get them"
            why = absent if ended == ABSENT else f"it ended with {ended}"
            remarks.append(f"{' '.join(call)} did not measure: {why}.")
    return remarks


def document(name: str, quick: bool, remarks: list[str]) -> dict[str, Any]:
    """All there is to show of one table or figure."""
    records = registry.records(name, quick)
    return {
        "name": name,
        "title": registry.title(name),
        "paper": registry.citation(name),
        "quick": quick,
        "tables": [table.to_dict() for table in registry.tables(name, quick)],
        "remarks": remarks,
        "sources": [
            {"command": record["command"], "date": record["date"], "machine": record["machine"]}
            for record in records
            if record
        ],
    }


DOCS = ROOT / "docs"

TITLE = "What Tacit measures"
LEAD = (
    "Every figure on this page was written by a program in `benchmarks/` to a file in `benchmarks/results/`, with the "
    "command, the date and the machine. Peers get the same data; which of them are tuned, and over which grids, stands "
    "in the program. Read ratios within a table rather than seconds: other machines have other seconds."
)
JOBS = {
    "Recommend": ("recommend", "sweep", "engine"),
    "Tag": ("tag",),
    "Words": ("words",),
    "Rate a stream": ("stream",),
    "Grade": ("grade",),
}
"""Section → how the names of its results files and pictures begin; all others come last, under ``OTHERS``."""
OTHERS = "Loading, measuring, and the rest"
PAPERS = {"fbgd": "fBGD", "nn-apa": "NN-APA", "qs3orao": "QS3ORAO", "exmlds": "ExMLDS", "ocmf": "One-class MF"}


def benchmark_page() -> str:
    """The whole page, from all results files."""
    records = {path.stem: results.read(path.stem) for path in sorted(results.FOLDER.glob("*.json"))}
    sections = [_in_short(records)]
    for job in (*JOBS, OTHERS):
        blocks = [*_drawn(job, records), *_pictures(job), *_tables(job, records)]
        if blocks:
            sections.append(Section(job, blocks))
    sections.append(Section("How it scales", list(_scaling(records))))
    for paper, name in PAPERS.items():
        sections.append(Section(f"The paper's tables: {name}", list(_paper(paper))))
    return render(TITLE, LEAD, sections, "Made by `tacit bench --html`.")


def _job(name: str) -> str:
    return next((job for job, starts in JOBS.items() if name.startswith(starts)), OTHERS)


def _in_short(records: dict[str, dict[str, Any]]) -> Section:
    """Ratios that can be read off the results files, each with the file it is from."""
    tiles = []
    if "recommend" in records:
        sets = [data["methods"] for data in records["recommend"]["figures"].values()]
        ratios = [
            one["Tacit, no parameters"]["ndcg@10"]
            / max(row["ndcg@10"] for name, row in one.items() if not name.startswith("Tacit"))
            for one in sets
        ]
        remark = f"NDCG@10 of Tacit without parameters over the best tuned peer on {len(sets)} sets; `recommend.json`"
        tiles.append(("Accuracy", _span(ratios, 2), remark))
        for peer in ("Implicit, tuned", "Irspack, tuned"):
            both = [one for one in sets if peer in one]
            ratios = [one[peer]["fit_seconds_best"] / one["Tacit, no parameters"]["fit_seconds_best"] for one in both]
            if ratios:
                name = peer.partition(",")[0]
                remark = f"fit time of {name}, tuned, over ours on {len(ratios)} sets; `recommend.json`"
                tiles.append((f"Beside {name}", _span(ratios), remark))
    if "words-quick" in records:
        table = records["words-quick"]["figures"].get("methods", {})
        ours, other = table.get("tacit"), table.get("gensim skip-gram")
        if ours and other and "processor_seconds" in ours:
            ratio = other["processor_seconds"] / ours["processor_seconds"]
            tiles.append(("Beside gensim", _span([ratio]), "processor time of skip-gram over ours; `words-quick.json`"))
    if "stream-speed" in records:
        ratio = records["stream-speed"]["figures"]["times_biased_mf"].get("partial_fit diagonal k=10")
        if ratio:
            tiles.append(("Beside river", f"{ratio:.0f}×", "ratings a second over BiasedMF; `stream-speed.json`"))
    dates = sorted({str(record.get("date", "")) for record in records.values()} - {""})
    machines = sorted({str(record.get("machine", {}).get("processor", "")) for record in records.values()} - {""})
    facts = f"{len(records)} results files, from {dates[0]} to {dates[-1]}, on {'; '.join(machines)}." if dates else ""
    return Section("In short", [*([Tiles(tiles)] if tiles else []), Paragraph(facts)])


def _span(ratios: list[float], digits: int = 1) -> str:
    low, high = (f"{value:.{digits}f}" for value in (min(ratios), max(ratios)))
    return f"{low}×" if low == high else f"{low}–{high}×"


def _drawn(job: str, records: dict[str, dict[str, Any]]) -> Iterator[Block]:
    if job != "Recommend":
        return
    for name, data in records.get("recommend", {}).get("figures", {}).items():
        ndcg = {method: row["ndcg@10"] for method, row in data["methods"].items()}
        yield Bars(f"{name}: NDCG@10 on held-out positives", ndcg, marked="Tacit, no parameters")
        seconds = {method: row["fit_seconds_best"] for method, row in data["methods"].items()}
        yield Bars(f"{name}: seconds to fit, best of several", seconds, marked="Tacit, no parameters", unit=" s")
    rows = records.get("sweep", {}).get("figures", {}).get("table", [])
    most = max((row["positives"] for row in rows), default=0)
    chosen = sorted((row for row in rows if row["positives"] == most), key=lambda row: row["factors"])
    if len(chosen) > 1:
        series = {name: [row[name]["sweep_seconds"] for row in chosen] for name in ("tacit", "implicit", "irspack")}
        factors = [row["factors"] for row in chosen]
        yield Lines(f"Seconds of one sweep, {most:,} positives", factors, series, "factors", "seconds", log_x=True)


def _pictures(job: str) -> Iterator[Block]:
    captions = {}
    for page in sorted(DOCS.rglob("*.md")):
        for caption, name in re.findall(r"!\[([^\]]*)\]\([^)]*figures/([\w-]+)\.svg\)", page.read_text("utf-8")):
            captions.setdefault(name, caption)
    for path in sorted((DOCS / "figures").glob("*.svg")):
        if _job(path.stem) == job and path.stem in captions:
            yield Picture(captions[path.stem], path.read_text(encoding="utf-8"))


def _tables(job: str, records: dict[str, dict[str, Any]]) -> Iterator[Block]:
    for name, record in records.items():
        if _job(name) == job and name in BLOCKS:
            yield Paragraph(f"**{BLOCKS[name].title}**")
            yield from markdown.blocks(BLOCKS[name].drawn(name, records))
            yield Paragraph(f"{source(record)}.")


def _scaling(records: dict[str, dict[str, Any]]) -> Iterator[Block]:
    for name in ("costs", "unit-costs", "capacity"):
        yield Paragraph(f"**{BLOCKS[name].title}**")
        if all(file in records for file in BLOCKS[name].files):
            yield from markdown.blocks(BLOCKS[name].drawn(name, records))
        else:
            yield Paragraph("Not measured yet.")


def _paper(paper: str) -> Iterator[Block]:
    names = [name for name in registry.names() if name.startswith(f"{paper}-")]
    if names:
        yield Paragraph(registry.citation(names[0]))
    for name in names:
        yield Paragraph(f"**{registry.title(name)}**; `tacit bench {name}`")
        for table in registry.tables(name, quick=False):
            if table.rows:
                yield Table(table.headings, table.rows, caption=table.title)
            for note in table.notes:
                yield Paragraph(note)
        for record in registry.records(name, quick=False):
            yield Paragraph(f"{source(record)}." if record else "Not measured yet.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true", help="the names that there are")
    parser.add_argument("--quick", action="store_true", help="less than two minutes, into a results file of its own")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what was measured last")
    parser.add_argument("--html", type=Path, help="write all that was measured so far as one page")
    given = parser.parse_args()
    if given.html:
        given.html.write_text(benchmark_page(), encoding="utf-8")
        print(json.dumps({"page": str(given.html)}))
        return
    if given.list:
        print(json.dumps({name: registry.title(name) for name in registry.names()}, ensure_ascii=False))
        return
    if given.name not in registry.names():
        raise SystemExit(f"there is no table {given.name!r}; --list shows the names.")
    remarks = [] if given.show else measure(given.name, given.quick)
    print(json.dumps(document(given.name, given.quick, remarks), ensure_ascii=False))


if __name__ == "__main__":
    main()
