"""The tutorials, the README and other pages whose code is run show what it prints."""

import difflib
import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from scripts import rounding
from scripts.rounding import is_same

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("tutorials", ROOT / "scripts" / "tutorials.py")
tutorials = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tutorials)


@pytest.mark.jit
@pytest.mark.parametrize(
    "page", [*tutorials.pages(), *(ROOT / other for other in tutorials.OTHERS)], ids=lambda page: page.stem
)
def test_the_page_shows_what_its_code_prints(page):
    shown, printed = page.read_text(encoding="utf-8"), tutorials.ran(page)
    assert is_same(shown, printed), "\n".join(difflib.unified_diff(shown.splitlines(), printed.splitlines(), n=0))


def test_figures_may_differ_by_rounding_and_words_may_not():
    assert doctest.testmod(rounding) == (0, 1)
    assert not is_same("0.70 tea", "0.70 jam")


def test_the_page_of_measures_shows_what_it_prints():
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(ROOT / "docs/howto/metrics.md"), module_relative=False, optionflags=flags)
    assert tried
    assert not failed


RUN_ELSEWHERE = {
    "docs/bad-input.md": "scripts/bad_input.py",
    "docs/howto/cluster.md": "tests/cluster/test_page.py",
    "docs/howto/command-line.md": "scripts/command_line.py",
    "docs/howto/engine.md": "tests/test_page_commands.py",
    "docs/howto/grade.md": "tests/test_page_commands.py",
    "docs/howto/metrics.md": "tests/test_tutorials.py",
    "docs/howto/pages.md": "tests/test_page_commands.py",
    "docs/howto/recommend.md": "tests/test_documents.py",
    "docs/howto/serve.md": "tests/service/test_operations.py",
    "docs/howto/streams.md": "tests/test_documents.py",
    "docs/howto/tagging.md": "tests/test_page_commands.py",
}
"""Pages with code that another file runs."""


def test_no_page_has_code_that_is_not_run():
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    coded = {
        str(page.relative_to(ROOT)) for page in pages if re.search(r"^```(python|sh)\n", page.read_text("utf-8"), re.M)
    }
    run = {*tutorials.OTHERS, *RUN_ELSEWHERE, *(str(page.relative_to(ROOT)) for page in tutorials.pages())}
    assert coded == run
    for page, program in RUN_ELSEWHERE.items():
        assert Path(page).stem in (ROOT / program).read_text(encoding="utf-8"), page


def test_there_is_one_for_every_job():
    assert [page.stem for page in tutorials.pages()] == ["grade", "rate", "recommend", "tag", "words"]


def test_an_output_that_is_out_of_date_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n\n```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```python\nx = 1\n```\n")
    assert tutorials.ran(page) == "# A\n\n```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n\n```python\nx = 1\n```\n"


def test_examples_of_the_front_page_are_what_the_tutorials_print():
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    printed = " ".join(page.read_text(encoding="utf-8").replace("'", "") for page in tutorials.pages())
    for asked, answer in (("ripit", "flac, sox"), ("compiler", "scheme, c, fortran")):
        assert f"{asked} → {answer}" in front
        assert answer in printed
    assert "use::editing" in printed
