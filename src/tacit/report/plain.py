"""Strangers' text, shown as text: ids, labels and titles come from files that anybody may have written.

A terminal obeys escape codes, a page obeys tags, a spreadsheet obeys cells that begin like a formula. ``visible`` is
for terminals, ``page_text`` for pages, ``harmless_cell`` for CSV.
"""

import html
import unicodedata
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode's control, format (such as right-to-left marks), surrogate and private characters, and line separators."""


def visible(value: Any, *, lines: bool = False) -> str:
    """Text in which every control and invisible character is spelled out; ``lines`` keeps line ends and tabs.

    >>> visible("a\\x1b[31mred")
    'a\\\\x1b[31mred'
    >>> visible("tea")
    'tea'
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(sign if _is_seen(sign) or (lines and sign in "\n\t") else ascii(sign)[1:-1] for sign in text)


def page_text(value: Any) -> str:
    """The same inside HTML, between tags and in quoted attributes.

    >>> page_text("<b>\\x1b")
    '&lt;b&gt;\\\\x1b'
    """
    return html.escape(visible(value, lines=True))


def harmless_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: text that begins like one gets an apostrophe before it.

    Numbers stay numbers, and so does text that reads as one.

    >>> harmless_cell("=1+1"), harmless_cell("-3.5"), harmless_cell(-3), harmless_cell("tea")
    ("'=1+1", '-3.5', -3, 'tea')
    """
    if not isinstance(value, str) or not value.lstrip(" ").startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def cell_as_given(text: str) -> str:
    """The text of a cell that ``harmless_cell`` may have written.

    >>> cell_as_given("'=1+1"), cell_as_given("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and harmless_cell(text[1:]) == text else text


def _is_seen(sign: str) -> bool:
    # Emoji are joined by U+200D, a format character that nothing but looks depends on.
    return sign == "\u200d" or unicodedata.category(sign) not in _HIDDEN
