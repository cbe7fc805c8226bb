"""The tables and figures that ``tacit bench NAME`` makes: which program measures them, and how they are shown.

A program is called as ``python -m benchmarks.PROGRAM ARGUMENTS [--quick]`` and writes ``results/FILE.json``, or
``results/FILE-quick.json`` with ``--quick``, so that quick figures never replace the long run's.
"""

from dataclasses import dataclass
from typing import Any

from benchmarks import papers, results
from benchmarks.render import Table, View, data_sets, engine, fbgd, grade, recommend, stream, tag, versus


@dataclass(frozen=True)
class Entry:
    """One table or figure: what is called for it, which results files hold it, and what draws it.

    ``quick`` is another call, with its file, for ``--quick``, where the long run's program has no version that short.
    """

    calls: tuple[str, ...]
    files: tuple[str, ...]
    view: View
    title: str = ""
    quick: tuple[str, str] | None = None


def _sizes(paper: str) -> Entry:
    """A paper's table of its data sets."""
    return Entry(("papers.data_sets",), ("data-sets",), data_sets.view(paper))


PAPERS: dict[str, dict[str, Entry]] = {
    "fbgd": {
        "table1": _sizes("fbgd"),
        "table3": Entry(
            ("papers.words quality", "papers.words quality --quick"),
            ("words", "words-quick"),
            fbgd.table3,
            quick=("peers.versus words", "versus"),
        ),
        "table4": Entry(("papers.engine_quality table4",), ("engine-quality",), fbgd.table4),
        "table5": Entry(("papers.engine_quality table5",), ("engine-quality",), fbgd.table5),
        "table6": Entry(("papers.engine_quality table6",), ("engine-quality",), fbgd.table6),
        "table7": Entry(
            ("papers.engine_speed table7", "papers.engine_real time"), ("runtime", "fbgd-real"), fbgd.table7
        ),
        "table8": Entry(("papers.engine_real training",), ("fbgd-real", "words"), fbgd.table8),
        "figure3": Entry(("papers.engine_quality figure3",), ("engine-quality",), fbgd.figure3),
        "figure4": Entry(
            ("papers.words weights", "papers.engine_real weights"), ("words-weights", "fbgd-real"), fbgd.figure4
        ),
        "figure5": Entry(
            ("papers.engine_speed figure5", "papers.engine_real time"), ("runtime", "fbgd-real"), fbgd.figure5
        ),
    },
    "nn-apa": {
        "table1": _sizes("nn-apa"),
        "table2": Entry(("papers.stream table2",), ("stream",), stream.nn_apa_table2),
        "table3": Entry(("papers.stream table3",), ("stream-tables",), stream.nn_apa_table3),
        "table4": Entry(("papers.stream table4",), ("stream-tables",), stream.nn_apa_table4),
        "figure1": Entry(("papers.stream figure1",), ("stream",), stream.nn_apa_figure1),
        "figure2": Entry(("papers.stream figure2",), ("stream-tables",), stream.nn_apa_figure2),
        "figure3": Entry(("papers.stream figure3",), ("stream",), stream.nn_apa_figure3),
        "figure4": Entry(("papers.stream figure4",), ("stream",), stream.nn_apa_figure4),
    },
    "qs3orao": {
        "table1": Entry(("papers.grade steps",), ("grade-steps",), grade.qs3orao_table1),
        "table2": _sizes("qs3orao"),
        "figure1": Entry(("papers.grade size",), ("grade-size",), grade.qs3orao_figure1),
        "figure2": Entry(
            ("papers.grade quality", "papers.grade steps"), ("grade-quality", "grade-steps"), grade.qs3orao_figure2
        ),
    },
    "exmlds": {
        "table1": Entry(("papers.tag quality",), ("tag-quality",), tag.exmlds_table1),
        "table2": Entry(("papers.tag quality",), ("tag-quality",), tag.exmlds_table2),
        "table3": Entry(("papers.tag quality",), ("tag-quality",), tag.exmlds_table3),
        "table4": Entry(("papers.tag hidden",), ("tag-hidden",), tag.exmlds_table4),
        "table5": _sizes("exmlds"),
    },
    "ocmf": {
        "table2": _sizes("ocmf"),
        "table3": Entry(
            ("papers.engine_quality ocmf", "papers.label_formulations"),
            ("engine-quality", "label-formulations"),
            engine.ocmf_table3,
        ),
        "figure1": Entry(
            ("papers.engine_quality ocmf", "papers.label_formulations"),
            ("engine-quality", "label-formulations"),
            engine.ocmf_figure1,
        ),
        "figure2": Entry(
            ("papers.engine_quality ocmf", "papers.label_formulations"),
            ("engine-quality", "label-formulations"),
            engine.ocmf_figure2,
        ),
        "figure3": Entry(("papers.label_formulations",), ("label-formulations",), engine.ocmf_figure3),
    },
}
"""Paper → its table or figure → entry; the name is the two with a dash."""

