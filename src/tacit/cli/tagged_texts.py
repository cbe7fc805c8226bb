"""Tables of texts and labels, for the verbs that tag."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.decided import placed, refuse_names, write_patched
from tacit.cli.defaults import parameters_of, typed
from tacit.cli.options import packed
from tacit.cli.output import say
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm

Function = Callable[..., Any]


@dataclass(frozen=True)
class TaggedTexts:
    """Where texts and labels stand, as the user said it."""

    table: str
    text: tuple[str, ...]
    labels: str
    row: str | None
    separator: str
    accepted: Path | None
    form: "TextForm"

    def read(self, *, distinct: bool = False) -> tuple[list[str], list[list[str]], list[Any] | None]:
        """Texts, labels of each, and ids of the rows or None for their numbers; ``distinct`` ids name one row each."""
        from tacit.data.readers import origin_of, read_frame

        if not self.separator:
            raise InputError("--separator must not be empty; say what stands between labels, such as ','.")
        columns = {"--labels": self.labels, **{f"--text ({name})": name for name in self.text}}
        if self.row is not None:
            columns["--id"] = self.row
        wanted = list(dict.fromkeys(columns.values()))
        try:
            # As text, whatever it looks like: an id or a label such as 007 is no number.
            frame = read_frame(self.table, columns, wanted, text=wanted, name="TABLE", form=self.form)
        except InputError as error:
            # What separates columns has another name beside what separates labels.
            raise InputError(str(error).replace("another separator=", "another column_separator=")) from None
        texts = [" ".join(str(part) for part in parts if part is not None) for parts in frame.select(self.text).rows()]
        cells = frame[self.labels].to_list()
        if not cells:
            raise InputError(f"{self.table!r} holds no texts; give a file with at least one line below its header.")

        def where(index: int) -> str:
            return origin_of(self.table, self.form).place(index)

        self._notice_other_separators(cells, where)
        labels = [self._split(value) for value in cells]
        _notice_spellings(labels)
        ids = None if self.row is None else frame[self.row].to_list()
        if ids is not None and (distinct or self.accepted is not None):
            _refuse_unclear(ids, where)
        if self.accepted is not None:
            _add_accepted(self.accepted, labels, ids)
        return texts, labels, ids

    def rejected(self, ids: list[Any]) -> list[tuple[Any, str]]:
        """Cells that the reviewed CSV rejects, by the ids of their rows."""
        from tacit.estimators.tag.audit_report import read_decisions

        if self.accepted is None:
            return []
        return [(ids[index], label) for index, label in placed(read_decisions(self.accepted), ids).rejected]

    def write_patched(self, accepted: Path, path: Path) -> tuple[int, int]:
        """Write the table with the accepted labels joined to those that rows have; how many rows, how many joined."""
        _, before, ids = replace(self, accepted=None).read(distinct=True)
        after = [list(labels) for labels in before]
        _add_accepted(accepted, after, ids)
        more = [new[len(old) :] for old, new in zip(before, after)]
        write_patched(path, self.table, self.form, self.labels, self._sign, more)
        return len(more), sum(map(len, more))

    def _notice_other_separators(self, cells: list[Any], where: Callable[[int], str]) -> None:
        """Labels that were split by the wrong sign would be one long label each."""
        filled = [index for index, cell in enumerate(cells) if isinstance(cell, str) and cell.strip()]
        if any(self.separator in cells[index] for index in filled):
            return
        for sign in ";|\t,":
            having = [index for index in filled if sign in cells[index]]
            if sign != self.separator and len(having) >= max(2, len(filled) // 4):
                named = "tab" if sign == "\t" else repr(sign)
                raise InputError(
                    f"--labels: no cell of {self.labels!r} holds {self.separator!r}, but {len(having)} of "
                    f"{len(filled)} hold {named}, such as {cells[having[0]]!r} in {where(having[0])}; say "
                    f"--separator {named}."
                )
        distinct = {cells[index] for index in filled}
        self._notice_joined_labels({cell.strip() for cell in distinct})
        words = {word for cell in distinct for word in cell.split()}
        if len(distinct) > max(20, len(filled) // 2) and 2 * len(words) < len(distinct):
            say(
                f"{self.labels!r} holds {len(distinct):,} different cells of only {len(words):,} words and no "
                f"{self.separator!r}; if blanks stand between labels, say --separator ' '."
            )

    def _notice_joined_labels(self, distinct: set[str]) -> None:
        """A cell whose parts stand alone in other cells holds several labels."""
        for sign in ";|\t,":
            joined = sorted(cell for cell in distinct if sign in cell and set(_parts(cell, sign)) <= distinct)
            if joined:
                named = "tab" if sign == "\t" else repr(sign)
                say(
                    f"{self.labels!r} holds {joined[0]!r}, whose parts other rows carry alone; if these are labels, "
                    f"say --separator {named}."
                )
                return

    def _split(self, value: Any) -> list[str]:
        return [] if value is None else _parts(value, self._sign)

    @property
    def _sign(self) -> str:
        return "\t" if self.separator in ("tab", "\\t") else self.separator


def _parts(value: Any, separator: str) -> list[str]:
    """The labels of a cell, each once and without blanks around it."""
    parts = value if isinstance(value, list) else str(value).split(separator)
    return list(dict.fromkeys(word for word in (str(part).strip() for part in parts) if word))


def _refuse_unclear(ids: list[Any], where: Callable[[int], str]) -> None:
    """A decision names a row by its id, so that every row needs one of its own."""
    first: dict[str, int] = {}
    for index, ident in enumerate(ids):
        if ident is None:
            raise InputError(f"--id: {where(index)} has no id; give it one, or leave --id out to go by line numbers.")
        if first.setdefault(str(ident), index) != index:
            raise InputError(
                f"--id: {ident!r} names {where(first[str(ident)])} and {where(index)}; give each its own, or leave "
                "--id out to go by line numbers."
            )


def _add_accepted(path: Path, labels: list[list[str]], ids: list[Any] | None) -> None:
    """Join the cells that a reviewer accepted to the labels, in place; ``ids`` None goes by the numbers of rows."""
    from tacit.estimators.tag.audit_report import read_decisions

    decisions = read_decisions(path)
    if ids is None:
        refuse_names(decisions)
    decided = placed(decisions, list(range(len(labels))) if ids is None else ids)
    decided.say_gone()
    new = [(index, label) for index, label in decided.accepted if label not in labels[index]]
    known = len(decided.accepted) - len(new)
    if 0 < known < len(decided.accepted):
        # An audit never suggests what a row has, so that these rows may be others than the audited ones.
        say(
            f"{known:,} of {len(decided.accepted):,} accepted labels are in TABLE already; unless some were written "
            "there before, check that --id is the same as at the audit."
        )
    for index, label in new:
        if label not in labels[index]:
            labels[index].append(label)


def _notice_spellings(labels: list[list[str]]) -> None:
    """Sport, sport and sprot are three labels, which is seldom meant."""
    from tacit.data.spellings import several_spellings, slips

    times = Counter(label for row in labels for label in row)
    twice = several_spellings(times)
    if twice:
        shown = " and ".join(f"{form!r} ({_rows(times[form])})" for form in twice[0])
        others = f", and {len(twice) - 1:,} more labels are written in several ways" if len(twice) > 1 else ""
        say(f"labels that differ by capitals, blanks or hyphens are different labels: {shown}{others}; write each in "
            "one way.")  # fmt: skip
    wrong = slips(times)
    if wrong:
        shown = ", ".join(f"{one!r} ({_rows(times[one])}) for {meant!r} ({times[meant]:,})" for one, meant in wrong[:3])
        others = f", and {len(wrong) - 3:,} more" if len(wrong) > 3 else ""
        say(f"rare labels that are one letter away from a frequent one: {shown}{others}; correct them if misspelt.")


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


_OPTIONS = (
    click.argument("table"),
    click.option("--text", required=True, multiple=True, help="Column with text; may be given repeatedly."),
    click.option("--labels", required=True, help="Column with the labels of each row: a list, or text to be split."),
    click.option("--id", "row", help="Column that names the rows; their numbers otherwise."),
    click.option("--separator", default=",", show_default=True, help="What stands between labels."),
    click.option("--accepted", type=click.Path(path_type=Path),
                 help="Reviewed CSV of an audit: accepted labels are added, and rejected ones not suggested again."),
)  # fmt: skip


def tagged_texts_options(function: Function) -> Function:
    """The argument TABLE and how to read it; the verb gets one ``TaggedTexts`` as ``source``."""
    names = ["table", "text", "labels", "row", "separator", "accepted", "form"]
    made = packed(function, _OPTIONS, lambda given: {"source": TaggedTexts(**given)}, names)
    return text_form_options(made, "--column-separator")


TAGGERS = {"neighbour": "NeighbourTagger", "kernel": "KernelTagger", "factor": "FactorTagger"}
"""Name on the command line → estimator; the first is the default."""
_SHARED = ("threads", "graph_weight")
"""Those of the text tagger, and those for graphs of rows, which texts do not have."""
_OF = {name: parameters_of(estimator, leave=_SHARED, only_given=True) for name, estimator in TAGGERS.items()}
_TEXT, _TEXT_OPTIONS = parameters_of("TextTagger", leave=("tagger",))
PARAMETERS = list(dict.fromkeys(("tagger", *(name for names, _ in _OF.values() for name in names), *_TEXT)))


def text_tagger_options(function: Function) -> Function:
    """Parameters of ``TextTagger`` and of the taggers within; the verb gets them as ``parameters``."""
    first = next(iter(TAGGERS))
    tagger = click.option("--tagger", type=click.Choice(list(TAGGERS)), default=first, show_default=True,
                          help="How labels are learned; its parameters are the options below.")  # fmt: skip
    own: dict[str, Callable[[Function], Function]] = {}
    for names, options in _OF.values():
        own |= {name: option for name, option in zip(names, options) if name not in own}
    return packed(function, [tagger, *own.values(), *_TEXT_OPTIONS], _pack, PARAMETERS)


def _pack(given: dict[str, Any]) -> dict[str, Any]:
    chosen = given.pop("tagger")
    text = {name: given.pop(name) for name in _TEXT}
    inner = typed(given)
    for name in inner:
        if name not in _OF[chosen][0]:
            owner = next(other for other, (names, _) in _OF.items() if name in names)
            raise InputError(f"--{name.replace('_', '-')} belongs to --tagger {owner}; leave it out.")
    return {"parameters": {"tagger": getattr(import_module("tacit"), TAGGERS[chosen])(**inner), **text}}
