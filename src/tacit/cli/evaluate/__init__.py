"""``tacit evaluate [JOB]``: a model on what it has not seen, beside baselines that learn little or nothing."""

import click

from tacit.cli.app import LazyGroup

JOBS: dict[str, str] = {
    "recommend": "Lists of a recommender; what is meant when no job is named",
    "tag": "Labels of texts that the model has not seen",
    "rate": "Ratings, each predicted before it is learned from",
    "grade": "Grades of rows that were held out",
    "words": "Analogies, and similarities as people rate them",
}
"""Job → the line that ``tacit evaluate --help`` shows. The job's module is ``tacit.cli.evaluate.<job>``."""


class JobsOrTable(LazyGroup):
    """``tacit evaluate plays.csv`` is ``tacit evaluate recommend plays.csv``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.verbs, *ctx.help_option_names}:
            args = ["recommend", *args]
        return super().parse_args(ctx, args)


@click.group("evaluate", cls=JobsOrTable, verbs=JOBS, home="tacit.cli.evaluate")
def command() -> None:
    """Measure a model on what it has not seen, beside baselines that learn little or nothing.

    With --html every job writes one page with pictures that needs nothing else. `tacit evaluate TABLE` without a job
    measures a recommender.
    """
