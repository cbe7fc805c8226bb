"""``tacit fit JOB``: train a model and save it to one file."""

import click

from tacit.cli.app import LazyGroup

JOBS: dict[str, str] = {
    "recommend": "Who may want what: factors from positives alone",
    "rate": "Ratings that come one by one: online factors, with nothing to tune",
    "tag": "Labels of texts, from texts that are tagged in part",
    "grade": "Ordered grades, from a few graded rows and many others",
    "words": "Vectors of words, or of items in sequences",
}
"""Job → the line that ``tacit fit --help`` shows. The job's module is ``tacit.cli.fit.<job>``."""


@click.group("fit", cls=LazyGroup, verbs=JOBS, home="tacit.cli.fit")
def command() -> None:
    """Train a model and save it to one file."""
