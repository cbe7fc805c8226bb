"""docs/papers/index.md names only what exists: functions, calls with their parameters, and tables of tacit bench."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"`([^`]+)`", PAGE)
PLACES = sorted({one for one in QUOTED if re.fullmatch(r"tacit(\.\w+)+", one)})
CALLS = sorted({one for one in QUOTED if re.match(r"[A-Z]\w+[.(]", one) and "…" not in one})
TABLES = sorted({one.split()[2] for one in QUOTED if re.fullmatch(r"tacit bench [a-z][a-z0-9-]+", one)})


@pytest.mark.parametrize("place", PLACES)
def test_a_place_exists(place):
    module, _, name = place.rpartition(".")
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_can_be_made_with_these_parameters(call):
    """Constructors are run as they are written; names that stand for data are left out."""
    made = ast.parse(call, mode="eval").body
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "fit":
        known = inspect.signature(getattr(tacit, made.func.value.func.id).fit).parameters
        assert {keyword.arg for keyword in made.keywords} <= set(known)
        made = made.func.value
    eval(compile(ast.Expression(made), call, "eval"), {name: getattr(tacit, name) for name in tacit.__all__})


COMMANDS = sorted({one for one in QUOTED if one.startswith("tacit fit ")})
OPTIONS = sorted({one for one in QUOTED if one.startswith("--")})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_knows_its_options(command):
    _, _, job, *words = command.split()
    options = importlib.import_module(f"tacit.cli.fit.{job}").command.params
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


PARTS = {
    "fBGD": {"Eq": 29, "Algorithm": 1, "Table": 8, "Figure": 5},
    "One-class matrix factorization": {"Eq": 17, "Algorithm": 3, "Table": 3, "Figure": 3},
    "NN-APA": {"Eq": 19, "Algorithm": 2, "Table": 4, "Figure": 4},
    "QS³ORAO": {"Eq": 16, "Algorithm": 2, "Table": 2, "Figure": 2},
    "ExMLDS": {"Eq": 33, "Algorithm": 5, "Table": 5, "Figure": 0},
}
"""How many equations, algorithms, tables and figures a paper has."""


def numbers(text, kind):
    """What "Eq. 5–10, 14" or "Algorithms 3 and 4" names."""
    found = set()
    for listed in re.findall(rf"{kind}s?\.? ((?:\d+(?:–\d+)?(?:, | and )?)+)", text):
        for first, _, last in (one.partition("–") for one in re.findall(r"\d+(?:–\d+)?", listed)):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("paper", PARTS)
def test_every_equation_algorithm_table_and_figure_of_a_paper_has_a_row(paper):
    section = PAGE.split(f"## {paper} (")[1].split("\n## ")[0]
    first = "\n".join(line.split("|")[1] for line in section.splitlines() if line.startswith("|"))
    for kind, count in PARTS[paper].items():
        assert set(range(1, count + 1)) <= numbers(first, kind), kind


NAMES = {
    "fBGD": "SVDFeature, PITF, CP, AllVec, skip-gram, GloVe, BPRFM, λFM, WARP, VSE-ens, Adagrad, naive BGD, "
    "NewsIR, Text8, Yahoo music, Last.fm, OpenImages",
    "One-class matrix factorization": ""
    "SQ-SQ, SQ-wSQ, LR-wSQ, LR-wLR, Subsampled, LEML, GRALS, SLEEC, FastXML, LR-wSQ-Nys, graph penalty, "
    "trust region, line search, bibtex, mediamill, delicious, eurlex, wiki10, ml100k, flixster, douban",
    "NN-APA": "SGD, NN-PA, OMTCF, APA, NN-APA-I, -II, NN-APA(u), NN-APA(m), full, diagonal, HetRec 2011, MovieLens "
    "100K, MovieLens 10M, Flixster, Netflix, Yahoo music",
    "QS³ORAO": "ALOR, SVOREX, VUS, MultiRank, TOR, SSORERM, SSGPOR, ManifoldOR, M-SAMULT, M-PNU-AUC, 3D, Sgemm, "
    "Year, Yolanda, Baby, Beauty, Clothes, Pet",
    "ExMLDS": "ExMLDS1, ExMLDS2, ExMLDS3, ExMLDS4, SLEEC, LEML, LEML-IMC, FastXML, PD-Sparse, PPDSparse, "
    "PfastreXML, DiSMEC, DXML, XML-CNN, AnnexML, PLT, one-vs-all, Bibtex, Delicious, EURLex-4K, rcv1v2, "
    "Delicious-200K, MediaMill, Wiki10-31K, AmazonCat-13K, WikiLSHTC-325K, Wikipedia-500K, Amazon-670K",
}
"""Methods, baselines and data sets that a paper names."""


@pytest.mark.parametrize(("paper", "name"), [(paper, one) for paper in NAMES for one in NAMES[paper].split(", ")])
def test_every_method_baseline_and_data_set_of_a_paper_is_named(paper, name):
    section = PAGE.split(f"## {paper} (")[1].split("\n## ")[0]
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", section)


def test_every_baseline_is_exported_and_in_the_reference():
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"::: tacit\.baselines\.\w+\.(\w+)", reference))
    assert listed == set(importlib.import_module("tacit.baselines").__all__)


@pytest.mark.parametrize("options", OPTIONS)
def test_options_belong_to_a_verb(options):
    known = {
        one
        for job in ("rate", "grade", "recommend", "tag", "words")
        for parameter in importlib.import_module(f"tacit.cli.fit.{job}").command.params
        for one in parameter.opts
    }
    assert {word for word in options.split() if word.startswith("--")} <= known


def test_tacit_bench_names_every_table():
    listed = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    known = set(json.loads(listed))
    assert set(TABLES) <= known
    papers = {name for name in known if name.startswith(("fbgd-", "nn-apa-", "qs3orao-", "exmlds-", "ocmf-"))}
    assert papers == set(TABLES)


def test_rows_of_a_table_are_replaced_in_their_place():
    from benchmarks.papers.stream import put_row

    figures: dict = {}
    for method, k, error in (("NN-PA", 10, 1), ("SGD", 5, 2), ("NN-APA(m)", None, 3), ("SGD", 5, 4)):
        put_row(figures, "MovieLens 100K", {"method": method, "k": k, "error": error})
    rows = [(row["method"], row["error"]) for row in figures["table_2"]["MovieLens 100K"]]
    assert rows == [("SGD", 4), ("NN-PA", 1), ("NN-APA(m)", 3)]
