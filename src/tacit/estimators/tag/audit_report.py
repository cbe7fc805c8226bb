"""The result of an audit: suggestions, as tables and as a page for a reviewer."""

import csv
import html
import io
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit import atomic_file
from tacit.errors import InputError
from tacit.report.audit_page import page
from tacit.report.plain import cell_as_given, harmless_cell, page_text

_YES = {"1", "y", "yes", "true", "accept", "accepted"}
_NO = {"0", "n", "no", "false", "reject", "rejected"}
_COLUMNS = {"row", "label", "accept"}


_SHOWN = ("carries", "nearest", "features", "companions")


@dataclass(frozen=True)
class Suggestion:
    """One unlabelled cell that is probably positive.

    row, label : the caller's own ids
    score : how much models that never saw the row expect the label, less for a label that few rows carry
    text : what the row says, where texts were given
    carries : the labels that the row has already
    nearest : rows nearest to this one that carry the label: id, cosine, text
    features : the row's features that speak most for the label
    companions : the row's labels that speak most for it
    """

    row: Any
    label: Any
    score: float
    text: str
    carries: tuple[str, ...]
    nearest: tuple[tuple[str, float, str], ...]
    features: tuple[str, ...]
    companions: tuple[str, ...] = ()


@dataclass(frozen=True)
class MissingLabels:
    """Suggestions, best first.

    >>> found = MissingLabels((Suggestion("vim", "use::editing", 0.9, "", (), (("nano", 0.8, ""),), ("editor",)),))
    >>> found.to_polars().select("row", "label", "nearest", "features").rows()
    [('vim', 'use::editing', 'nano', 'editor')]
    """

    suggestions: tuple[Suggestion, ...]

    def __len__(self) -> int:
        return len(self.suggestions)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.suggestions)

    def __getitem__(self, index: int) -> Suggestion:
        return self.suggestions[index]

    def cells(self) -> list[tuple[Any, Any]]:
        """Row and label of each suggestion."""
        return [(one.row, one.label) for one in self.suggestions]

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "row": [one.row for one in self.suggestions],
            "label": [one.label for one in self.suggestions],
            "score": [one.score for one in self.suggestions],
            "accept": ["" for _ in self.suggestions],
            "text": [one.text for one in self.suggestions],
            "carries": ["; ".join(one.carries) for one in self.suggestions],
            "nearest": ["; ".join(name for name, _, _ in one.nearest) for one in self.suggestions],
            "features": ["; ".join(one.features) for one in self.suggestions],
            "companions": ["; ".join(one.companions) for one in self.suggestions],
        }

    def _content(self) -> dict[str, list[Any]]:
        """The columns, and what is shown beside each suggestion, part by part."""
        shown = [{part: getattr(one, part) for part in _SHOWN} for one in self.suggestions]
        return self._columns() | {"shown": shown}

    def to_polars(self) -> Any:
        """One line per suggestion; ``accept`` is empty, for a reviewer to fill in."""
        import polars as pl

        return pl.DataFrame(self._columns(), strict=False)

    def to_pandas(self) -> Any:
        """The same table for pandas."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    def write(self, path: str | os.PathLike[str], title: str = "Labels that are probably missing") -> None:
        """Write .csv, .parquet, .json or .html, by the file's ending.

        The page needs nothing but itself: it is reviewed in a browser, where accepted lines are saved as CSV. A cell of
        a CSV that a spreadsheet would take for a formula has an apostrophe before it.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".csv":
                columns = self._columns()
                text = io.StringIO(newline="")
                writer = csv.writer(text, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows([harmless_cell(cell) for cell in line] for line in zip(*columns.values()))
                atomic_file.write_text(path, text.getvalue())
            case ".parquet":
                with atomic_file.replacing(path) as temporary:
                    self.to_polars().write_parquet(temporary)
            case ".json":
                atomic_file.write_text(path, json.dumps(self._content(), ensure_ascii=False, default=str))
            case ".html" | ".htm":
                atomic_file.write_text(path, self.to_html(title))
            case ending:
                raise InputError(f"path: {ending!r} is not a kind of file that an audit can be written to; "
                                 "use .csv, .parquet, .json or .html.")  # fmt: skip

    def to_html(self, title: str = "Labels that are probably missing") -> str:
        """The page as text."""
        return page(title, [_card(number, one) for number, one in enumerate(self.suggestions)])


def read_suggestions(path: str | os.PathLike[str]) -> MissingLabels:
    """The suggestions of a .json file that an audit wrote."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            columns = json.load(file)
        lines = zip(columns["row"], columns["label"], columns["score"], columns["text"], columns["shown"], strict=True)
        return MissingLabels(tuple(_suggestion(*line) for line in lines))
    except FileNotFoundError:
        raise InputError(f"there is no file {os.fspath(path)!r}; write one with tacit audit -o audit.json.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise InputError(
            f"{os.fspath(path)!r} is not what tacit audit -o audit.json writes: it is no JSON; "
            "write it with -o FILE.json."
        ) from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(
            f"{os.fspath(path)!r} is not what tacit audit -o audit.json writes ({type(error).__name__}: {error})."
        ) from None


def _suggestion(row: Any, label: Any, score: Any, text: Any, shown: Any) -> Suggestion:
    words = {part: tuple(str(word) for word in shown[part]) for part in ("carries", "features", "companions")}
    nearest = tuple((str(name), float(cosine), str(said)) for name, cosine, said in shown["nearest"])
    if not isinstance(row, str | int) or not isinstance(label, str | int):
        raise ValueError(f"{row!r} and {label!r} are no ids")
    if not math.isfinite(score) or not all(math.isfinite(cosine) for _, cosine, _ in nearest):
        raise ValueError(f"a score of {row!r} is not finite")
    return Suggestion(row=row, label=label, score=float(score), text=str(text), nearest=nearest, **words)


@dataclass(frozen=True)
class Decisions:
    """Row and label, as text, of what a reviewer accepted and rejected."""

    accepted: list[tuple[str, str]]
    rejected: list[tuple[str, str]]
    lines: dict[tuple[str, str, bool], int] = field(default_factory=dict, compare=False, repr=False)
    """Row, label and whether it was accepted → the line of the CSV that says so first."""


def read_decisions(path: str | os.PathLike[str]) -> Decisions:
    """What a reviewed CSV accepts and rejects; lines whose ``accept`` is empty are undecided.

    An ``accept`` that says neither yes nor no is refused: a decision must not be lost.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no file {os.fspath(path)!r}; give the CSV that was reviewed.")
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            head = file.readline()
            file.seek(0)
            return _decided(csv.DictReader(file, delimiter=_separator(head)), os.fspath(path))
    except UnicodeDecodeError:
        raise InputError(f"{os.fspath(path)!r} is not UTF-8; save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"{os.fspath(path)!r} could not be read as CSV ({error}); save it again.") from None


def _separator(head: str) -> str:
    """What stands between the names of the columns: spreadsheets write semicolons where the comma is a decimal sign."""
    return next((sign for sign in ",;\t" if set(*csv.reader([head], delimiter=sign)) >= _COLUMNS), ",")


def _decided(lines: "csv.DictReader[str]", path: str) -> Decisions:
    missing = _COLUMNS - set(lines.fieldnames or ())
    if missing:
        raise InputError(f"{path!r} lacks the column {sorted(missing)[0]!r}; give a CSV that tacit audit wrote.")
    result = Decisions([], [])
    for line in lines:
        said = (line["accept"] or "").strip().lower()
        if said and said not in _YES | _NO:  # x too, which is a tick to some, and the key that rejects on the pages
            raise InputError(
                f"line {lines.line_num} of {path!r} says {line['accept']!r} under accept, which is neither yes nor no; "
                "write yes, no, or nothing."
            )
        if said:
            cell = cell_as_given(line["row"] or ""), cell_as_given(line["label"] or "")
            (result.accepted if said in _YES else result.rejected).append(cell)
            result.lines.setdefault((*cell, said in _YES), lines.line_num)
    return result


def _card(number: int, one: Suggestion) -> str:
    def chips(words: tuple[str, ...], kind: str, what: str, outlined: tuple[str, ...] = ()) -> str:
        return (f'<span class="what">{what}</span>' if words else "") + "".join(
            f'<span class="{kind}{" speaks" if word in outlined else ""}">{page_text(word)}</span>' for word in words
        )

    nearest = "".join(
        f"<li><div><b>{page_text(name)}</b> <i>{cosine:.2f}</i> {page_text(text)}</div></li>"
        for name, cosine, text in one.nearest
    )
    # The attributes carry ids as they are into the table of decisions; the text beside them is for eyes.
    given_row, given_label = html.escape(str(one.row)), html.escape(str(one.label))
    carries = html.escape(json.dumps(one.carries, ensure_ascii=False))
    row, label = page_text(one.row), page_text(one.label)
    return (
        f'<article data-row="{given_row}" data-label="{given_label}" data-score="{one.score:.4f}" '
        f'data-carries="{carries}" id="c{number}">'
        f'<header><h2>{row}</h2><span class="new">+ {label}</span><span class="score">{one.score:.2f}</span></header>'
        f"<p>{page_text(one.text)}</p>"
        f"<p>{chips(one.carries, 'tag', 'has', one.companions)}</p>"
        f"<p>{chips(one.features, 'word', 'words that speak for it')}</p>"
        + ('<p><span class="what">nearest rows that have it</span></p>' if nearest else "")
        + f"<ul>{nearest}</ul>"
        "</article>"
    )
