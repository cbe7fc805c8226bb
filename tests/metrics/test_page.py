"""The page on measuring says what the code does."""

import doctest
from pathlib import Path


def test_examples_of_the_page_hold():
    page = Path(__file__).parents[2] / "docs" / "howto" / "metrics.md"
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0
