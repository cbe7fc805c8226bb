"""The tutorials, the README and other pages whose code is run show what it prints."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("tutorials", ROOT / "scripts" / "tutorials.py")
tutorials = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tutorials)


@pytest.mark.jit
@pytest.mark.parametrize(
    "page", [*tutorials.pages(), *(ROOT / other for other in tutorials.OTHERS)], ids=lambda page: page.stem
)
def test_the_page_shows_what_its_code_prints(page):
    assert tutorials.ran(page) == page.read_text(encoding="utf-8")


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
