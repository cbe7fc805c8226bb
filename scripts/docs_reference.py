"""A hook of mkdocs: a line ``::: module.name`` becomes the signature and docstrings of that name.

Docstrings are written to be read as they stand: prose, ``name : meaning`` lists below underlined headings, formulas
that are indented, examples that begin with ``>>>``. Each becomes what it is in Markdown.
"""

import inspect
import re
from importlib import import_module
from typing import Any

_ENTRY = re.compile(r"^(?P<names>\*{0,2}[A-Za-z_][\w.]*(?:, \*{0,2}[A-Za-z_][\w.]*)*) : (?P<meaning>.*)")


def on_page_markdown(markdown: str, **about: Any) -> str:
    """Called by mkdocs for every page."""
    return re.sub(r"^::: (\S+)$", lambda match: reference(match[1]), markdown, flags=re.MULTILINE)


def reference(path: str) -> str:
    """Markdown for one public name: its docstring, and for a class those of its public methods."""
    module, _, name = path.rpartition(".")
    thing = getattr(import_module(module), name)
    parts = [f"### {name}", _block(f"{name}{_signature(thing)}", thing)]
    if inspect.isclass(thing):
        for member, method in inspect.getmembers(thing, callable):
            if not member.startswith("_") and _is_ours(method):
                parts += [f"#### {name}.{member}", _block(f"{member}{_signature(method)}", method)]
    return "\n\n".join(parts)


def docstring(text: str) -> str:
    """Markdown from a docstring.

    >>> print(docstring("Sum over *all*.\\n\\nParameters\\n----------\\na, b : of x_y\\n    or more"))
    Sum over *all*.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `a`, `b`: of x\\_y or more
    """
    parts = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        if len(lines) > 1 and re.fullmatch(r"-{3,}", lines[1]):
            parts.append(f"**{lines[0]}**")
            lines = lines[2:]
        if not lines:
            continue
        if lines[0].startswith(">>>"):
            parts.append("```pycon\n" + "\n".join(lines) + "\n```")
        elif all(line.startswith("  ") for line in lines):
            parts.append("```text\n" + inspect.cleandoc("\n" + "\n".join(lines)) + "\n```")
        else:
            parts.append(_prose(lines))
    return "\n\n".join(parts)


def _prose(lines: list[str]) -> str:
    """Sentences as a paragraph; ``name : meaning`` lines as a list, each with the indented lines that follow it."""
    found: list[str] = []
    in_list = False
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            names = ", ".join(f"`{name}`" for name in entry["names"].split(", "))
            found.append(f"{'' if in_list or not found else chr(10)}- {names}: {_escaped(entry['meaning'])}")
        elif found and (line.startswith(" ") or not in_list):
            found[-1] += f" {_escaped(line.strip())}"
            continue
        else:
            found.append(f"\n{_escaped(line)}" if found else _escaped(line))
        in_list = bool(entry)
    return "\n".join(found)


def _escaped(text: str) -> str:
    """Markdown's own signs as they stand, but for code between backquotes and single words between stars."""
    parts = re.split(r"(``.+?``|`[^`]+`|(?<!\w)\*\w+\*(?!\w))", text)
    return "".join(part if place % 2 else re.sub(r"([*_<\[\]#])", r"\\\1", part) for place, part in enumerate(parts))


def _block(heading: str, thing: Any) -> str:
    return f"```python\n{heading}\n```\n\n{docstring(inspect.getdoc(thing) or '')}"


def _signature(thing: Any) -> str:
    """Names and defaults; the types are long and say little here."""
    signature = inspect.signature(thing)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    if len(text) < 70:
        return text
    named = [str(parameter) for parameter in bare]
    keywords = [place for place, one in enumerate(bare) if one.kind is inspect.Parameter.KEYWORD_ONLY]
    if keywords:
        named.insert(keywords[0], "*")
    return "(\n    " + ",\n    ".join(named) + ",\n)"


def _is_ours(method: Any) -> bool:
    return (getattr(method, "__module__", "") or "").startswith("tacit.") and bool(inspect.getdoc(method))
