"""``tacit evaluate words``: analogies, and similarities as people rate them."""

from pathlib import Path

import click

from tacit.cli.evaluate.page import html_option, write_page
from tacit.cli.models import open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json, print_table
from tacit.errors import InputError


@click.command("words")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--questions", type=click.Path(path_type=Path), help="Analogies: lines of four words, sections after a colon."
)
@click.option(
    "--similarities", type=click.Path(path_type=Path), help="Lines of two words and how alike people found them."
)
@click.option("--ask", multiple=True, metavar="WORD", help="Show this word's neighbours on the page; may be repeated.")
@html_option
@json_option
def command(
    model_path: Path,
    questions: Path | None,
    similarities: Path | None,
    ask: tuple[str, ...],
    page: Path | None,
    as_json: bool,
) -> None:
    """Measure the word vectors of a saved MODEL by questions whose answers people know."""
    if questions is None and similarities is None:
        raise InputError("say what to measure by: --questions FILE, --similarities FILE, or both.")
    model = open_model(model_path, "evaluate words", "most_similar", "tacit fit words")
    unknown = [word for word in ask if word not in model]
    if unknown:
        raise InputError(f"--ask: the model does not know the word {unknown[0]!r}.")
    scores = None if questions is None else model.analogies(questions)
    alike = None if similarities is None else model.similarities(similarities)
    outcome = {
        "words": len(model.words),
        **({} if scores is None else {"analogies": scores.to_rows()}),
        **({} if alike is None else {"similarities": {"correlation": alike.correlation, "known": alike.known,
                                                      "asked": alike.asked}}),
    }  # fmt: skip
    if as_json:
        print_json(outcome)
    else:
        if scores is not None:
            click.echo(str(scores))
        if alike is not None:
            print_table(("similarities", "Spearman", "known", "asked"),
                        [(similarities.name if similarities else "", f"{alike.correlation:.4f}", f"{alike.known:,}",
                          f"{alike.asked:,}")])  # fmt: skip
    if page is not None:
        from tacit.cli.evaluate.words_page import LEAD, sections

        write_page(
            page, f"Word vectors of {model_path.name}", LEAD, sections(model, scores, alike, ask), silent=as_json
        )
