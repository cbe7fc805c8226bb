"""Tags that are probably missing: packages with like descriptions carry them."""

from typing import TYPE_CHECKING, Any

from tacit.report.blocks import Bars, Paragraph, Section, Table

if TYPE_CHECKING:
    from tacit.data.debian import Debian
    from tacit.estimators.tag.audit_report import MissingLabels, Suggestion

DOING = "looking for tags that volunteers have not given yet"
PARAMETERS: dict[str, Any] = {"factors": 50, "partitions": 4, "neighbours": 50, "progress": False}
SHOWN, PER_TAG = 8, 2


def section(debian: "Debian") -> Section:
    import numpy as np

    from tacit import NeighbourTagger
    from tacit.metrics import ndcg_at_k

    tags = debian.tags
    X, words = _words_of(debian)
    test = np.random.default_rng(0).random(tags.shape[0]) < 0.2
    tagger = NeighbourTagger(**PARAMETERS).fit(X[~test], tags.matrix[~test])
    frequent = np.argsort(-tagger.label_frequency_, kind="stable")[:5]
    truth = tags.matrix[test]
    ndcg = {
        "NeighbourTagger": tagger.score(X[test], truth),
        "most frequent tags": float(ndcg_at_k(truth, np.tile(frequent, (truth.shape[0], 1)), 5)),
    }
    # Rare tags are forgotten more often than common ones, and are news.
    result = NeighbourTagger(**PARAMETERS, propensity_weighted=True).missing_labels(
        X,
        tags.matrix,
        200,
        folds=2,
        per_row=1,
        labels=tags.col_ids.all().tolist(),
        row_ids=tags.row_ids.all().tolist(),
        feature_names=words,
        texts=debian.descriptions(),
        evidence=2,
    )
    rows = [
        (str(one.row), one.text, str(one.label), ", ".join(name for name, _, _ in one.nearest))
        for one in _varied(result)
    ]
    return Section(
        "Tags that are probably missing",
        [
            Paragraph(
                f"Volunteers gave {tags.nnz:,} tags out of {tags.shape[1]} and never finished. Packages whose "
                "one-line descriptions are alike should carry like tags, and some tags go together; where one is "
                "not there, somebody may have forgotten it. Each package is scored by models that never saw it, and "
                "rare tags count more, because they are forgotten more often. A person has the last word."
            ),
            Table(("package", "description", "lacks", "which is carried by"), rows, texts=4),
            Bars("A fifth of the packages held out: nDCG@5 of their tags", ndcg, marked="NeighbourTagger"),
        ],
        {
            "tags": tags.shape[1],
            "given": tags.nnz,
            "ndcg@5": ndcg,
            "suggested": [{"package": row[0], "tag": row[2]} for row in rows],
        },
    )


def _words_of(debian: "Debian") -> tuple[Any, list[str]]:
    """Weighted words of the descriptions, and the shelf on which a package stands."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    shelves = dict(zip(debian.table["name"].to_list(), debian.table["section"].to_list()))
    names = debian.tags.row_ids.all().tolist()
    texts = [f"{text} shelf-{shelves[name]}" for text, name in zip(debian.descriptions(), names)]
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True, token_pattern=r"shelf-\S+|[a-z][a-z0-9+]+")
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out().tolist()


def _varied(result: "MissingLabels") -> "list[Suggestion]":
    """The best suggestions, but no tag more than twice: a reader wants to see different ones."""
    shown: list[Suggestion] = []
    for one in result:
        if sum(other.label == one.label for other in shown) < PER_TAG:
            shown.append(one)
        if len(shown) == SHOWN:
            break
    return shown
