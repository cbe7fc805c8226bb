"""Pages that ``tacit evaluate --html`` wrote, opened from the home page."""

import html
import os
import re
from collections.abc import Iterable
from pathlib import Path

from tacit.errors import InputError
from tacit.report.page import is_page

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
"""Of reports: their style and pictures are inside, and no script runs."""
_TITLE = re.compile(rb"<title>(.*?)</title>", re.DOTALL)
_SCRIPT = b"<script"


class Reports:
    """Files by their stems, read anew whenever they are opened."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        self.paths: dict[str, Path] = {}
        for path in map(Path, paths):
            if not path.is_file():
                raise InputError(f"--report: there is no file {str(path)!r}.")
            if not is_page(path):
                raise InputError(f"--report: {str(path)!r} is not a page that tacit evaluate --html wrote.")
            if _SCRIPT in path.read_bytes():
                raise InputError(
                    f"--report: {str(path)!r} is a page to review, not to read; write suggestions with "
                    "tacit audit -o audit.json and give them with --review."
                )
            if path.stem in self.paths:
                raise InputError(f"--report: two pages are named {path.stem!r}; rename one of them.")
            self.paths[path.stem] = path

    def listed(self) -> list[dict[str, str]]:
        """Name and title of each."""
        return [{"name": name, "title": _title(path)} for name, path in self.paths.items()]


def _title(path: Path) -> str:
    try:
        title = _TITLE.search(path.read_bytes())
    except OSError:
        return path.stem
    return html.unescape(title[1].decode("utf-8", "replace")) if title else path.stem
