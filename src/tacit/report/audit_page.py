"""The page of an audit: one file, no network; keys decide, decisions survive a reload and are saved as CSV."""

import hashlib
import re
from collections.abc import Sequence

from tacit.report.page import asset, shell
from tacit.report.plain import page_text as escape

_STYLE = "main{max-width:54rem}"


def page(title: str, cards: Sequence[str]) -> str:
    """The cards, which are HTML already, as one page in the look of all others."""
    every = "\n".join(cards)
    name = hashlib.sha256(every.encode()).hexdigest()[:16]
    return shell(
        title,
        f"<main><h1>{escape(title)}</h1>"
        f'<p class="lead">{len(cards)} suggestions, best first, each scored by models that never saw its row. Each '
        "shows the labels that the row has, those that speak for the new one outlined, the features that speak for it, "
        "and the nearest rows that carry it. Decisions stay in this browser until you save them.</p>"
        f'<div id="app"></div><section id="cards" data-name="{name}">{every}</section></main>',
        style=asset("review.css") + _STYLE,
        script="".join(_plain(asset(name)) for name in ("fold.js", "review.js", "review_file.js")),
    )


def _plain(module: str) -> str:
    """A module as part of one script: what it imports stands before it."""
    return re.sub(r"^import .*\n|^export ", "", module, flags=re.MULTILINE)