PEERS: dict[str, Entry] = {
    job: Entry((f"peers.versus {job}",), ("versus",), versus.view(job), title)
    for job, title in {
        "recommend": "Recommenders beside implicit, irspack, cmfrec, EASE, BPR and WARP",
        "tag": "Taggers beside napkinXC, omikuji and one-vs-rest",
        "words": "Word vectors beside gensim",
        "stream": "Rating streams beside river and Surprise",
        "grade": "Ordinal grades beside mord and skordinal",
    }.items()
}
"""Jobs beside the peers, at three sizes."""
PEERS["full-rank"] = Entry(
    ("peers.full_rank sets",),
    ("full-rank",),
    recommend.view_sets,
    "Low rank, full rank and their blend beside tuned peers",
)

PUBLISHED: dict[str, Entry] = {"gowalla": Entry(("peers.full_rank gowalla",), ("full-rank",), recommend.view_gowalla)}
"""Tables of a whole field rather than of one paper; what is published is in ``papers/printed/NAME.json``."""


def names() -> list[str]:
    """Every name that can be asked for."""
    return [*(f"{paper}-{part}" for paper, parts in PAPERS.items() for part in parts), *PEERS, *PUBLISHED]


def entry(name: str) -> Entry:
    if name in PEERS:
        return PEERS[name]
    if name in PUBLISHED:
        return PUBLISHED[name]
    paper, _, part = name.rpartition("-")
    return PAPERS[paper][part]


def title(name: str) -> str:
    """What stands beside the name in a list."""
    if name in PEERS:
        return PEERS[name].title
    if name in PUBLISHED:
        return str(papers.read(name)["table"]["caption"])
    paper, _, part = name.rpartition("-")
    return str(papers.read(paper.replace("-", "_"))[part]["caption"])


def commands(name: str, quick: bool) -> list[list[str]]:
    """What has to be called, program first."""
    chosen = entry(name)
    calls = (chosen.quick[0],) if quick and chosen.quick else chosen.calls
    return [[*call.split(), *(["--quick"] if quick else [])] for call in calls]


def records(name: str, quick: bool) -> list[dict[str, Any] | None]:
    """The results files of an entry, with command and date of its own part; ``None`` for one that does not exist."""
    chosen = entry(name)
    own = (chosen.quick[1],) if quick and chosen.quick else chosen.files
    parts = {word for call in chosen.calls for word in call.split()}
    found: list[dict[str, Any] | None] = []
    for file in (file + ("-quick" if quick else "") for file in own):
        record = results.read(file) if (results.FOLDER / f"{file}.json").exists() else None
        if record is not None:
            for part in parts & set(record.get("parts", {})):
                record |= record["parts"][part]
        found.append(record)
    return found


def tables(name: str, quick: bool) -> list[Table]:
    """The tables as they can be drawn from the results files that exist."""
    figures = [record and record["figures"] for record in records(name, quick)]
    if name in PEERS:
        return PEERS[name].view(*figures)
    if name in PUBLISHED:
        return PUBLISHED[name].view(papers.read(name)["table"], *figures)
    paper, _, part = name.rpartition("-")
    return entry(name).view(papers.read(paper.replace("-", "_"))[part], *figures)


def citation(name: str) -> str:
    """The paper that a table is from; nothing for a table against peers."""
    if name in PUBLISHED:
        return str(papers.read(name)["paper"])
    return "" if name in PEERS else str(papers.read(name.rpartition("-")[0].replace("-", "_"))["paper"])
