"""``tacit retrain``: train a served recommender anew on its histories and the events that came, and swap it in."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from tacit.cli.options import json_option
from tacit.cli.output import print_json


@click.command("retrain")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--store", default="tacit-store", show_default=True, metavar="DIR|URL", help="As given to tacit serve.")
@click.option("--snapshots", type=click.Path(path_type=Path), help="As given to tacit serve.")
@click.option("--reload", "address", metavar="URL", help="The running service, which then swaps the new model in; "
              "TACIT_TOKEN is its token. Without it, send SIGHUP to the service.")  # fmt: skip
@json_option
def command(model_path: Path, store: str, snapshots: Path | None, address: str | None, as_json: bool) -> None:
    """Fit MODEL's settings to all that it knows, events of the store included, and replace its file.

    The service goes on meanwhile; events that come while it trains are learned by the new model when it is swapped in.
    """
    from tacit.service.extra import require_extra

    require_extra()
    from tacit.service.app import snapshots_folder
    from tacit.service.client import Client
    from tacit.service.retrain import retrain
    from tacit.service.store import open_store

    opened = open_store(store, write=False)
    try:
        outcome = retrain(model_path, opened, snapshots_folder(store, snapshots))
    finally:
        opened.close()
    if address is not None:
        with Client(address, token=os.environ.get("TACIT_TOKEN"), timeout=600) as client:
            client.ask("POST", f"/v1/models/{outcome.name}/reload", {})
    if as_json:
        print_json(asdict(outcome) | {"swapped": address is not None})
        return
    click.echo(
        f"{model_path}: {outcome.rows:,} rows × {outcome.cols:,} columns, {outcome.positives:,} positives, "
        f"events up to {outcome.sequence:,}"
    )
