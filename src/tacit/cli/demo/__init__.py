"""``tacit demo``: every job on the bundled data, for people to read, and as a page to look at.

A job is one module here with ``DOING`` (what it says while it works) and ``section(debian)``.
"""

import time
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from tacit import atomic_file
from tacit.cli.demo.screen import print_section
from tacit.cli.options import json_option
from tacit.cli.output import console, print_json
from tacit.errors import InputError

SECTIONS = ("packages", "tags", "words", "stream", "grades")
"""Modules of this folder, in the order in which they are shown."""

LEAD = (
    "Nobody ever says that a package does not deserve a tag, or that two packages do not belong together. What is "
    "there is right, what is absent is unknown. This page was made by learning from all of it, labelled and "
    "unlabelled alike: no cell was sampled."
)


@click.command("demo")
@click.option("-o", "--output", "folder", type=click.Path(path_type=Path, file_okay=False), default=Path("tacit-demo"),
              show_default=True, help="Folder of the page.")  # fmt: skip
@click.option("--packages", default=10_000, show_default=True, help="How many packages to learn from.")
@click.option("--only", multiple=True, type=click.Choice(SECTIONS), help="Only this part; may be given repeatedly.")
@json_option
def command(folder: Path, packages: int, only: tuple[str, ...], as_json: bool) -> None:
    """Show every job on real data: Debian's package index, which comes with Tacit."""
    from tacit.data import load_debian
    from tacit.report.page import render

    if packages < 500:
        raise InputError(f"--packages {packages} leaves too little to learn from; give at least 500.")
    began = time.perf_counter()
    debian = load_debian().first(packages)
    if not as_json:
        click.echo(f"{debian.table.height:,} packages of {debian.release}. {LEAD.partition('. This')[0]}.\n")
    sections, seconds = [], {}
    for name in SECTIONS if not only else [name for name in SECTIONS if name in only]:
        part = import_module(f"tacit.cli.demo.{name}")
        start = time.perf_counter()
        with console().status(f"{part.DOING} (the first time, kernels are compiled)"):
            sections.append(part.section(debian))
        seconds[name] = round(time.perf_counter() - start, 2)
        if not as_json:
            print_section(sections[-1])
    footer = f"{debian.table.height:,} packages of {debian.release}, made by `tacit demo`."
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    atomic_file.write_text(page, render("What Tacit sees in Debian's packages", LEAD, sections, footer))
    if as_json:
        outcome: dict[str, Any] = {name: dict(one.figures) for name, one in zip(seconds, sections)}
        print_json(outcome | {"seconds": seconds, "page": str(page)})
        return
    click.echo(f"\nDone in {time.perf_counter() - began:.0f} s. The same with pictures: {page.resolve()}")
