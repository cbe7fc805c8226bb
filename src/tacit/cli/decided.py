"""What a reviewer decided about an audit, brought to the rows of a table and written into a copy of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit import atomic_file
from tacit.cli.output import say
from tacit.cli.tables import save_frame
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm
    from tacit.estimators.tag.audit_report import Decisions

_NAMED = 3


@dataclass(frozen=True)
class Placed:
    """What was accepted and rejected, by places of rows, and rows that the table has no more."""

    accepted: list[tuple[int, str]]
    rejected: list[tuple[int, str]]
    gone: list[str]

    def say_gone(self) -> None:
        """Name the rows that are left out."""
        if self.gone:
            more = " and others" if len(self.gone) > _NAMED else ""
            named = ", ".join(map(repr, self.gone[:_NAMED])) + more
            rows = "1 row is" if len(self.gone) == 1 else f"{len(self.gone):,} rows are"
            say(f"--accepted: {rows} not in TABLE any more and left out: {named}.")


def refuse_names(decisions: "Decisions") -> None:
    """Without --id rows go by their numbers, so that 0042 or a name comes from an audit that had it."""
    for row, _ in (*decisions.accepted, *decisions.rejected):
        if not row.isdecimal() or row != (row.lstrip("0") or "0"):
            raise InputError(f"--accepted: {row!r} is not the number of a row; say --id as at the audit.")


def placed(decisions: "Decisions", ids: Sequence[Any]) -> Placed:
    """Decisions with the places of their rows.

    A spreadsheet takes leading zeros away: a row that is not there but is one other's number is that one.

    >>> from tacit.estimators.tag.audit_report import Decisions
    >>> placed(Decisions([("42", "red"), ("c", "blue")], []), ["0042", "b"])
    Placed(accepted=[(0, 'red')], rejected=[], gone=['c'])
    """
    places = {str(ident): index for index, ident in enumerate(ids)}
    numbers: dict[str, list[int]] = {}
    for ident, index in places.items():
        if ident.isdecimal():
            numbers.setdefault(ident.lstrip("0"), []).append(index)
    result = Placed([], [], [])
    accepted: dict[tuple[int, str], str] = {}
    for cells, with_places in ((decisions.accepted, result.accepted), (decisions.rejected, result.rejected)):
        for row, label in cells:
            similar = numbers.get(row.lstrip("0"), []) if row.isdecimal() else []
            place = places.get(row, similar[0] if len(similar) == 1 else None)
            if place is not None:
                with_places.append((place, label))
                if cells is decisions.accepted:
                    accepted[place, label] = row
                elif (place, label) in accepted:
                    other = accepted[place, label]
                    yes, no = decisions.lines[other, label, True], decisions.lines[row, label, False]
                    raise InputError(
                        f"--accepted: line {yes} accepts {label!r} for the row {other!r}, and line {no} rejects it for "
                        f"{row!r}, which is the same row; leave one of them out."
                    )
            elif row not in result.gone:
                result.gone.append(row)
    if result.gone and not result.accepted and not result.rejected:
        raise InputError(f"--accepted: the row {result.gone[0]!r} is not in TABLE; give the table that was audited.")
    return result


def write_patched(
    path: Path, table: str, form: "TextForm", column: str, separator: str, more: Sequence[Sequence[str]]
) -> None:
    """Write ``table`` with more labels in the cells of ``column``; all else stays as it stands.

    A text table that stays of its kind is changed sign by sign. Otherwise text is written as text, so that ids keep
    their zeros.
    """
    import polars as pl

    from tacit.data.readers import origin_of, read_frame, scan_table
    from tacit.data.text_patch import patched_text

    names = scan_table(table, form=form).collect_schema().names()
    frame = read_frame(table, {"--labels": column}, None, text=names, name="TABLE", form=form)
    cells: list[Any] = frame[column].to_list()
    blank = separator + " "
    spaced = separator.strip() and any(isinstance(cell, str) and blank in cell for cell in cells)
    changed = {index: _joined(cells[index], new, blank if spaced else separator)
               for index, new in enumerate(more) if new}  # fmt: skip
    origin = origin_of(table, form)
    if len(origin.paths) == 1 and origin.usual and path.suffix.lower() == _kind(origin.paths[0]):
        pairs = {index: (cells[index] or "", str(new)) for index, new in changed.items()}
        content = patched_text(origin.paths[0], origin.usual, form, column, pairs)
        with atomic_file.replacing(path) as temporary:
            temporary.write_bytes(content)
        return
    for index, new in changed.items():
        cells[index] = new
    save_frame(path, frame.with_columns(pl.Series(column, cells, dtype=frame.schema[column])))


def _joined(old: Any, new: Sequence[str], separator: str) -> Any:
    """A cell with more labels behind those that it has."""
    if isinstance(old, list):
        return [*old, *new]
    if not (old or "").strip():
        return separator.join(new)
    ended = old.rstrip().endswith(separator.strip() or separator)
    return old + ("" if ended else separator) + separator.join(new)


def _kind(path: str) -> str:
    """``.csv`` of ``texts.csv.gz``."""
    return next((suffix.lower() for suffix in Path(path).suffixes if suffix.lower() in (".csv", ".tsv")), "")
