"""``tacit similar``: the nearest neighbours of something that a model knows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.models import known_ids
from tacit.cli.options import json_option
from tacit.cli.output import entries, print_found, print_json
from tacit.cli.tables import Titles, save_table, titled, titled_answer_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm


@click.command("similar")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("things", nargs=-1, required=True)
@click.option("-m", "--minus", multiple=True, help="Take this word off: king woman --minus man.")
@click.option("-k", default=10, show_default=True, help="How many neighbours.")
@click.option("--rows", is_flag=True, help="Of a recommender: neighbours among rows (users), not columns (items).")
@titled_answer_options
@json_option
def command(
    model_path: Path,
    things: tuple[str, ...],
    minus: tuple[str, ...],
    k: int,
    rows: bool,
    titles: Titles,
    form: "TextForm",
    table_path: Path | None,
    as_json: bool,
) -> None:
    """Show what is nearest to THINGS in a saved MODEL.

    Of word vectors, several words are added up and the nearest to their sum are shown. Of a recommender, each thing
    gets neighbours of its own. MODEL may also be a file of word2vec or GloVe vectors.
    """
    result = _neighbours(_open(model_path), things, minus, k, rows)
    names = titles.read(form, [one["id"] for neighbours in result.values() for one in neighbours])
    result = {query: titled(neighbours, names) for query, neighbours in result.items()}
    headings = ("query", "rank", "id", "score", *(("title",) if names else ()))
    lines = [
        {"query": query, "rank": rank, **one} for query, all_ in result.items() for rank, one in enumerate(all_, 1)
    ]
    save_table(table_path, lines, headings)
    if as_json:
        print_json(result)
        return
    for query, neighbours in result.items():
        print_found(query, neighbours)


def _open(path: Path) -> Any:
    from tacit import WordVectors, load
    from tacit.errors import ModelFileError

    try:
        return load(path)
    except ModelFileError as not_ours:
        if not path.is_file():
            raise
        try:
            return WordVectors.from_word2vec(path)
        except InputError:
            raise not_ours from None


def _neighbours(model: Any, things: Any, minus: Any, k: int, rows: bool) -> dict[str, list[dict[str, Any]]]:
    if hasattr(model, "most_similar"):
        plus, off = (known_ids(words, model.words_, "word") for words in (things, minus))
        title = " + ".join(things) + "".join(f" − {word}" for word in minus)
        return {title: [{"id": word, "score": score} for word, score in model.most_similar(plus, off, k=k)]}
    if not hasattr(model, "similar_cols"):
        raise InputError(f"MODEL is a {type(model).__name__}, which has no neighbours to show.")
    if minus:
        raise InputError("--minus works with word vectors only.")
    ids, what = (model.row_ids_, "row") if rows else (model.col_ids_, "column")
    ranked = (model.similar_rows if rows else model.similar_cols)(known_ids(things, ids, what), k=k)
    return {thing: entries(ranked, index) for index, thing in enumerate(things)}
