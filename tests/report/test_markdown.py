"""Markdown of the results as blocks."""

from tacit.report.blocks import Paragraph, Table
from tacit.report.markdown import blocks


def test_tables_take_the_bold_line_above_them_as_caption():
    first, second, third = blocks(
        "Words first.\n\n**A `b`**\n\n| m | n |\n|---|--:|\n| **x** | 1 |\n| y\\|z | 2 |\n\n*last*"
    )
    assert first == Paragraph("Words first.")
    assert second == Table(["m", "n"], [["x", "1"], ["y|z", "2"]], caption="A b")
    assert third == Paragraph("last")


def test_a_bold_line_without_a_table_stays_a_paragraph():
    assert blocks("**alone**\n\nand then") == [Paragraph("alone"), Paragraph("and then")]
    assert blocks("**at the end**") == [Paragraph("at the end")]


def test_headings_are_paragraphs_and_pictures_are_left_out():
    assert blocks("### Tag\n\n![a](b.svg)\n\n**c**\n\n| m |\n|---|\n| x |") == [
        Paragraph("Tag"),
        Table(["m"], [["x"]], caption="c"),
    ]


def test_nothing_is_no_block():
    assert blocks("") == []
