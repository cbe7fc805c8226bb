"""Tables in README and docs come from results files, and from nowhere else.

    python -m benchmarks.pages          rewrite the generated blocks of all pages
    python -m benchmarks.pages --check  fail where a committed page differs from what the results say

A block stands between two comments in a Markdown page and names a results file:

    <!-- results: recommend -->
    …
    <!-- end -->

``benchmarks/tables/<name>.py`` has ``render(record) -> str``: Markdown from the content of ``results/<name>.json``.
A dash in the name of a results file is an underscore in the name of its module. A module with ``FILES``, the names of
several results files, draws from all of them: ``render(records)`` gets a mapping from name to content.
"""

import argparse
import importlib
import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
BLOCK = re.compile(r"(<!-- results: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def render(name: str) -> str:
    """The block for one results file; says so where nothing has been measured yet."""
    module = drawing(name)
    files = getattr(module, "FILES", (name,))
    records: dict[str, Any] = {}
    for file in files:
        path = HERE / "results" / f"{file}.json"
        if not path.exists():
            return f"*Not measured yet: `results/{file}.json` does not exist.*\n"
        records[file] = json.loads(path.read_text(encoding="utf-8"))
    if hasattr(module, "FILES"):
        return f"\n{module.render(records).strip()}\n\n*From {', '.join(f'`{file}.json`' for file in files)}.*\n\n"
    record = records[name]
    machine = record["machine"]
    cores = machine.get("cores", "?")
    where = f"{cores} core{'' if cores == 1 else 's'}, {machine.get('processor', 'unknown processor')}"
    # Programs that measure in parts write after each; the command is that of the latest part.
    return f"\n{module.render(record).strip()}\n\n*Latest: `{record['command']}`, {record['date']}, {where}.*\n\n"


def drawing(name: str) -> Any:
    """The module that draws a results file."""
    module = f"benchmarks.tables.{name.replace('-', '_')}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise SystemExit(
            f"a page asks for results: {name}, which nothing draws; write {module.replace('.', '/')}.py."
        ) from None


def rewritten(text: str) -> str:
    return BLOCK.sub(lambda match: match[1] + render(match["name"]) + match[4], text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail where a page is out of date")
    check = parser.parse_args().check
    stale = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            stale.append(str(page.relative_to(ROOT)))
            if not check:
                page.write_text(new, encoding="utf-8")
    if check and stale:
        raise SystemExit(f"out of date: {', '.join(stale)}; run python -m benchmarks.pages")
    print(f"{len(stale)} page(s) rewritten" if stale else "all pages match the results")


if __name__ == "__main__":
    main()
