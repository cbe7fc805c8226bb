"""A stream of ratings: the data are simulated, because no package index knows what people think of packages."""

from typing import TYPE_CHECKING, Any

from tacit.report.blocks import Lines, Paragraph, Section

if TYPE_CHECKING:
    from tacit.data.debian import Debian

DOING = "following a simulated stream of ratings"
USERS, PACKAGES, RATINGS, LIKES = 300, 400, 20_000, 6
POINTS = 60
"""Places at which the running error is drawn."""


def section(debian: "Debian") -> Section:
    import numpy as np

    from tacit import ExpertRatingStream, RatingStream
    from tacit.baselines.means_so_far import means_so_far

    users, items, ratings = simulated(debian)
    predictions = {
        "RatingStream": RatingStream(clip=(1, 5)).predict_then_learn(users, items, ratings),
        "6 experts": ExpertRatingStream(clip=(1, 5)).predict_then_learn(users, items, ratings),
        "mean so far": means_so_far(ratings, start=3.0),
    }
    seen = np.unique(np.geomspace(100, len(ratings), POINTS).astype(int))
    running = {
        name: (np.cumsum(np.abs(guess - ratings)) / np.arange(1, len(ratings) + 1))[seen - 1].tolist()
        for name, guess in predictions.items()
    }
    return Section(
        "A rating stream with its running error",
        [
            Paragraph(
                f"Simulated: {USERS} invented users like {LIKES} tags each and rate {PACKAGES} packages from 1 to 5 by "
                f"how many of those a package carries, with noise. The {len(ratings):,} ratings come one at a "
                "time. Each is predicted first and learned from next; nothing is stored, nothing trained twice. The "
                "experts are six settings side by side, weighed by how well each has predicted so far."
            ),
            Lines("Mean absolute error up to each rating", seen.tolist(), running, "ratings seen", "error in stars"),
        ],
        {"ratings": len(ratings), "mean_absolute_error": {name: curve[-1] for name, curve in running.items()}},
    )


def simulated(debian: "Debian") -> tuple[Any, Any, Any]:
    """Users, packages and ratings: 2 + the liked tags that a package carries + noise, cut to 1..5."""
    import numpy as np

    rng = np.random.default_rng(0)
    chosen = rng.permutation(debian.tags.shape[0])[:PACKAGES]
    tags = debian.tags.matrix[chosen]
    likes = np.zeros((USERS, tags.shape[1]), dtype=np.float32)
    # Frequent tags are liked more often, as they are met more often.
    chance = np.bincount(tags.indices, minlength=tags.shape[1]) + 1.0
    for row in likes:
        row[rng.choice(tags.shape[1], LIKES, replace=False, p=chance / chance.sum())] = 1.0
    users = rng.integers(USERS, size=RATINGS)
    items = rng.integers(PACKAGES, size=RATINGS)
    hits = np.asarray((tags[items].multiply(likes[users])).sum(axis=1)).ravel()
    ratings = np.clip(np.round(2.0 + hits + rng.normal(0.0, 0.5, RATINGS)), 1, 5)
    return users, debian.tags.row_ids.take(chosen[items]), ratings
