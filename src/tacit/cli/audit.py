"""``tacit audit``: labels that are probably missing, for a person to confirm."""

from pathlib import Path
from typing import Any

import click

from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json, print_table, say
from tacit.cli.tagged_texts import TaggedTexts, tagged_texts_options, text_tagger_options
from tacit.errors import InputError


@click.command("audit")
@tagged_texts_options
@click.option(
    "-o", "--output", "report", type=OutputFile("page"), help="Write .html or .json (to review), .csv or .parquet."
)
@click.option("-n", default=100, show_default=True, help="How many suggestions.")
@click.option("--per-row", default=2, show_default=True, help="Suggestions for one row at most.")
@click.option("--folds", default=5, show_default=True, help="Parts into which rows are dealt.")
@click.option("--apply", "applied", is_flag=True,
              help="Find nothing: write TABLE with the labels that --accepted accepts to the new file -o.")  # fmt: skip
@text_tagger_options
@json_option
def command(
    source: TaggedTexts,
    report: Path | None,
    applied: bool,
    n: int,
    per_row: int,
    folds: int,
    parameters: dict[str, Any],
    as_json: bool,
) -> None:
    """Find labels that TABLE's texts probably lack.

    Each text is scored by models that never saw it, from its words and from the labels that it has; the nearest texts
    that carry the label, and the words and labels that speak for it, are shown as evidence. Review the .html page in a
    browser, save the decisions, and give them back with --accepted to tacit fit tag or to the next audit, which does
    not suggest rejected ones again. With --apply they are written to a copy of TABLE.
    """
    if applied:
        _apply(source, report, as_json)
        return
    from tacit.estimators.tag.text_tagger import TextTagger

    texts, labels, ids = source.read(distinct=True)
    names = list(range(len(texts))) if ids is None else ids
    result = TextTagger(**parameters).missing_labels(
        texts, labels, n, row_ids=names, per_row=per_row, folds=folds, rejected=source.rejected(names)
    )
    if report is not None:
        result.write(report)
    if as_json:
        for one in result:
            print_json({"row": one.row, "label": one.label, "score": one.score, "text": one.text,
                        "nearest": [name for name, _, _ in one.nearest], "features": list(one.features),
                        "companions": list(one.companions)})  # fmt: skip
    elif report is None:
        print_table(
            ("row", "lacks", "because of", "as in", "score"),
            [
                (str(one.row), str(one.label), ", ".join((*one.features, *one.companions)),
                 ", ".join(name for name, _, _ in one.nearest), f"{one.score:.2f}")
                for one in result
            ],
            texts=4,
        )  # fmt: skip
    if report is not None and not as_json:
        say(f"wrote {len(result)} suggestions to {report}.")


def _apply(source: TaggedTexts, path: Path | None, as_json: bool) -> None:
    """The table with accepted labels, as a file beside it."""
    if source.accepted is None or path is None:
        raise InputError("--apply needs --accepted, the reviewed CSV, and -o, the new file.")
    rows, joined = source.write_patched(source.accepted, path)
    if as_json:
        print_json({"rows": rows, "joined": joined, "path": str(path)})
    else:
        say(f"wrote {rows:,} rows with {joined:,} more labels to {path}; {source.table} is as it was.")
