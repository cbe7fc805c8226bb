"""``tacit data``: published data sets, fetched from their publisher under the publisher's terms."""

import os
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import json_option
from tacit.cli.output import console, print_json, print_table
from tacit.errors import InputError


@click.group("data")
def command() -> None:
    """List published data sets, and get one from its publisher."""


@command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """The data sets that ``tacit data get`` knows."""
    from tacit.data.publications import PUBLICATIONS

    if as_json:
        print_json({name: {"title": one.title, "address": one.address, "terms": one.terms, "cite": one.cite}
                    for name, one in PUBLICATIONS.items()})  # fmt: skip
        return
    print_table(("name", "what", "from"), [(name, one.title, one.address) for name, one in PUBLICATIONS.items()])


@command.command("get")
@click.argument("name")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False),
              help="Where data sets lie; the folder that TACIT_DATA names when left out.")  # fmt: skip
@click.option("--accept", is_flag=True, help="Accept the publisher's terms without being asked.")
@click.option("--address", help="Another place that offers the same archive; the checksum stays the publisher's.")
@json_option
def get_command(name: str, folder: Path | None, accept: bool, address: str | None, as_json: bool) -> None:
    """Download the data set NAME, check it and unpack it. A download that was cut goes on where it stopped."""
    from tacit.data.publications import PUBLICATIONS, fetch

    if name not in PUBLICATIONS:
        raise InputError(f"NAME: {name!r} is not known; tacit data list shows {', '.join(PUBLICATIONS)}.")
    known = os.environ.get("TACIT_DATA")
    if folder is None and not known:
        raise InputError("--folder says where to put the data, as TACIT_DATA is not set; give one of them.")
    root = folder or Path(known or "")
    chosen = PUBLICATIONS[name]
    if not (root / chosen.folder).exists() and not accept:
        click.echo(f"{chosen.title}\n{chosen.terms}\nCite: {chosen.cite}", err=True)
        if not click.confirm("Do you accept these terms?", err=True):
            raise InputError("the terms were not accepted, so nothing was downloaded; --accept says yes beforehand.")
    placed = _with_bar(fetch, chosen, root, address, silent=as_json)
    if as_json:
        print_json({"name": name, "folder": str(placed), "terms": chosen.terms, "cite": chosen.cite})
        return
    console().print(f"{name} is in {placed}", markup=False)
    if str(root) != known:
        console().print(f"export TACIT_DATA={root} lets Tacit find it", markup=False)


def _with_bar(fetch: Any, chosen: Any, root: Path, address: str | None, *, silent: bool) -> Path:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, disable=silent) as bar:
        task = bar.add_task(chosen.folder, total=None)
        placed: Path = fetch(
            chosen, root, address=address, report=lambda done, total: bar.update(task, completed=done, total=total)
        )
        return placed
