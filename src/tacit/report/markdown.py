"""The Markdown that results are written in, as blocks of a report: paragraphs, headings, bold captions, tables.

Pictures are left out: an address that is right in a page of the docs is not in another one.
"""

import re

from tacit.report.blocks import Block, Paragraph, Table

_CELL = re.compile(r"(?<!\\)\|")


def blocks(text: str) -> list[Block]:
    """Paragraphs and tables in their order; a paragraph that begins in bold becomes the caption of the table below it.

    >>> blocks("**Set** (3 rows)\\n\\n| method | s |\\n|---|--:|\\n| a | 1 |")
    [Table(headings=['method', 's'], rows=[['a', '1']], texts=1, caption='Set (3 rows)', shades=())]
    """
    result: list[Block] = []
    caption = ""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = part.strip().splitlines()
        if part.lstrip().startswith("!["):
            continue
        if len(lines) > 1 and lines[0].startswith("|") and re.fullmatch(r"[|:\- ]+", lines[1]):
            headings, *rows = (_cells(line) for line in [lines[0], *lines[2:]])
            result.append(Table(headings, rows, caption=caption))
            caption = ""
            continue
        if caption:
            result.append(Paragraph(caption))
        plain = re.sub(r"^#+ (.*)$", r"**\1**", " ".join(line.strip() for line in lines))
        caption = _plain(plain) if plain.startswith("**") else ""
        if not caption and plain:
            result.append(Paragraph(plain.strip("*") if plain.startswith("*") else plain))
    return [*result, Paragraph(caption)] if caption else result


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in _CELL.split(line.strip().strip("|"))]


def _plain(text: str) -> str:
    return re.sub(r"\*\*|`", "", text).replace("\\|", "|").strip()
