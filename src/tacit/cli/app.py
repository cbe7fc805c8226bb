"""The command line: one file per verb, loaded when it is called, so that ``tacit --help`` is quick.

Every verb is a ``click`` command named ``command`` in ``tacit/cli/<verb>.py``; ``fit`` is a group whose jobs are in
``tacit/cli/fit/<job>.py``. Verbs raise ``TacitError`` for whatever the user can mend: it becomes one sentence on
standard error and exit code 2.
"""

import sys
from importlib import import_module
from typing import Any

import click

from tacit._version import __version__
from tacit.errors import TacitError

VERBS: dict[str, str] = {
    "fit": "Train a model and save it to one file",
    "similar": "Show the nearest neighbours of something a model knows",
}
"""Verb → the line that ``tacit --help`` shows. The verb's module is ``tacit.cli.<verb>``."""


class LazyGroup(click.Group):
    """A group that imports a verb's module only when the verb is used."""

    def __init__(self, *args: Any, verbs: dict[str, str] | None = None, home: str = "tacit.cli", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verbs = verbs or {}
        self.home = home

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None
        command: click.Command = import_module(f"{self.home}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))


@click.group(cls=LazyGroup, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="tacit")
def app() -> None:
    """Learn from what was never labelled."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what the user can mend becomes one sentence and exit code 2."""
    try:
        app(args=arguments, prog_name="tacit", standalone_mode=False)
    except TacitError as error:
        click.echo(f"tacit: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code if error.exit_code != 1 else 2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("tacit: interrupted.", err=True)
        sys.exit(130)
