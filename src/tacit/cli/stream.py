"""``tacit stream``: learn from ratings as they come, with the running error, and go on where it stopped."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json, say
from tacit.cli.rating_models import RatingModel, rating_options
from tacit.errors import DivergedError, InputError

if TYPE_CHECKING:
    from tacit.service.stream_events import StreamEvents

_BATCH = 1000


@click.command("stream")
@click.argument("ratings", default="-")
@click.option("-o", "--output", "model_path", required=True, type=OutputFile("model"),
              help="File of the model; if it exists, the stream goes on from it.")  # fmt: skip
@click.option("--notes", default="", metavar="TEXT", help="Kept in the file; tacit info shows it.")
@click.option("--format", "kind", type=click.Choice(["csv", "json"]), help="By default from the name of the file.")
@click.option("--user", default="user", show_default=True, metavar="NAME", help="Column or key of the user.")
@click.option("--item", default="item", show_default=True, metavar="NAME", help="Column or key of the item.")
@click.option("--rating", default="rating", show_default=True, metavar="NAME", help="Column or key of the rating.")
@click.option("--separator", metavar="SIGN", help="Between columns; found by default. tab is a tabulator.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of the lines, such as latin-1.")
@click.option("--decimal", type=click.Choice([".", ","]), default=".", show_default=True, help="Decimal sign of CSV.")
@click.option("--no-header", is_flag=True, help="The first line is a rating: columns are user, item, rating.")
@click.option("--skip-bad", is_flag=True, help="Leave out lines that are no rating, and count them.")
@click.option("--every", default=10_000, show_default=True, type=click.IntRange(1), help="Ratings between reports.")
@click.option("--save-every", default=100_000, show_default=True, type=click.IntRange(1), help="Ratings between saves.")
@click.option(
    "--store",
    metavar="DIR|URL",
    help="Keep every rating of standard input here before it is learned: what "
    "was read survives a crash. The extra 'serve' has what it needs.",
)
@click.option("--restart", is_flag=True, help="Read the source from its beginning even if it was read before.")
@rating_options
@json_option
def command(
    ratings: str,
    model_path: Path,
    notes: str,
    kind: str | None,
    user: str,
    item: str,
    rating: str,
    separator: str | None,
    encoding: str,
    decimal: str,
    no_header: bool,
    skip_bad: bool,
    every: int,
    save_every: int,
    store: str | None,
    restart: bool,
    make_model: RatingModel,
    as_json: bool,
) -> None:
    """Learn from RATINGS, a file of CSV or JSON lines (also packed), or standard input (-), line by line.

    Each rating is predicted before it is learned from, and the error of these predictions is reported. The model is
    saved every so many ratings, at the end, and when a signal (Ctrl-C, terminate, hang-up) ends the stream. It
    remembers how many lines of a file it has read: the same command goes on exactly there. Standard input is always
    taken from where it begins. A line that is no rating stops the stream after saving what came before it, or is left
    out and counted (--skip-bad).
    """
    from tacit import model_file
    from tacit.data.rating_lines import LineFormat, read_ratings
    from tacit.data.text_files import TextForm
    from tacit.estimators.model import load

    written = TextForm(separator, encoding, decimal)
    if not written.is_ascii_based:
        raise InputError(f"--encoding {encoding} cannot be read line by line; convert RATINGS to UTF-8 first.")
    model = load(model_path) if model_path.exists() else make_model()
    if model_path.exists() and hasattr(model, "predict_then_learn"):
        make_model.require_same(model, model_path)
    notes = notes or (model_file.about(model_path)["notes"] if model_path.exists() else "")
    if not hasattr(model, "predict_then_learn"):
        raise InputError(f"{str(model_path)!r} holds a {type(model).__name__}, which does not learn from a stream.")
    live = ratings == "-"
    form = LineFormat(
        kind=kind or ("json" if {".jsonl", ".ndjson", ".json"} & set(Path(ratings).suffixes) else "csv"),  # type: ignore[arg-type]
        user=user,
        item=item,
        rating=rating,
        separator=written.separator,
        header=not no_header,
        encoding=encoding,
        decimal=decimal,
        source="standard input" if live else repr(ratings),
        lowest=model.lowest_rating,
    )
    source = "-" if live else str(Path(ratings).resolve())
    if store is not None and not live:
        raise InputError("--store keeps what comes on standard input; a file can be read again from where it was left.")
    feed = _Feed(model, model_path, notes, source, every, save_every, as_json)
    if store is not None:
        feed.keep_in(store)
    skip = 0 if live or restart else feed.lines
    if skip:
        say(f"{ratings} was read up to line {skip}; going on from there.")
    if live or restart:
        feed.lines = 0
    with _lines(ratings) as lines, _interruptible() as waiting:
        rows = read_ratings(lines, form, skip=skip, on_bad=feed.leave_out if skip_bad else None, on_guess=say)
        try:
            for batch in _batches(rows, 1 if live else _BATCH, waiting):
                feed.learn(batch)
        except DivergedError as error:
            # What a diverged model holds is worth nothing, and must not replace what was good.
            known = f"{str(model_path)!r} is as it was" if model_path.exists() else "nothing was saved"
            raise DivergedError(
                f"{str(error).rstrip('.')}; {known}, without what came after line {feed.saved}."
            ) from None
        except Exception:
            feed.save()
            raise
        feed.close(interrupted=waiting.interrupted)
    if waiting.interrupted:
        sys.exit(128 + waiting.interrupted)


class _Feed:
    """Runs batches through the model, reports and saves."""

    def __init__(
        self, model: Any, path: Path, notes: str, source: str, every: int, save_every: int, as_json: bool
    ) -> None:
        self.model, self.path, self.notes, self.source = model, path, notes, source
        self.every, self.save_every, self.as_json = every, save_every, as_json
        entry = getattr(model, "journal_", {}).get(source, {})
        self.lines = self.saved = int(entry.get("lines", 0))
        self.count, self.absolute = int(entry.get("count", 0)), float(entry.get("absolute", 0.0))
        self.began, self.here = time.perf_counter(), 0
        self.recent = [0, 0.0]
        self.unsaved = self.left_out = 0
        self.events: StreamEvents | None = None
        self.first_left_out = ""

    def keep_in(self, store: str) -> None:
        """Keep ratings in a store from here on; those in it that the model has not learned come first."""
        from tacit.service.extra import require_extra

        require_extra()
        from tacit.service.stream_events import StreamEvents

        events = StreamEvents(store, self.path)
        missed = events.unlearned()
        if missed:
            say(f"{len(missed)} ratings of {store} were stored and not saved; learning them first.")
            self.learn([(0, *one) for one in missed])
        self.events = events

    def leave_out(self, sentence: str) -> None:
        """Count a line that is no rating; the first is remembered."""
        self.left_out += 1
        self.first_left_out = self.first_left_out or sentence

    def learn(self, batch: list[tuple[int, Any, Any, float]]) -> None:
        # A batch is cut where a report or a save is due, so that both are exact.
        while batch:
            due = min(self.every - self.count % self.every, self.save_every - self.count % self.save_every)
            part, batch = batch[:due], batch[due:]
            numbers, users, items, ratings = zip(*part)
            if self.events is not None:
                self.events.keep(users, items, ratings)
            predictions = self.model.predict_then_learn(users, items, ratings)
            error = float(abs(predictions - ratings).sum())
            self.lines = numbers[-1]
            self.count, self.absolute = self.count + len(part), self.absolute + error
            self.recent = [self.recent[0] + len(part), self.recent[1] + error]
            self.here += len(part)
            self.unsaved += len(part)
            if self.count % self.every == 0:
                self.report()
            if self.count % self.save_every == 0:
                self.save()

    def report(self) -> None:
        if not self.recent[0]:
            return
        record = {
            "ratings": self.count,
            "mae": round(self.absolute / self.count, 6),
            "recent_mae": round(self.recent[1] / self.recent[0], 6),
            "users": len(self.model.user_ids_),
            "items": len(self.model.item_ids_),
            "left_out": self.left_out,
            "per_second": round(self.here / max(time.perf_counter() - self.began, 1e-9)),
        }
        self.recent = [0, 0.0]
        if self.as_json:
            print_json(record)
        else:
            click.echo(
                f"{record['ratings']:>12,} ratings  MAE {record['mae']:.4f}  recent {record['recent_mae']:.4f}  "
                f"{record['users']:,} users  {record['items']:,} items  {record['per_second']:,}/s"
            )

    def save(self) -> None:
        if not self.unsaved:
            return
        self.model.journal_[self.source] = {"lines": self.lines, "count": self.count, "absolute": self.absolute}
        if self.events is not None:
            self.events.save(self.model, self.path, notes=self.notes)
        else:
            self.model.save(self.path, notes=self.notes)
        self.unsaved, self.saved = 0, self.lines

    def close(self, *, interrupted: int) -> None:
        self.report()
        self.save()
        if self.events is not None:
            self.events.close()
        if self.left_out:
            say(f"{self.left_out} line{'s were' if self.left_out > 1 else ' was'} left out; {self.first_left_out}.")
        if interrupted and not self.path.exists():
            say("interrupted before any rating came; there is nothing to save.")
        elif interrupted:
            more = ", the same command goes on from there" if self.source != "-" else ""
            say(f"interrupted; saved to {self.path} after line {self.lines}{more}.")
        elif not self.here:
            say("no new ratings came.")


class _Waiting:
    """Whether the program is waiting for lines (then a signal may end it at once) or is learning.

    interrupted : the number of the signal that came, 0 before. Later ones are passed over: saving is under way.
    """

    def __init__(self) -> None:
        self.reading = False
        self.interrupted = 0

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        first = not self.interrupted
        self.interrupted = self.interrupted or number
        if self.reading and first:
            raise KeyboardInterrupt


_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def _interruptible() -> Iterator[_Waiting]:
    waiting = _Waiting()
    before = {number: signal.signal(number, waiting.on_signal) for number in _SIGNALS}
    try:
        yield waiting
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _batches(rows: Iterator[Any], size: int, waiting: _Waiting) -> Iterator[list[Any]]:
    """Lists of at most ``size`` rows until the rows or the patience of the user end.

    What stops the reading is raised after the rows that came before it were given.
    """
    batch: list[Any] = []
    stopped: Exception | None = None
    while not waiting.interrupted and stopped is None:
        row = None
        try:
            waiting.reading = True
            row = next(rows, None)
        except KeyboardInterrupt:
            break
        except Exception as error:
            stopped = error
        finally:
            waiting.reading = False
        if row is None:
            break
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
    if stopped is not None:
        raise stopped


@contextmanager
def _lines(path: str) -> Iterator[Iterator[bytes]]:
    from tacit.data.compressed import open_bytes
    from tacit.data.rating_lines import lines_of

    if path == "-":
        yield lines_of(sys.stdin.buffer)
        return
    with open_bytes(path) as file:
        yield _said(lines_of(file), path)


def _said(lines: Iterator[bytes], path: str) -> Iterator[bytes]:
    from tacit.data.compressed import cut_is_said

    with cut_is_said(path):
        yield from lines
