"""Neighbours of a word: vectors of words from one-line descriptions."""

from typing import TYPE_CHECKING

from tacit.cli.word_places import word_places
from tacit.report.blocks import Dots, Paragraph, Section, Table

if TYPE_CHECKING:
    from tacit.data.debian import Debian

DOING = "reading the descriptions"
FACTORS = 64
ASKED = ("game", "editor", "music", "compiler", "database", "image", "fonts", "translation")
NEIGHBOURS = 7
ON_THE_MAP, MAPPED = ("game", "music", "compiler", "fonts"), 5


def section(debian: "Debian") -> Section:
    from tacit import WordVectors

    lines = debian.table["description"].to_list()
    model = WordVectors(FACTORS, tokenizer="words", progress=False).fit(lines)
    near = {word: model.most_similar(word, k=NEIGHBOURS) for word in ASKED if word in model}
    mapped = {word: [word, *(other for other, _ in near[word][:MAPPED])] for word in near if word in ON_THE_MAP}
    rows = [(word, ", ".join(str(other) for other, _ in result)) for word, result in near.items()]
    return Section(
        "Neighbours of a word",
        [
            Paragraph(
                f"The descriptions are one line each. From them {len(model.words):,} words get vectors of {FACTORS} "
                "numbers: two words are near when they keep the same company. Pairs of words that never meet count "
                "too, all of them."
            ),
            Table(("word", "nearest"), rows, texts=2),
            Dots("Some of them on a map, near ones near each other", word_places(model, mapped)),
        ],
        {
            "words": len(model.words),
            "nearest": {word: [str(other) for other, _ in result] for word, result in near.items()},
        },
    )
