"""``tacit serve``: models over HTTP that learn from events and lose nothing that was acknowledged."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.output import say
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm


@click.command("serve")
@click.argument("models", metavar="MODEL…", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--store",
    default="tacit-store",
    show_default=True,
    metavar="DIR|URL",
    help="Where events are kept: a folder, or postgresql://…",
)
@click.option(
    "--snapshots", type=click.Path(path_type=Path), help="Folder of snapshots; within the store's by default."
)
@click.option(
    "--titles",
    multiple=True,
    metavar="NAME=TABLE",
    help="Table of ids and titles (its first two columns) for the model NAME; repeatable.",
)
@partial(text_form_options, decimal=False)
@click.option(
    "--review",
    "reviews",
    multiple=True,
    metavar="NAME=FILE",
    help="Suggestions that tacit audit -o FILE.json wrote, to review for the tagger NAME; repeatable.",
)
@click.option(
    "--rows",
    multiple=True,
    metavar="NAME=TABLE",
    help="Rows to grade for the ranker NAME; its column grade has the grades that are known; repeatable.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PAGE",
    help="A page that tacit evaluate --html wrote, to open from the home page; repeatable.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Any but a loopback address needs a token.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="File with the token that clients must send; or set TACIT_TOKEN.",
)
@click.option(
    "--snapshot-events", default=50_000, show_default=True, type=click.IntRange(1), help="Events between snapshots."
)
@click.option(
    "--snapshot-seconds",
    default=300.0,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Seconds between snapshots, when events came.",
)
@click.option(
    "--max-body", default=8 << 20, show_default=True, type=click.IntRange(1), help="Bytes of a request at most."
)
@click.option(
    "--max-batch", default=1000, show_default=True, type=click.IntRange(1), help="Rows of a question at most."
)
@click.option("--quiet", is_flag=True, help="Log troubles only, not every request.")
def command(
    models: tuple[Path, ...],
    store: str,
    snapshots: Path | None,
    titles: tuple[str, ...],
    form: "TextForm",
    reviews: tuple[str, ...],
    rows: tuple[str, ...],
    reports: tuple[Path, ...],
    host: str,
    port: int,
    token_file: Path | None,
    snapshot_events: int,
    snapshot_seconds: float,
    max_body: int,
    max_batch: int,
    quiet: bool,
) -> None:  # fmt: skip
    """Serve MODELs, each under the stem of its file; without one, models of the bundled Debian index.

    Events are acknowledged when they are durable. SIGHUP opens all model files anew, SIGTERM finishes what was accepted
    and takes snapshots.
    """
    from tacit.service.extra import require_extra

    require_extra()
    from tacit.service.app import create_app
    from tacit.service.limits import Limits
    from tacit.service.run import read_titles, read_token, serve
    from tacit.service.writer import Rhythm

    token = read_token(token_file, host)
    shown = {name: read_titles(table, form) for name, table in _named("--titles", titles).items()}
    audits: dict[str, Any] = dict(_named("--review", reviews))
    if not models:
        from tacit.service.demo import demo_models, demo_review

        say("no model was given; serving models of the bundled Debian index.")
        paths, shown = demo_models(Path("tacit-demo-models"))
        audits = demo_review(Path("tacit-demo-models"))
        models = tuple(paths)
    app = create_app(
        models,
        store=store,
        snapshots=snapshots,
        token=token,
        titles=shown,
        reviews=audits,
        rows=_named("--rows", rows),
        reports=reports,
        limits=Limits(body=max_body, batch=max_batch),
        rhythm=Rhythm(snapshot_events=snapshot_events, snapshot_seconds=snapshot_seconds),
    )
    serve(app, host, port, quiet=quiet, told=lambda address: say(f"serving on {address}"))


def _named(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """Files by the names of the models that they are for."""
    files: dict[str, str] = {}
    for one in given:
        name, sign, path = one.partition("=")
        if not sign:
            raise InputError(f"{option} takes NAME=FILE, not {one!r}.")
        files[name] = path
    return files
