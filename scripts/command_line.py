"""Fill docs/howto/command-line.md with what its commands print.

Every command of the page is run in one folder, in the order of the page. Where a block of commands is followed by a
block of ``text``, that block becomes what they printed; what differs from run to run (seconds, checksums, dates, sizes
of files) is shown as ``…``.

    python scripts/command_line.py           write the page
    python scripts/command_line.py --check   fail if the committed page is not what would be written
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "howto" / "command-line.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
NOT_HERE = ("demo", "warm", "completion", "data", "doctor", "bench")
"""Verbs with tests of their own that take long, need the network or depend on the machine."""


def is_run(words: list[str]) -> bool:
    """Whether a command of the page can be run anywhere."""
    return words[:1] == ["tacit"] and words[1] not in (*NOT_HERE, "--help") and "sqlite:///shop.db" not in words


def printed(line: str) -> str:
    """What a command prints, remarks included; one that fails stops everything."""
    from tacit.cli.app import main

    words = shlex.split(line, comments=True)
    if not words or not is_run(words):
        return ""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
        target = words.index(">") if ">" in words else None
        try:
            main(words[1:target])
        except SystemExit as stopped:
            if stopped.code:
                raise AssertionError(f"{line}: {out.getvalue()}") from None
    return "" if target is not None else out.getvalue()


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    text = re.sub(r"\b\d+(\.\d+)? s\b", "… s", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "…", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "…", text)
    text = re.sub(r"[\d,]+/s\b", "…/s", text)
    text = re.sub(r"\b\d+(\.\d+)? (bytes|kB|MB)\b", "… kB", text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def page() -> str:
    from tests.test_documents import make_files

    def filled(found: "re.Match[str]") -> str:
        said = "".join(printed(line) for line in found[1].splitlines())
        return found[0] if found[2] is None else f"```sh\n{found[1]}```\n\n```text\n{steady(said)}```\n"

    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        make_files()
        return BLOCK.sub(filled, text)


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT))
    os.environ["COLUMNS"] = "110"
    from scripts.rounding import is_same

    written = page()
    if "--check" not in arguments:
        PAGE.write_text(written, encoding="utf-8")
        return 0
    if is_same(PAGE.read_text(encoding="utf-8"), written):
        return 0
    print("docs/howto/command-line.md is not what the program says now; run python scripts/command_line.py.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
