"""``tacit fit words``: vectors of words from text, or of items from sequences."""

import json
import time
from pathlib import Path

import click

OUTPUTS = ("sum", "word", "context")


@click.command("words")
@click.argument("texts", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", "model_path", required=True, type=click.Path(path_type=Path), help="File of the model.")
@click.option("--factors", default=200, show_default=True, help="Dimension of the vectors.")
@click.option("--window", default=8, show_default=True, help="Neighbours up to this distance count.")
@click.option("--min-count", default=5, show_default=True, help="Drop words that occur less often.")
@click.option("--max-words", type=int, help="Keep at most so many words.")
@click.option("--tokenizer", type=click.Choice(["split", "words"]), default="split", show_default=True,
              help="Take words as they stand, or lower-case runs of letters.")  # fmt: skip
@click.option("--sentences", type=click.Choice(["lines", "files"]), default="lines", show_default=True,
              help="Where a sentence ends.")  # fmt: skip
@click.option("--iterations", default=8, show_default=True, help="Sweeps.")
@click.option("--vectors", type=click.Choice(OUTPUTS), default="sum", show_default=True, help="Which vectors count.")
@click.option("--keep-counts", is_flag=True, help="Keep the counts in the file, to continue with more text later.")
@click.option("--memory", default=4.0, show_default=True, help="Gigabytes of counts to hold before going to disk.")
@click.option("--word2vec", type=click.Path(path_type=Path), help="Write the vectors to a word2vec file as well.")
@click.option("--binary", is_flag=True, help="Write that file in binary.")
@click.option("--seed", default=0, show_default=True, help="Seed of the first vectors.")
@click.option("--threads", default=0, show_default=True, help="Cores to use; 0 is all.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def command(
    texts: tuple[Path, ...],
    model_path: Path,
    factors: int,
    window: int,
    min_count: int,
    max_words: int | None,
    tokenizer: str,
    sentences: str,
    iterations: int,
    vectors: str,
    keep_counts: bool,
    memory: float,
    word2vec: Path | None,
    binary: bool,
    seed: int,
    threads: int,
    as_json: bool,
) -> None:
    """Learn word vectors from TEXTS: files (also packed by gzip, bzip2 or xz), folders or patterns.

    A line is a sentence. Sequences of items work alike: one line per session or basket, items between blanks.
    """
    from tacit import WordVectors

    began = time.perf_counter()
    model = WordVectors(
        factors,
        window=window,
        min_count=min_count,
        max_words=max_words,
        tokenizer=tokenizer,  # type: ignore[arg-type]
        sentences=sentences,  # type: ignore[arg-type]
        iterations=iterations,
        output=vectors,  # type: ignore[arg-type]
        keep_counts=keep_counts,
        memory=memory,
        random_state=seed,
        threads=threads,
        progress=False if as_json else None,
    ).fit(texts)
    model.save(model_path)
    if word2vec is not None:
        model.save_word2vec(word2vec, binary=binary)
    outcome = {
        "model": str(model_path),
        "words": len(model.words),
        "factors": factors,
        "sweeps": len(model.history_),
        "objective": model.history_[-1]["objective"],
        "seconds": round(time.perf_counter() - began, 2),
    }
    if as_json:
        click.echo(json.dumps(outcome))
        return
    click.echo(f"{outcome['words']} words, {factors} factors, {outcome['sweeps']} sweeps in {outcome['seconds']} s")
    click.echo(f"saved to {model_path}; try: tacit similar {model_path} {model.words[0]}")
