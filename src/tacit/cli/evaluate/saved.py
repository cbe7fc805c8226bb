"""Options that have no effect beside ``--model``, and are refused."""

from collections.abc import Collection

import click

from tacit.cli.options import was_given
from tacit.errors import InputError


def refuse_beside_model(names: Collection[str]) -> None:
    """Refuse the first of these options of the running command that was typed."""
    for option in click.get_current_context().command.params:
        if option.name in names and was_given(str(option.name)):
            raise InputError(
                f"{option.opts[0]} has no effect with --model, which is fitted already and tested on all of TABLE; "
                "leave out one of the two."
            )
