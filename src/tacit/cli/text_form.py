"""How text tables are written, as the command line says it: separator, encoding, decimal sign."""

from typing import Any

import click

from tacit.cli.options import Function, packed


def text_form_options(function: Function, separator: str = "--separator", decimal: bool = True) -> Function:
    """The verb gets one ``form``, a ``TextForm``; ``separator`` names the option where another one has that name.

    ``decimal=False`` is for tables whose numbers are only shown.
    """
    options = (
        click.option(separator, "column_separator", metavar="SIGN",
                     help="Between columns of a text file; found by default. tab is a tabulator."),
        click.option("--encoding", metavar="NAME", help="Of a text file, such as latin-1; UTF-8 by default."),
        click.option("--decimal", type=click.Choice([".", ","]), default=".", show_default=True,
                     help="Decimal sign in text files."),
    )  # fmt: skip
    names = ["column_separator", "encoding", "decimal"]
    count = len(options) if decimal else len(options) - 1
    return packed(function, options[:count], _pack, names[:count])


def _pack(given: dict[str, Any]) -> dict[str, Any]:
    from tacit.data.text_files import TextForm

    return {"form": TextForm(given["column_separator"], given["encoding"], given.get("decimal", "."))}
