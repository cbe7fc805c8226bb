"""``tacit similar``: the nearest neighbours of something that a model knows."""

import json
from pathlib import Path
from typing import Any

import click

from tacit.errors import InputError


@click.command("similar")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("things", nargs=-1, required=True)
@click.option("-m", "--minus", multiple=True, help="Take this word off: king woman --minus man.")
@click.option("-k", default=10, show_default=True, help="How many neighbours.")
@click.option("--rows", is_flag=True, help="Of a recommender: neighbours among rows (users), not columns (items).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    model_path: Path, things: tuple[str, ...], minus: tuple[str, ...], k: int, rows: bool, as_json: bool
) -> None:
    """Show what is nearest to THINGS in a saved MODEL.

    Of word vectors, several words are added up and the nearest to their sum are shown. Of a recommender, each thing
    gets neighbours of its own. MODEL may also be a file of word2vec or GloVe vectors.
    """
    found = _neighbours(_open(model_path), things, minus, k, rows)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, default=str))
        return
    for query, neighbours in found.items():
        click.echo(query)
        width = max((len(str(one["id"])) for one in neighbours), default=0)
        for one in neighbours:
            click.echo(f"  {one['id']!s:<{width}}  {one['score']:.3f}")


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
        plus, off = _as_known(things, model.words_), _as_known(minus, model.words_)
        title = " + ".join(things) + "".join(f" − {word}" for word in minus)
        return {title: [{"id": word, "score": score} for word, score in model.most_similar(plus, off, k=k)]}
    if not hasattr(model, "similar_cols"):
        raise InputError(f"MODEL is a {type(model).__name__}, which has no neighbours to show.")
    if minus:
        raise InputError("--minus works with word vectors only.")
    ids = model.row_ids_ if rows else model.col_ids_
    ranked = (model.similar_rows if rows else model.similar_cols)(_as_known(things, ids), k=k)
    return {
        thing: [
            {"id": ident, "score": score}
            for ident, score, filled in zip(ranked.ids[n].tolist(), ranked.scores[n].tolist(), ranked.filled[n])
            if filled
        ]
        for n, thing in enumerate(things)
    }


def _as_known(given: tuple[str, ...], ids: Any) -> list[Any]:
    """Ids as the model holds them: the shell hands over text where the model may know numbers."""
    if not ids.is_numeric:
        return list(given)
    try:
        return [int(one) for one in given]
    except ValueError:
        raise InputError(f"this model's ids are whole numbers, so {given!r} cannot be found in it.") from None
