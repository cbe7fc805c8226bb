"""``tacit fit tag``: learn to tag texts from texts that are tagged in part."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import json_option, model_output_option
from tacit.cli.output import print_facts, print_json, size
from tacit.cli.tagged_texts import TaggedTexts, tagged_texts_options, text_tagger_options


@click.command("tag")
@tagged_texts_options
@model_output_option
@text_tagger_options
@json_option
def command(source: TaggedTexts, model_path: Path, notes: str, parameters: dict[str, Any], as_json: bool) -> None:
    """Learn from TABLE, which has one line per text with the labels that are known.

    A label that is not given counts as unknown, not as wrong. TABLE is CSV, TSV, Parquet or JSON lines.
    """
    from tacit.estimators.tag.text_tagger import TextTagger

    texts, labels, _ = source.read()
    began = time.perf_counter()
    model = TextTagger(**parameters, progress=False if as_json else None).fit(texts, labels)
    seconds = time.perf_counter() - began
    model.save(model_path, notes=notes)
    outcome = {
        "model": str(model_path),
        "texts": len(texts),
        "words": len(model.words_),
        "labels": len(model.classes_),
        "known": sum(map(len, labels)),
        "seconds": round(seconds, 3),
        "bytes": model_path.stat().st_size,
    }
    if as_json:
        print_json(outcome)
        return
    print_facts(
        {
            "learned": f"{len(texts):,} texts, {outcome['words']:,} words, {outcome['labels']:,} labels, "
            f"{outcome['known']:,} times given, in {seconds:.1f} s",
            "saved to": f"{model_path} ({size(model_path.stat().st_size)})",
            "now try": f"tacit tag {shlex.quote(str(model_path))} 'some text'",
        }
    )
