"""Tables of texts and labels, for the verbs that tag."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import packed
from tacit.errors import InputError

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

    def read(self) -> tuple[list[str], list[list[str]], list[Any] | None]:
        """Texts, labels of each, and ids of the rows or None for their numbers."""
        from tacit.data.readers import read_frame

        columns = {"--labels": self.labels, **{f"--text ({name})": name for name in self.text}}
        if self.row is not None:
            columns["--id"] = self.row
        frame = read_frame(self.table, columns, list(dict.fromkeys(columns.values())), name="TABLE")
        texts = [" ".join(str(part) for part in parts if part is not None) for parts in frame.select(self.text).rows()]
        labels = [self._split(value) for value in frame[self.labels].to_list()]
        ids = None if self.row is None else frame[self.row].to_list()
        if self.accepted is not None:
            _add_accepted(self.accepted, labels, list(range(len(labels))) if ids is None else ids)
        return texts, labels, ids

    def _split(self, value: Any) -> list[str]:
        if value is None:
            return []
        parts = value if isinstance(value, list) else str(value).split(self.separator)
        return list(dict.fromkeys(word for word in (str(part).strip() for part in parts) if word))


def _add_accepted(path: Path, labels: list[list[str]], ids: list[Any]) -> None:
    """Join the cells that a reviewer accepted to the labels, in place."""
    from tacit.estimators.tag.audit_report import read_accepted

    places = {str(ident): place for place, ident in enumerate(ids)}
    for row, label in read_accepted(path):
        if row not in places:
            raise InputError(f"--accepted: the row {row!r} is not in TABLE; give the table that was audited.")
        if label not in labels[places[row]]:
            labels[places[row]].append(label)


_OPTIONS = (
    click.argument("table"),
    click.option("--text", required=True, multiple=True, help="Column with text; may be given repeatedly."),
    click.option("--labels", required=True, help="Column with the labels of each row: a list, or text to be split."),
    click.option("--id", "row", help="Column that names the rows; their numbers otherwise."),
    click.option("--separator", default=",", show_default=True, help="What stands between labels."),
    click.option("--accepted", type=click.Path(path_type=Path),
                 help="Reviewed CSV of an audit: labels that were accepted are added."),
)  # fmt: skip


def tagged_texts_options(function: Function) -> Function:
    """The argument TABLE and how to read it; the verb gets one ``TaggedTexts`` as ``source``."""
    names = ["table", "text", "labels", "row", "separator", "accepted"]
    return packed(function, _OPTIONS, lambda given: {"source": TaggedTexts(**given)}, names)


_TAGGER = (
    click.option("--tagger", type=click.Choice(["neighbour", "factor"]), default="neighbour", show_default=True,
                 help="By nearest neighbours in label space, or by a low-rank map."),
    click.option("--method", type=click.Choice(["sppmi", "weighted", "skipgram", "joint", "end_to_end"]),
                 help="Of the neighbour tagger; joint is best when most labels are missing."),
    click.option("--factors", type=int, help="Dimension of the space."),
    click.option("--regularization", type=float, help="Strength of the ridge."),
    click.option("--n-imputed", type=int, help="Of the neighbour tagger: labels to guess before the last fit."),
    click.option("--favour-rare", "propensity_weighted", is_flag=True, help="Favour rare labels."),
    click.option("--min-count", default=2, show_default=True, help="Leave out words that occur in fewer texts."),
    click.option("--phrases", default=1, show_default=True, help="Runs of up to so many words are features too."),
    click.option("--seed", default=0, show_default=True, help="Same seed, same bits."),
    click.option("--threads", default=0, show_default=True, help="Cores to use; 0 is all."),
)  # fmt: skip

PARAMETERS = [
    "tagger", "method", "factors", "regularization", "n_imputed", "propensity_weighted", "min_count", "phrases", "seed",
    "threads",
]  # fmt: skip


def text_tagger_options(function: Function) -> Function:
    """Parameters of ``TextTagger``; the verb gets them as ``parameters``."""
    return packed(function, _TAGGER, lambda given: {"parameters": _text_tagger(given)}, PARAMETERS)


def _text_tagger(given: dict[str, Any]) -> dict[str, Any]:
    own = ("method", "factors", "regularization", "n_imputed")
    inner = {name: given[name] for name in own if given[name] is not None}
    if given["propensity_weighted"]:
        inner["propensity_weighted"] = True
    if given["tagger"] == "factor":
        for name in ("method", "n_imputed"):
            if name in inner:
                raise InputError(f"--{name.replace('_', '-')} belongs to --tagger neighbour; leave it out.")
    return {
        "tagger": given["tagger"],
        "parameters": inner,
        "min_count": given["min_count"],
        "phrases": given["phrases"],
        "random_state": given["seed"],
        "threads": given["threads"],
    }
