"""Strangers' text shown as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.report.plain import harmless_cell, visible


@given(st.text())
def test_what_is_shown_holds_nothing_that_a_terminal_obeys(text):
    shown = visible(text)
    assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in shown)
    assert not set("\u202e\u2066\u200f\u2028\ufeff") & set(shown)
    assert "\n" not in shown and visible(shown) == shown
    assert visible(text, lines=True).count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ["tea", "café", "茶", "naïve 👩‍🚀", "a b"])
def test_what_can_be_seen_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "\r=1"])
def test_formulas_are_text(cell):
    assert harmless_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["tea", "", 3, -3.5, None, "-3", "+4.5e3", "a=b"])
def test_other_cells_stay_as_they_are(cell):
    assert harmless_cell(cell) == cell
