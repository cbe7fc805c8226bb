"""The command line: one file per verb, loaded when it is called, so that ``tacit --help`` is quick.

Every verb is a ``click`` command named ``command`` in ``tacit/cli/<verb>.py``; ``fit`` is a group whose jobs are in
``tacit/cli/fit/<job>.py``. Verbs raise ``TacitError`` for whatever the user can fix: it becomes one sentence on
standard error and exit code 2.
"""

import os
import re
import shlex
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from tacit._version import __version__
from tacit.cli import output
from tacit.cli.outputs import guarded
from tacit.errors import TacitError
from tacit.progress import InterruptedFitWarning, speaking

VERBS: dict[str, str] = {
    "demo": "Show every job on real data that comes with Tacit",
    "fit": "Train a model and save it to one file",
    "index": "Index the columns of a saved recommender, for catalogues of millions",
    "update": "Take new interactions into a saved recommender, without training it anew",
    "tune": "Search for good parameters of a recommender, and save the best",
    "copy": "Hand a model on without ids or histories of rows, or in half the bytes",
    "info": "Show what a model file holds: kind, sizes, parameters, notes",
    "recommend": "Recommend columns (items) to rows (users) of a saved model",
    "why": "Show what speaks for a recommendation",
    "tag": "Suggest labels for texts by a saved model",
    "audit": "Find labels that are probably missing, for a person to confirm",
    "grade": "Grade rows of a table by a saved model",
    "stream": "Learn from ratings as they come, with the running error",
    "similar": "Show the nearest neighbours of something a model knows",
    "serve": "Serve models over HTTP that learn from events",
    "retrain": "Train a served recommender anew, events included, and swap it in",
    "events": "Export, import and check the events of a service",
    "evaluate": "Measure a model on what it has not seen",
    "data": "Get published data sets from their publisher",
    "bench": "Measure a table or figure of a paper, or a job beside its peers",
    "doctor": "Show versions, cores, threads, caches and extras",
    "warm": "Compile all kernels now, so that no later command waits for it",
    "completion": "Print the script that completes commands in your shell",
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
        return guarded(import_module(f"{self.home}.{cmd_name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))


@click.group(cls=LazyGroup, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="tacit")
def app() -> None:
    """Learn from what was never labelled."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what the user can fix becomes one sentence and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", InterruptedFitWarning)
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            with speaking():
                app(args=arguments, prog_name="tacit", standalone_mode=False)
    except TacitError as error:
        _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "tacit"
        said = error.format_message().rstrip(".")
        _fail(f"{said}{'' if said.endswith('?') else ';'} {path} --help shows what can be given.")
    except click.ClickException as error:
        _fail(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        output.say("interrupted; nothing was saved.")
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError as error:
        _fail(f"not enough memory ({error}); take fewer factors or fewer rows." if str(error) else "not enough memory.")
    except OSError as error:
        _fail(f"{error.strerror or error}: {str(error.filename)!r}." if error.filename else f"{error}.")
    except Exception as error:
        if os.environ.get("TACIT_TRACEBACK"):
            raise
        reason = (str(error).strip().splitlines() or [""])[0]
        output.say(
            f"this is a fault of Tacit and not yours ({type(error).__name__}: {reason}); please report it with what "
            "TACIT_TRACEBACK=1 shows."
        )
        sys.exit(FAULT)


FAULT = 70
"""Exit code of what Tacit did not foresee, apart from what the user can fix."""
_PARAMETER = re.compile(r"\bpass (another )?(\w+)='([^']*)'")


def _fail(sentence: str) -> None:
    output.say(_as_options(sentence.removeprefix("path: ")))
    sys.exit(2)


def _as_options(sentence: str) -> str:
    """Remedies in the words of the command line.

    >>> _as_options("fill them in or pass missing='drop'.")
    'fill them in or say --missing drop.'
    """

    def option(match: "re.Match[str]") -> str:
        another, name, value = match.groups()
        # A lone sign at the end of a sentence would be lost in it.
        quoted = shlex.quote(value) if any(map(str.isalnum, value)) else repr(value)
        return f"say {another or ''}--{name.replace('_', '-')} {'VALUE' if value == '...' else quoted}"

    return _PARAMETER.sub(option, sentence)


def _show_warning(message: Warning | str, category: type[Warning], *rest: Any) -> None:
    """A warning is one sentence; that of an interrupted fit is remembered for the summary."""
    if issubclass(category, InterruptedFitWarning):
        output.mark_interrupted()
    output.say(str(message))
