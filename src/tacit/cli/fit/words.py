"""``tacit fit words``: vectors of words from text, or of items from sequences."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.cluster_options import Workers, cluster_options
from tacit.cli.defaults import parameters_of
from tacit.cli.options import Function, ModelOutput, OutputFile, json_option, model_output_option, packed
from tacit.cli.output import print_json
from tacit.report.plain import visible


def _word_vectors(function: Function) -> Function:
    """Parameters of ``WordVectors``; the verb gets one dictionary ``parameters``."""
    names, options = parameters_of("WordVectors")
    return packed(function, options, lambda given: {"parameters": given}, names)


@click.command("words")
@click.argument("texts", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_output_option
@click.option(
    "--checkpoint", type=OutputFile("checkpoint"), help="Keep the sweeps done so far here, and go on from there."
)
@click.option("--word2vec", type=OutputFile(), help="Write the vectors to a word2vec file as well.")
@click.option("--binary", is_flag=True, help="Write that file in binary.")
@click.option("--map", "picture", type=OutputFile(), help="Draw the most frequent words to this picture.")
@click.option("--questions", type=click.Path(path_type=Path), help="Answer a file of analogies, and print the score.")
@_word_vectors
@cluster_options
@json_option
def command(
    texts: tuple[Path, ...],
    model_output: ModelOutput,
    word2vec: Path | None,
    binary: bool,
    picture: Path | None,
    questions: Path | None,
    checkpoint: Path | None,
    parameters: dict[str, Any],
    workers: Workers,
    as_json: bool,
) -> None:
    """Learn word vectors from TEXTS: files (also packed by gzip, bzip2 or xz), folders or patterns.

    A line is a sentence. Sequences of items work alike: one line per session or basket, items between blanks.
    """
    from tacit import WordVectors

    began = time.perf_counter()
    model = WordVectors(**parameters, checkpoint=checkpoint, progress=False if as_json else None)
    model = workers.fit(model, texts) if workers else model.fit(texts)
    model_output.save(model)
    outcome: dict[str, Any] = {
        "model": str(model_output.path),
        "words": len(model.words),
        "factors": model.factors,
        "sweeps": len(model.history_),
        "objective": model.history_[-1]["objective"],
        "seconds": round(time.perf_counter() - began, 2),
    }
    if word2vec is not None:
        model.save_word2vec(word2vec, binary=binary)
    if picture is not None:
        model.draw_map(path=picture)
    scores = None if questions is None else model.analogies(questions)
    if as_json:
        print_json(outcome if scores is None else outcome | {"analogies": scores.to_rows()})
        return
    click.echo(f"{outcome['words']} words, {model.factors} factors, {outcome['sweeps']} sweeps, {outcome['seconds']} s")
    if scores is not None:
        click.echo(str(scores))
    word = shlex.quote(visible(model.words[0]))
    click.echo(f"saved to {model_output.path}; try: {model_output.next_command('similar', word)}")
