"""A hook of mkdocs: a line ``::: module.name`` becomes the signature and docstrings of that name.

Our docstrings are written to be read as they stand, formulas and tables of parameters included, so they are shown so.
"""

import inspect
import re
from importlib import import_module
from typing import Any


def on_page_markdown(markdown: str, **about: Any) -> str:
    """Called by mkdocs for every page."""
    return re.sub(r"^::: (\S+)$", lambda match: reference(match[1]), markdown, flags=re.MULTILINE)


def reference(path: str) -> str:
    """Markdown for one public name: its docstring, and for a class those of its public methods."""
    module, _, name = path.rpartition(".")
    thing = getattr(import_module(module), name)
    parts = [f"## {name}", _block(f"{name}{_signature(thing)}", thing)]
    if inspect.isclass(thing):
        for member, method in inspect.getmembers(thing, callable):
            if not member.startswith("_") and _is_ours(method):
                parts += [f"### {name}.{member}", _block(f"{member}{_signature(method)}", method)]
    return "\n\n".join(parts)


def _block(heading: str, thing: Any) -> str:
    return f"```python\n{heading}\n```\n\n```text\n{inspect.getdoc(thing)}\n```"


def _signature(thing: Any) -> str:
    """Names and defaults; the types are long and say little here."""
    signature = inspect.signature(thing)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text if len(text) < 90 else text.replace("(", "(\n    ", 1).replace(", ", ",\n    ")[:-1] + ",\n)"


def _is_ours(method: Any) -> bool:
    return (getattr(method, "__module__", "") or "").startswith("tacit.") and bool(inspect.getdoc(method))
