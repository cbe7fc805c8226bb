"""Sections as one HTML page that needs no network: style and figures are inside."""

import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from tacit.report import svg
from tacit.report.blocks import Bars, Block, Dots, Lines, Paragraph, Section, Table


def render(title: str, lead: str, sections: Sequence[Section], footer: str = "") -> str:
    """The whole page as text."""
    named = [(_anchor(section.title, place), section) for place, section in enumerate(sections)]
    contents = "".join(f'<li><a href="#{anchor}">{escape(one.title)}</a></li>' for anchor, one in named)
    body = "".join(
        f'<section id="{anchor}"><h2>{escape(one.title)}</h2>{"".join(_block(block) for block in one.blocks)}</section>'
        for anchor, one in named
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="lead">{_inline(lead)}</p><nav><ol>{contents}</ol></nav>'
        f"{body}<footer>{_inline(footer)}</footer></main></body></html>\n"
    )


def _style() -> str:
    return (files("tacit.report") / "page.css").read_text(encoding="utf-8")


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Table():
            return _figure(block.caption, f'<div class="wide">{_table(block)}</div>')
        case Bars():
            return _figure(block.title, svg.bars(block))
        case Lines():
            return _figure(block.title, svg.lines(block))
        case Dots():
            return _figure(block.title, svg.dots(block))


def _figure(caption: str, content: str) -> str:
    heading = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{heading}{content}</figure>"


def _table(table: Table) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        kinds = ["" if place < table.texts else ' class="n"' for place in range(len(row))]
        # On a phone wide tables are stacked, and every cell says which column it was in.
        names = [f' data-column="{escape(name, quote=True)}"' if tag == "td" else "" for name in table.headings]
        return "".join(f"<{tag}{kind}{name}>{escape(cell)}</{tag}>" for kind, name, cell in zip(kinds, names, row))

    rows = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in table.rows)
    stacks = ' class="stacks"' if table.texts > 2 else ""
    return f"<table{stacks}><thead><tr>{cells(table.headings, 'th')}</tr></thead><tbody>{rows}</tbody></table>"


def _inline(text: str) -> str:
    """Escaped text, in which words between backquotes are code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _anchor(title: str, place: int) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"{place + 1}-{words}"
