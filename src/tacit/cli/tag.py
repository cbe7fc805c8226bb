"""``tacit tag``: labels for texts, by a saved model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.models import open_model, read_lines
from tacit.cli.options import TableName, json_option
from tacit.cli.output import csv_lines, entries, print_found, print_json, say
from tacit.cli.tables import save_table, table_option
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm

BATCH = 1000
NO_LABEL = "no label; perhaps the model knows none of its words"


@click.command("tag")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("texts", nargs=-1)
@click.option("--texts-from", type=click.Path(path_type=Path, allow_dash=True),
              help="File with one text a line; - is standard input.")  # fmt: skip
@click.option("--table", type=TableName(), help="Table of texts: CSV, TSV, Parquet or JSON lines.")
@click.option("--text", "columns", multiple=True, metavar="NAME", help="Column of TABLE with text; may be repeated.")
@click.option("--id", "ident", metavar="NAME", help="Column of TABLE that names its rows; the text itself otherwise.")
@click.option("-k", default=5, show_default=True, help="How many labels for each.")
@table_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: text, rank, label, score.")
@text_form_options
@json_option
def command(
    model_path: Path,
    texts: tuple[str, ...],
    texts_from: Path | None,
    table: str | None,
    columns: tuple[str, ...],
    ident: str | None,
    k: int,
    table_path: Path | None,
    as_csv: bool,
    form: "TextForm",
    as_json: bool,
) -> None:
    """Suggest labels for TEXTS by a saved MODEL, best first."""
    if sum((bool(texts), texts_from is not None, table is not None)) != 1:
        raise InputError("say what to tag, in one way: texts after MODEL, --texts-from FILE, or --table TABLE.")
    if as_csv and as_json:
        raise InputError("--csv and --json are two forms of one answer; choose one.")
    model = open_model(model_path, "tag", ("words_", "predict_topk"), "tacit fit tag")
    if table is not None:
        names, listed = _of_table(table, columns, ident, form)
    else:
        listed = list(texts) if texts_from is None else read_lines(texts_from, "text")
        names = list(listed)
    headings = ("text", "rank", "label", "score") if ident is None else ("id", "rank", "label", "score")
    if as_csv:
        click.echo(csv_lines([headings]), nl=False)
    kept: list[dict[str, Any]] = []
    without: list[Any] = []
    for start in range(0, len(listed), BATCH):
        ranked = model.predict_topk(listed[start : start + BATCH], k, return_scores=True)
        for index, name in enumerate(names[start : start + BATCH]):
            result = entries(ranked, index)
            if not result:
                without.append(name)
            lines = [(name, rank, one["id"], one["score"]) for rank, one in enumerate(result, 1)]
            kept += [dict(zip(headings, line)) for line in lines] if table_path is not None else []
            if as_json:
                print_json({headings[0]: name, "labels": result})
            elif as_csv:
                click.echo(csv_lines(lines), nl=False)
            else:
                print_found(str(name), result, NO_LABEL)
    save_table(table_path, kept, headings)
    if without and (as_csv or table_path is not None):
        # A table has a line for each label, so that nothing else tells of them.
        texts_are = "1 text is" if len(without) == 1 else f"{len(without):,} texts are"
        say(f"{texts_are} not in the table, first {str(without[0])!r}: {NO_LABEL}.")


def _of_table(table: str, columns: tuple[str, ...], ident: str | None, form: "TextForm") -> tuple[list[Any], list[str]]:
    """Names and texts of the rows of a table."""
    from tacit.data.readers import read_frame

    if not columns:
        raise InputError("--table needs --text NAME: the column that holds the text.")
    wanted = {f"--text ({name})": name for name in columns} | ({} if ident is None else {"--id": ident})
    frame = read_frame(table, wanted, list(dict.fromkeys(wanted.values())), name="TABLE", form=form)
    texts = [" ".join(str(part) for part in parts if part is not None) for parts in frame.select(columns).rows()]
    return (list(texts) if ident is None else frame[ident].to_list()), texts
