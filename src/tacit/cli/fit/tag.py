"""``tacit fit tag``: learn to tag texts from texts that are tagged in part."""

import time
from typing import Any

import click

from tacit.cli.options import ModelOutput, TableName, json_option, model_output_option
from tacit.cli.output import print_facts, print_json
from tacit.cli.tagged_texts import TaggedTexts, tagged_texts_options, text_tagger_options
from tacit.errors import InputError


@click.command("tag")
@tagged_texts_options
@model_output_option
@click.option("--label-graph", type=TableName(), metavar="TABLE",
              help="Labels that go together, for --method joint: pairs, with how often in a third column.")  # fmt: skip
@text_tagger_options
@json_option
def command(
    source: TaggedTexts,
    model_output: ModelOutput,
    label_graph: str | None,
    parameters: dict[str, Any],
    as_json: bool,
) -> None:
    """Learn from TABLE, which has one line per text with the labels that are known.

    A label that is not given counts as unknown, not as wrong. TABLE is CSV, TSV, Parquet or JSON lines.
    """
    from tacit.estimators.tag.text_tagger import TextTagger

    texts, labels, _ = source.read()
    began = time.perf_counter()
    model = TextTagger(**parameters, progress=False if as_json else None).fit(
        texts, labels, None if label_graph is None else _graph(label_graph, labels)
    )
    seconds = time.perf_counter() - began
    model_output.save(model)
    outcome = {
        "model": str(model_output.path),
        "texts": len(texts),
        "words": len(model.words_),
        "labels": len(model.classes_),
        "known": sum(map(len, labels)),
        "seconds": round(seconds, 3),
        "bytes": model_output.bytes,
    }
    if as_json:
        print_json(outcome)
        return
    print_facts(
        {
            "learned": f"{len(texts):,} texts, {outcome['words']:,} words, {outcome['labels']:,} labels, "
            f"{outcome['known']:,} times given, in {seconds:.1f} s",
            "saved to": model_output.saved_to,
            "now try": model_output.next_command("tag", "'some text'"),
        }
    )


def _graph(table: str, labels: list[list[str]]) -> Any:
    """How often labels go together, in the order in which the tagger will have them."""
    from tacit.data.graph import adjacency
    from tacit.data.label_sets import read_labels
    from tacit.data.readers import scan_table

    names = scan_table(table).collect_schema().names()
    if len(names) < 2:
        raise InputError(f"--label-graph: {table!r} has only the column {names[0]!r}; a pair takes two of labels.")
    known = read_labels(labels, rows=len(labels))[1]
    result = adjacency(
        table, known, source=names[0], target=names[1], weight=names[2] if len(names) > 2 else None, loops=True
    )
    if result.nnz == 0:
        raise InputError(f"--label-graph: no pair of {table!r} has both its labels among those of TABLE.")
    return result
