"""``tacit fit words``: vectors of words from text, or of items from sequences."""

import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.defaults import parameter_of
from tacit.cli.options import OutputFile, json_option, model_output_option, seed_option, threads_option
from tacit.cli.output import print_json

VECTORS = ("sum", "word", "context")
_parameter = parameter_of("WordVectors")


@click.command("words")
@click.argument("texts", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_output_option
@_parameter("--factors", type=int, help="Dimension of the vectors.")
@_parameter("--window", type=int, help="Neighbours up to this distance count.")
@_parameter("--min-count", type=int, help="Drop words that occur less often.")
@_parameter("--max-words", type=int, help="Keep at most so many words.")
@_parameter("--tokenizer", type=click.Choice(["split", "words"]),
            help="Take words as they stand, or lower-case runs of letters.")  # fmt: skip
@_parameter("--sentences", type=click.Choice(["lines", "files"]),
            help="Where a sentence ends.")  # fmt: skip
@_parameter("--iterations", type=int, help="Sweeps at most; by default what the solver needs.")
@_parameter("--vectors", "output", type=click.Choice(VECTORS),
            help="Which vectors count.")  # fmt: skip
@click.option("--keep-counts", is_flag=True, help="Keep the counts in the file, to continue with more text later.")
@_parameter("--memory", type=float, help="Gigabytes of counts to hold before going to disk.")
@click.option("--checkpoint", type=OutputFile(), help="Keep the sweeps done so far here, and go on from there.")
@click.option("--word2vec", type=OutputFile(), help="Write the vectors to a word2vec file as well.")
@click.option("--binary", is_flag=True, help="Write that file in binary.")
@click.option("--map", "picture", type=OutputFile(), help="Draw the most frequent words to this picture.")
@click.option("--questions", type=click.Path(path_type=Path), help="Answer a file of analogies, and print the score.")
@seed_option
@threads_option
@json_option
def command(
    texts: tuple[Path, ...],
    model_path: Path,
    word2vec: Path | None,
    binary: bool,
    picture: Path | None,
    questions: Path | None,
    seed: int,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Learn word vectors from TEXTS: files (also packed by gzip, bzip2 or xz), folders or patterns.

    A line is a sentence. Sequences of items work alike: one line per session or basket, items between blanks.
    """
    from tacit import WordVectors

    began = time.perf_counter()
    model = WordVectors(**parameters, random_state=seed, progress=False if as_json else None).fit(texts)
    model.save(model_path)
    outcome: dict[str, Any] = {
        "model": str(model_path),
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
    click.echo(f"saved to {model_path}; try: tacit similar {model_path} {model.words[0]}")
