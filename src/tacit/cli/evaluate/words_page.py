"""The page of ``tacit evaluate words``: right answers by section, neighbours, and a map."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.evaluate.page import about_the_model, share
from tacit.cli.word_places import word_places
from tacit.report.blocks import Bars, Block, Dots, Paragraph, Section, Table, Terms, Tiles

if TYPE_CHECKING:
    from tacit.metrics.words import AnalogyScores, SimilarityScore

LEAD = (
    "Each word is a list of numbers that was learned from the company it keeps. Whether they mean something is tested "
    "with questions that people can answer and that took no part in learning."
)
ASKED, NEIGHBOURS, MAPPED = 8, 7, 5
_SKIPPED = 100
"""The commonest words say little about a text, so examples are taken from behind them."""


def sections(
    model: Any, scores: "AnalogyScores | None", alike: "SimilarityScore | None", ask: Sequence[Any] = ()
) -> list[Section]:
    """The whole page."""
    return [
        _in_short(model, scores, alike),
        *([] if scores is None else [_analogies(scores)]),
        _neighbours(model, ask or _examples(model)),
        about_the_model(model),
    ]


def _in_short(model: Any, scores: "AnalogyScores | None", alike: "SimilarityScore | None") -> Section:
    tiles, terms = [], {}
    if scores is not None:
        total = scores.total
        tiles += [
            ("Analogies", share(total.accuracy), f"{total.correct:,} of {total.known:,} known questions"),
            ("Of all asked", share(total.accuracy_of_all), f"{total.asked:,} questions, unknown words count as wrong"),
        ]
        terms["Analogies"] = (
            "“a is to b as c is to what?” is right when the nearest word to b − a + c is the one people expect. "
            f"Drawing a word at random would be right once in {len(model.words):,} times."
        )
    if alike is not None:
        tiles.append(("Similarity", f"{alike.correlation:.4f}", f"Spearman, {alike.known:,} of {alike.asked:,} pairs"))
        terms["Similarity"] = (
            "Pairs are put in order by the cosine of their vectors and by how alike people found them; 1 when both "
            "orders agree, 0 when they have nothing to do with each other, which is what chance gives."
        )
    tiles.append(("Words", f"{len(model.words):,}", f"{model.vectors.shape[1]} numbers each"))
    return Section("In short", [Tiles(tiles), Terms("What they mean", terms)])


def _analogies(scores: "AnalogyScores") -> Section:
    lines = scores.to_rows()
    bars = {line["section"]: 100 * line["accuracy"] for line in lines if line["known"]}
    rows = [
        (line["section"], f"{line['correct']:,}", f"{line['known']:,}", f"{line['asked']:,}", share(line["accuracy"]),
         share(line["accuracy_of_all"]))
        for line in lines
    ]  # fmt: skip
    return Section(
        "Analogies",
        [
            Bars("Right answers, of the questions whose words are all known", bars, unit=" %"),
            Table(("section", "right", "known", "asked", "of known", "of all"), rows),
        ],
    )


def _examples(model: Any) -> list[Any]:
    """Words at even steps behind the commonest ones: vocabularies come most frequent first."""
    words = [word for word in model.words[_SKIPPED:3000] if not isinstance(word, str) or len(word) > 3] or model.words
    step = max(1, len(words) // ASKED)
    return list(words[::step][:ASKED])


def _neighbours(model: Any, asked: Sequence[Any]) -> Section:
    near = {word: model.most_similar(word, k=min(NEIGHBOURS, len(model.words) - 1)) for word in asked}
    rows = [
        (str(word), ", ".join(f"{other} {cosine:.2f}" for other, cosine in result)) for word, result in near.items()
    ]
    blocks: list[Block] = [
        Paragraph("Words and their nearest, with the cosine: 1 is the same direction."),
        Table(("word", "nearest"), rows, texts=2),
    ]
    groups = {word: [word, *(other for other, _ in near[word][:MAPPED])] for word in list(near)[:4]}
    if len({word for members in groups.values() for word in members}) >= 5:
        blocks.append(Dots("Some of them on a map, near ones near each other", word_places(model, groups)))
    return Section("Neighbours", blocks)
