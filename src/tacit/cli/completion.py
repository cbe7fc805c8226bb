"""``tacit completion``: the script that makes a shell complete verbs, options and files."""

import click

from tacit.cli.options import json_option
from tacit.cli.output import print_json

VARIABLE = "_TACIT_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def command(shell: str, as_json: bool) -> None:
    """Print the completion script of SHELL.

    \b
    bash:  tacit completion bash > ~/.tacit-completion.bash
           echo 'source ~/.tacit-completion.bash' >> ~/.bashrc
    zsh:   tacit completion zsh > ~/.tacit-completion.zsh
           echo 'source ~/.tacit-completion.zsh' >> ~/.zshrc
    fish:  tacit completion fish > ~/.config/fish/completions/tacit.fish
    """
    from click.shell_completion import get_completion_class

    from tacit.cli.app import app

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(app, {}, "tacit", VARIABLE).source()
    if as_json:
        print_json({"shell": shell, "script": script})
        return
    click.echo(script)
