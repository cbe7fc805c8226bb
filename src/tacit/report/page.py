"""Sections as one HTML page that needs no network: style and figures are inside."""

import os
import re
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tacit.report import svg
from tacit.report.blocks import (
    Bars,
    Block,
    Case,
    Columns,
    Dots,
    Lines,
    Paragraph,
    Picture,
    Section,
    Table,
    Terms,
    Tiles,
)
from tacit.report.plain import page_text as escape


def render(title: str, lead: str, sections: Sequence[Section], footer: str = "") -> str:
    """The whole page as text."""
    named = [(_anchor(section.title, index), section) for index, section in enumerate(sections)]
    contents = "".join(f'<li><a href="#{anchor}">{escape(one.title)}</a></li>' for anchor, one in named)
    body = "".join(
        f'<section id="{anchor}"><h2>{escape(one.title)}</h2>{"".join(_block(block) for block in one.blocks)}</section>'
        for anchor, one in named
    )
    return shell(
        title,
        f'<main><h1>{escape(title)}</h1><p class="lead">{_inline(lead)}</p>'
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>{body}<footer>{_inline(footer)}</footer></main>',
    )


_GENERATOR = '<meta name="generator" content="Tacit">'


def is_page(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a page that was written here."""
    with Path(path).open("rb") as file:
        return _GENERATOR.encode() in file.read(1000)


def shell(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A page around a body that is HTML already, in the colours and letters of every page."""
    program = f"<script>{script}</script>" if script else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_GENERATOR}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{asset('page.css')}{style}</style></head>"
        f"<body>{body}{program}</body></html>\n"
    )


def asset(name: str) -> str:
    """Style or module of the pages, as text."""
    return (files("tacit.report") / "assets" / name).read_text(encoding="utf-8")


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Table():
            # What can be moved sideways on a phone must be reached by keys, too.
            named = escape(block.caption or "Table")
            scrolled = f'<div class="wide" tabindex="0" role="region" aria-label="{named}">{_table(block)}</div>'
            return _figure(block.caption, scrolled)
        case Tiles(figures):
            return f'<div class="tiles">{"".join(_tile(*one) for one in figures)}</div>'
        case Terms(title, meanings):
            pairs = "".join(f"<dt>{_inline(word)}</dt><dd>{_inline(text)}</dd>" for word, text in meanings.items())
            return _figure(title, f"<dl>{pairs}</dl>")
        case Bars():
            return _figure(block.title, svg.bars(block))
        case Columns():
            return _figure(block.title, svg.columns(block))
        case Lines():
            return _figure(block.title, svg.lines(block))
        case Dots():
            return _figure(block.title, svg.dots(block))
        case Case():
            return _case(block)
        case Picture():
            data = b64encode(block.svg.encode()).decode()
            alternative = escape(block.title)
            return _figure(
                block.title, f'<img class="drawn" alt="{alternative}" src="data:image/svg+xml;base64,{data}">'
            )


def _figure(caption: str, content: str) -> str:
    heading = f"<figcaption>{_inline(caption)}</figcaption>" if caption else ""
    return f"<figure>{heading}{content}</figure>"


def _tile(name: str, figure: str, remark: str) -> str:
    return (
        f'<div class="tile"><span class="what">{escape(name)}</span><span class="figure">{escape(figure)}</span>'
        f'<span class="remark">{_inline(remark)}</span></div>'
    )


def _case(case: Case) -> str:
    def chip(text: str, marked: bool) -> str:
        # The sign says it where colours are not seen, the words where nothing is seen.
        sign = '<span class="sign" title="hit">✓<span class="unseen"> hit: </span></span>' if marked else ""
        return f'<li class="{"chip hit" if marked else "chip"}">{sign}{escape(text)}</li>'

    lists = "".join(
        f'<h4>{escape(name)}</h4><ul class="chips">{"".join(chip(*one) for one in words)}</ul>'
        for name, words in case.lists.items()
    )
    note = f"<p>{_inline(case.note)}</p>" if case.note else ""
    return f'<article class="case"><h3>{escape(case.title)}</h3>{note}{lists}</article>'


def _table(table: Table) -> str:
    def cells(row: Sequence[str], tag: str, shades: Sequence[float] = ()) -> str:
        kinds = ["" if index < table.texts else ' class="n"' for index in range(len(row))]
        # On a phone wide tables are stacked, and every cell says which column it was in.
        names = [f' data-column="{escape(name)}"' if tag == "td" else "" for name in table.headings]
        colours = [f' style="--shade:{round(60 * shade)}%"' if shade > 0 else "" for shade in shades] or [""] * len(row)
        return "".join(
            f"<{tag}{kind}{name}{colour}>{escape(cell)}</{tag}>"
            for kind, name, colour, cell in zip(kinds, names, colours, row)
        )

    shades: Sequence[Sequence[float]] = table.shades or [()] * len(table.rows)
    rows = "".join(f"<tr>{cells(row, 'td', shade)}</tr>" for row, shade in zip(table.rows, shades))
    wide = table.texts > 2 or len(table.headings) > 4
    many = " many" if len(table.headings) > 7 else ""
    kind = "shaded" if table.shades else f"stacks{many}" if wide else ""
    heading = cells(table.headings, "th").replace("<th", '<th scope="col"')
    return f'<table class="{kind}"><thead><tr>{heading}</tr></thead><tbody>{rows}</tbody></table>'


def _inline(text: str) -> str:
    """Escaped text, in which words between backquotes are code and words between double stars are strong."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", coded)


def _anchor(title: str, index: int) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{index + 1}-{words}"
