"""``tacit bench``: a paper's table or figure, or a job beside its peers, measured by the programs of the checkout."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import console, print_facts, print_json, print_table, say
from tacit.errors import InputError


@click.command("bench")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the names of all tables and figures.")
@click.option("--quick", is_flag=True, help="A small version, in less than two minutes.")
@click.option("--show", is_flag=True, help="Measure nothing; show what was measured last.")
@click.option("--html", "page", type=OutputFile("page"), help="Write all that was measured so far as one page.")
@json_option
def command(name: str | None, listed: bool, quick: bool, show: bool, page: Path | None, as_json: bool) -> None:
    """Measure the table or figure NAME of a paper, or a job beside its peers, and show it.

    The paper's figure stands beside ours; what could not be measured here says why. Without --quick some of them take
    hours. The figures also go to benchmarks/results, those of --quick to files of their own.
    """
    if page is not None:
        if name or listed or quick or show:
            raise InputError("--html writes all that was measured so far; leave out NAME and the other options.")
        outcome = _ask("--html", str(page.resolve()))
        print_json(outcome) if as_json else say(f"wrote the page {page}.")
        return
    known: dict[str, str] = _ask("--list")
    if listed or name is None:
        if as_json:
            print_json(known)
        else:
            print_facts(known)
        return
    if name not in known:
        close = [one for one in known if one.startswith(name.split("-")[0])]
        raise InputError(f"there is no table {name!r}; there are {', '.join(close or known)}.")
    document = _ask(name, *(["--quick"] if quick else []), *(["--show"] if show else []))
    if as_json:
        print_json(document)
        return
    _print(document)


def checkout() -> Path:
    """The folder ``benchmarks`` of the source that this package runs from."""
    result = Path(__file__).parents[3] / "benchmarks"
    if not (result / "bench.py").exists():
        raise InputError(
            "the benchmarks are not part of the installed package; get the source of Tacit, run make bench-setup in it "
            "and call its .venv/bin/tacit bench."
        )
    return result


def _ask(*arguments: str) -> Any:
    """What ``benchmarks/bench.py`` answers; programs that it calls talk on standard error."""
    folder = checkout()
    path = os.pathsep.join(
        [str(folder.parent / "src"), str(folder.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench", *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
        check=False,
    )
    if done.returncode:
        raise InputError(
            f"benchmarks/bench.py {' '.join(arguments)} ended with {done.returncode}; its words are above."
        )
    return json.loads(done.stdout)


def _print(document: dict[str, Any]) -> None:
    screen = console()
    if document["paper"]:
        screen.print(document["paper"], style="dim")
    # A table without a figure says less than what hindered it.
    for table in document["tables"] if document["sources"] or not document["remarks"] else []:
        print_table(table["headings"], table["rows"], title=table["title"])
        for note in table["notes"]:
            screen.print(note, style="italic")
        screen.print()
    for source in document["sources"]:
        machine = source["machine"]
        where = f"{machine.get('cores', '?')} cores, {machine.get('processor', 'unknown processor')}"
        screen.print(f"{source['command']}, {source['date']}, {where}", style="dim")
    if not document["sources"] and not document["remarks"]:
        say("nothing was measured yet; leave out --show to measure it.")
    for remark in document["remarks"]:
        say(remark)
