"""What the papers report: figures of their tables, and in a sentence what each picture shows.

One file per paper, ``printed/<paper>.json``: the citation under ``paper``, then one entry per table or figure with its
``caption``. A table has ``measures`` and ``sets``, data set → method → values in that order, ``null`` where the paper
has none; a picture has a ``claim``. These are facts to stand beside our own, and nothing of the papers' text.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "printed"


def read(paper: str) -> dict[str, Any]:
    """All that is kept of one paper."""
    found: dict[str, Any] = json.loads((FOLDER / f"{paper}.json").read_text(encoding="utf-8"))
    return found
