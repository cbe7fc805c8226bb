"""What every page must be: well-formed, complete in itself, and named where it cannot be seen."""

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "link", "input", "hr"}


class Outline(HTMLParser):
    """Tags that are open, those that were closed wrongly, and the text without markup."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.pictures, self.words = [], [], [], []
        self.scripts = 0

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.scripts += tag == "script"
        if tag in {"svg", "img"}:
            self.pictures.append(dict(attributes))

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, text):
        if "style" not in self.open and "script" not in self.open:
            self.words.append(text)


def checked(page, scripts=0):
    """The page's text, after it was found well-formed, self-contained, and with a name for every picture."""
    outline = Outline()
    outline.feed(page)
    outline.close()
    assert outline.open == []
    assert outline.wrong == []
    assert outline.scripts == scripts
    assert all(one.get("aria-label") or one.get("alt") for one in outline.pictures)
    addresses = re.findall(r"""(?:src|href)\s*=\s*["']([^"']*)""", page)
    assert [one for one in addresses if not one.startswith(("#", "data:"))] == []
    assert not re.search(r"@import|url\(|https?://|//cdn", page)
    return " ".join(outline.words)
