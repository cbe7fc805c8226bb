"""The bundled Debian index as models, so that one command on a fresh machine shows the service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES, TEXTS, AUDITED = "packages", 4000, 1500
"""Name of the recommender; texts from which the demo's tagger learns, and texts that are audited."""


def demo_models(folder: Path) -> tuple[list[Path], dict[str, dict[Any, str]]]:
    """Paths of the models, trained where ``folder`` does not hold them yet, and titles of packages."""
    from tacit import FactorRecommender, RatingStream, WordVectors
    from tacit.data import load_debian
    from tacit.estimators.tag.text_tagger import TextTagger

    debian = load_debian()
    descriptions = dict(zip(debian.table["name"].to_list(), debian.table["description"].to_list()))
    table = debian.table.head(TEXTS)
    relations = debian.relations.filtered(min_row_count=2, min_col_count=2)
    makers: dict[str, Callable[[], Any]] = {
        PACKAGES: lambda: FactorRecommender(32, progress=False).fit(relations),
        "tags": lambda: TextTagger(progress=False).fit(table["description"].to_list(), table["tags"].to_list()),
        "words": lambda: WordVectors(64, tokenizer="words", progress=False).fit(list(descriptions.values())),
        "ratings": lambda: RatingStream(clip=(1, 5)).fit(["ann", "bob"], ["lyx", "munin"], [5.0, 3.0]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in makers.items():
        path = folder / f"{name}.tacit"
        if not path.exists():
            make().save(path)
        paths.append(path)
    return paths, {PACKAGES: descriptions}


def demo_review(folder: Path) -> dict[str, Path]:
    """Suggestions to review for the demo's tagger, made where ``folder`` does not hold them yet."""
    from tacit.data import load_debian
    from tacit.estimators.tag.text_tagger import TextTagger

    path = folder / "audit.json"
    if not path.exists():
        table = load_debian().table.head(AUDITED)
        suggestions = TextTagger(progress=False).missing_labels(
            table["description"].to_list(), table["tags"].to_list(), 300, row_ids=table["name"].to_list(), per_row=2
        )
        suggestions.write(path)
    return {"tags": path}
