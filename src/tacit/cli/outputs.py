"""What a command may write over: files of the same kind that Tacit wrote, and nothing else without ``--force``.

Every command with an ``OutputFile`` gets the option and the check by passing through ``guarded``, which the groups of
verbs apply to whatever they load. A device, and a file that the same command reads, are never written over.
"""

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import OutputFile
from tacit.errors import InputError, ModelFileError
from tacit.report.page import is_page

FORCE = click.Option(["--force"], is_flag=True, help="Write over a file that Tacit did not write.")


def guarded(command: click.Command) -> click.Command:
    """The command with ``--force`` and a look at its outputs before it begins; others come back as they are."""
    if isinstance(command, click.Group) or not any(isinstance(one.type, OutputFile) for one in command.params):
        return command
    if FORCE not in command.params:
        command.params.append(FORCE)
        inner = command.invoke

        def invoke(context: click.Context) -> Any:
            force = context.params.pop("force")
            check_outputs(context, force=force)
            return inner(context)

        command.invoke = invoke  # type: ignore[method-assign,assignment]
    return command


def check_outputs(context: click.Context, *, force: bool) -> None:
    """Refuse the first output of a command that would destroy what it should not."""
    outputs = [one for one in context.command.params if isinstance(one.type, OutputFile)]
    given = {str(one.name): context.params.get(str(one.name)) for one in outputs}
    others = {name: value for name, value in context.params.items() if name not in given}
    for option in outputs:
        path = given[str(option.name)]
        assert isinstance(option.type, OutputFile)
        if path is None or not os.path.lexists(path):
            continue
        sign = option.opts[0]
        if not path.exists():
            raise InputError(f"{sign} {str(path)!r} is a symbolic link that leads nowhere; remove it first.")
        if not path.is_file():
            raise InputError(f"{sign} {str(path)!r} is a device or a pipe, not a file; give the name of a file.")
        ours = _is_ours(path, option.type.kind)
        if not ours and any(_same(path, read) for read in _files(others)):
            raise InputError(f"{sign} {str(path)!r} is what this command reads; give another name to write to.")
        for name, other in given.items():
            if name != option.name and other is not None and _same(path, other):
                raise InputError(f"{sign} {str(path)!r} is given twice to write to; give each its own name.")
        if not ours and not force:
            kind = option.type.kind
            what = f" and is no {kind} that Tacit wrote" if kind in ("model", "page") else ""
            raise InputError(f"{sign} {str(path)!r} exists{what}; give another name, or say --force to write over it.")


def _is_ours(path: Path, kind: str) -> bool:
    if kind == "page":
        return is_page(path)
    if kind == "checkpoint":
        return True
    if kind != "model":
        return False
    from tacit import model_file

    try:
        model_file.about(path)
    except ModelFileError:
        return False
    return True


def _files(values: dict[str, Any]) -> Iterator[str]:
    """Every given value that names a file, and the files that a pattern names."""
    for value in values.values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str | os.PathLike):
                text = os.fspath(one)
                yield text
                if any(sign in text for sign in "*?["):
                    yield from glob.iglob(text, recursive=True)  # noqa: PTH207


def _same(path: Path, other: str | os.PathLike[str]) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False
