"""The HTML of the pages: one frame around a heading, the links of the page and what its script fills."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

ASSETS = Path(__file__).parent / "assets"
HOME = "index"


@dataclass(frozen=True)
class Page:
    """One page; its own script is ``assets/NAME.js``.

    Parameters
    ----------
    heading : what stands above it
    about : what OpenAPI says of it
    styles, modules : names in the folder that pages share with those that are written to files
    """

    heading: str
    about: str
    styles: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


PAGES = {
    "explore": Page("Explore", "The page that explores a model.", modules=("fold",)),
    "review": Page(
        "Review missing tags", "The page on which missing tags are reviewed.",
        styles=("review",), modules=("review", "fold"),
    ),
    "watch": Page("Watch", "The page that shows streams and the service as they run."),
    "grade": Page("Grade", "The page on which rows are graded.", modules=("fold",)),
}  # fmt: skip
"""In the order in which every page links them."""

_CONTENT = '<h1>{heading}</h1>\n<div id="app"></div>\n<p id="trouble" role="alert"></p>\n'


@cache
def html(name: str) -> str:
    """The page of this name, or the home page."""
    page = PAGES.get(name)
    styles, modules = (page.styles, page.modules) if page else ((), ())
    links = [
        *(f'<link rel="stylesheet" href="/look/{style}.css">' for style in styles),
        '<link rel="modulepreload" href="/static/common.js">',
        *(f'<link rel="modulepreload" href="/look/{module}.js">' for module in modules),
        f'<script type="module" src="/static/{name}.js"></script>',
    ]
    here = {name: ' aria-current="page"'}
    nav = [f'<a href="/{other}"{here.get(other, "")}>{other.title()}</a>' for other in PAGES]
    content = _CONTENT.format(heading=page.heading) if page else _read("home.html")
    return Template(_read("frame.html")).substitute(
        title=f"{name.title()} · Tacit" if page else "Tacit", links="\n".join(links), nav="".join(nav), content=content
    )


def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
