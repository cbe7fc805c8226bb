"""Run the pages whose code is run as a whole, and write what it prints below it.

A block of ``python`` is run in the order of the page; a block of ``text`` right behind it holds what it printed. No
output is typed by hand. A comment ``<!-- before … -->`` at the head of a page holds code that prepares the files which
the page speaks of; it is run first, and readers do not see it.

    python scripts/tutorials.py           run all, rewrite the outputs
    python scripts/tutorials.py --check   fail where a page shows something else than its code prints
"""

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
OTHERS = (
    "README.md",
    "docs/index.md",
    "docs/data/debian.md",
    "docs/explanation/privacy.md",
    *(f"docs/howto/{name}.md" for name in ("coming-from", "data", "words", "your-own")),
)
"""Pages beside the tutorials that are run in the same way."""
BEFORE = re.compile(r"^<!-- before\n(.*?)^-->\n", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?P<shown>\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    return sorted(path for path in FOLDER.glob("*.md") if BLOCK.search(path.read_text(encoding="utf-8")))


def ran(page: Path) -> str:
    """The page with the output that its code gives now; files that it writes go to a folder that is thrown away."""
    names: dict[str, Any] = {"__name__": "tutorial"}

    def run(match: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(match["code"], page.name, "exec"), names)
        lines = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
        return f"```python\n{match['code']}```\n" + (f"\n```text\n{lines}```\n" if lines else "")

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for preparation in BEFORE.findall(page.read_text(encoding="utf-8")):
                exec(compile(preparation, page.name, "exec"), names)
            return BLOCK.sub(run, page.read_text(encoding="utf-8"))
        finally:
            os.chdir(before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail where an output is out of date")
    check = parser.parse_args().check
    sys.path.insert(0, str(ROOT))
    from scripts.rounding import is_same

    stale = []
    for page in [*pages(), *(ROOT / other for other in OTHERS)]:
        text = ran(page)
        if not is_same(page.read_text(encoding="utf-8"), text):
            stale.append(page.name)
            if not check:
                page.write_text(text, encoding="utf-8")
    if check and stale:
        raise SystemExit(f"out of date: {', '.join(stale)}; run python scripts/tutorials.py")
    print(f"{len(stale)} page(s) rewritten" if stale else "all pages print what they show")


if __name__ == "__main__":
    main()
