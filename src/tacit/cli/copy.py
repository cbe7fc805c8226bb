"""``tacit copy``: hand a model on without ids or histories of rows, or in half the bytes."""

from pathlib import Path

import click

from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json, size
from tacit.errors import InputError

_OPTIONS = {
    "ids=False": "--without-ids",
    "histories=False": "--without-histories",
    "half_precision=True": "--half-precision",
}
"""What ``save`` calls the options of this command when it refuses them."""


@click.command("copy")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("-o", "--output", "output", required=True, type=OutputFile("model"), help="File of the copy.")
@click.option("--without-ids", is_flag=True, help="Rows (users) are known by their numbers in the copy.")
@click.option("--without-histories", is_flag=True, help="The copy does not say which row has which column.")
@click.option("--half-precision", is_flag=True, help="Store factors with 3 digits, in half the bytes.")
@json_option
def command(
    model_path: Path, output: Path, without_ids: bool, without_histories: bool, half_precision: bool, as_json: bool
) -> None:
    """Copy MODEL to hand it on, with less in it.

    MODEL stays as it is. What a file still says about people is in the docs under "Privacy".
    """
    from tacit import load, model_file

    asked = {
        "without ids of rows": without_ids,
        "without histories": without_histories,
        "in half precision": half_precision,
    }
    if not any(asked.values()):
        raise InputError("give --without-ids, --without-histories or --half-precision; cp copies a file as it is.")
    if output.exists() and output.samefile(model_path):
        raise InputError(f"-o {str(output)!r} is MODEL itself, which would be lost; give the copy another name.")
    model = load(model_path)
    try:
        model.save(
            output,
            notes=model_file.about(model_path)["notes"],
            ids=not without_ids,
            histories=not without_histories,
            half_precision=half_precision,
        )
    except InputError as error:
        parameter, _, sentence = str(error).partition(":")
        if parameter not in _OPTIONS:
            raise
        raise InputError(f"{_OPTIONS[parameter]}:{sentence}") from error
    before, after = model_path.stat().st_size, output.stat().st_size
    if as_json:
        left = {"ids": not without_ids, "histories": not without_histories, "half_precision": half_precision}
        print_json({"model": str(output), "kind": type(model).__name__, "bytes": after, "bytes_before": before, **left})
        return
    how = ", ".join(name for name, wanted in asked.items() if wanted)
    click.echo(f"{output}: a {type(model).__name__} {how}; {size(after)} where it was {size(before)}")
