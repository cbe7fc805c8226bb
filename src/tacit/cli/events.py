"""``tacit events``: what a store of events holds, out of it, into it, and whether it is whole."""

import json
import sys
from pathlib import Path

import click

from tacit.cli.options import json_option
from tacit.cli.output import print_json, say
from tacit.errors import InputError

_store = click.argument("store", metavar="DIR|URL")
BATCH = 5000


@click.group("events")
def command() -> None:
    """Look after the events that tacit serve has stored."""
    from tacit.service.extra import require_extra

    require_extra()


@command.command("export")
@_store
@click.option("--model", help="Only events of this model.")
def export(store: str, model: str | None) -> None:
    """Print every event as a line of JSON, in order; a running service may go on meanwhile."""
    from tacit.service.store import open_store

    opened = open_store(store, write=False)
    try:
        for name in opened.models() if model is None else [model]:
            for one in opened.read(name):
                print_json({"model": name, "sequence": one.sequence, "id": one.id, **json.loads(one.payload)})
    finally:
        opened.close()


@command.command("decisions")
@_store
@click.option("--model", required=True, help="The tagger.")
def decisions(store: str, model: str) -> None:
    """Print what was decided about tags as a reviewed CSV, for fit tag --accepted and audit --accepted.

    The last decision about a row and a tag counts; one that was taken back is left out.
    """
    import csv

    from tacit.report.plain import harmless_cell
    from tacit.service import events
    from tacit.service.learners import TaggerLearner
    from tacit.service.store import open_store

    learner = TaggerLearner()
    opened = open_store(store, write=False)
    try:
        learner.apply([events.from_bytes(one.payload) for one in opened.read(model)])
    finally:
        opened.close()
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(["row", "label", "accept"])
    for row, labels in learner.decisions.items():
        for label, right in labels.items():
            lines.writerow([harmless_cell(str(row)), harmless_cell(str(label)), "yes" if right else "no"])


@command.command("import")
@_store
@click.argument("lines", type=click.Path(path_type=Path, allow_dash=True))
@json_option
def import_(store: str, lines: Path, as_json: bool) -> None:
    """Store what export has printed; events that are there already stay as they are.

    The service must not run: it learns them at its next start.
    """
    import msgspec

    from tacit.service import events
    from tacit.service.store import New, open_store

    if str(lines) != "-" and not lines.is_file():
        raise InputError(f"there is no file {str(lines)!r} with events.")
    opened = open_store(store)
    fresh = known = 0
    batch: dict[str, list[New]] = {}

    def flush() -> None:
        nonlocal fresh, known
        for stored in opened.append(list(batch.items())):
            fresh += sum(one.fresh for one in stored)
            known += sum(not one.fresh for one in stored)
        batch.clear()

    try:
        with click.open_file(str(lines), encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    given = json.loads(line)
                    model, sequence, ident = given.pop("model"), given.pop("sequence"), given.pop("id", None)
                    event = msgspec.convert(given, events.Event)
                    name = str(model)
                except (ValueError, KeyError, AttributeError, TypeError, msgspec.ValidationError) as error:
                    raise InputError(f"{str(lines)!r}, line {number} is not an exported event ({error}).") from None
                batch.setdefault(name, []).append(New(ident or f"imported {sequence}", events.to_bytes(event)))
                if sum(map(len, batch.values())) >= BATCH:
                    flush()
        if batch:
            flush()
    finally:
        opened.close()
    if as_json:
        print_json({"accepted": fresh, "duplicates": known})
    else:
        say(f"{fresh:,} events stored, {known:,} were there already.")


@command.command("check")
@_store
@json_option
def check(store: str, as_json: bool) -> None:
    """Whether the store is whole: its pages, and its numbers without a gap."""
    from tacit.service.store import open_store

    opened = open_store(store, write=False)
    try:
        problems = opened.check()
        counts = {name: opened.last(name) for name in opened.models()}
    finally:
        opened.close()
    if as_json:
        print_json({"events": counts, "problems": problems})
    else:
        for name, count in counts.items():
            click.echo(f"{name}: {count:,} events")
        for problem in problems:
            say(problem)
    if problems:
        sys.exit(2)
