"""Small tables for notebooks: strangers' text is shown as text, and long tables are cut."""

from collections.abc import Sequence
from typing import Any

from tacit.report.plain import page_text

_MOST = 20


def html_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """A table whose first ``_MOST`` rows are shown; numbers stand to the right.

    >>> "&lt;b&gt;" in html_table(["id"], [["<b>"]])
    True
    """
    title = f"<caption>{page_text(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{page_text(name)}</th>" for name in headings)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows[:_MOST])
    more = f"<p>… and {len(rows) - _MOST:,} more rows</p>" if len(rows) > _MOST else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    side = "right" if isinstance(value, int | float) and not isinstance(value, bool) else "left"
    shown = f"{value:.4f}" if isinstance(value, float) else page_text(value)
    return f'<td style="text-align:{side}">{shown}</td>'
