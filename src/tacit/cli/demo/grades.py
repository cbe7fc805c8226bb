"""Grades from few graded examples: how much do other packages lean on this one?"""

from typing import TYPE_CHECKING, Any

from tacit.report.blocks import Bars, Paragraph, Section

if TYPE_CHECKING:
    from tacit.data.debian import Debian

DOING = "grading packages from a few that are graded"
GRADES = ("nobody", "one", "a few", "many")
STEPS = (1, 2, 5)
"""Named by so many others, a package reaches the next grade."""
FACTORS, FREQUENCIES, GRADED = 24, 256, 400


def section(debian: "Debian") -> Section:
    import numpy as np

    from tacit import FactorRecommender, OrdinalRanker
    from tacit.metrics import ordinal_auc

    named = named_by(debian)
    grades = np.digitize(named, STEPS)
    # The tags alone: the graph beside them says who names whom, from which the grades are counted.
    factors = FactorRecommender(FACTORS, progress=False).fit(debian.tags.matrix).row_factors_
    graded = np.random.default_rng(0).permutation(len(grades))[: min(GRADED, len(grades) // 4)]
    y = np.full(len(grades), -1)
    y[graded] = grades[graded]
    model = OrdinalRanker(n_components=FREQUENCIES, threshold_rule="square", progress=False).fit(factors, y)
    rest = np.flatnonzero(y < 0)
    scores, predicted = model.rank_score(factors[rest]), model.predict(factors[rest])
    tags_carried = np.diff(debian.tags.matrix.indptr)
    auc = {
        "OrdinalRanker": ordinal_auc(grades[rest], scores),
        "number of tags": ordinal_auc(grades[rest], tags_carried[rest].astype(float)),
    }
    means = {
        f"graded “{name}”": float(named[rest][predicted == grade].mean())
        for grade, name in enumerate(GRADES)
        if np.any(predicted == grade)
    }
    return Section(
        "Grades from few graded examples",
        [
            Paragraph(
                "How many others name a package as what they need or suggest: nobody, one, a few, many? Only "
                f"{len(graded)} of {len(grades):,} packages come with their grade; of all, graded or not, the model "
                f"knows {FACTORS} numbers that were learned from their tags. It puts the others in order and cuts "
                "the order into grades."
            ),
            Bars("By how many a package is named in truth, on average", means),
            Bars("Mean AUC of the three cuts between grades (a coin gets 0.5)", auc, marked="OrdinalRanker"),
        ],
        {"graded": len(graded), "packages": len(grades), "auc": auc, "named_by_on_average": means},
    )


def named_by(debian: "Debian") -> Any:
    """By how many packages each one is named, in the order of the rows of ``tags``."""
    import numpy as np

    relations, ids = debian.relations, debian.tags.row_ids
    counts = np.zeros(len(ids))
    rows = ids.numbers(relations.col_ids.all())
    counts[rows[rows >= 0]] = np.bincount(relations.matrix.indices, minlength=relations.shape[1])[rows >= 0]
    return counts
