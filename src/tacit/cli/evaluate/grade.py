"""``tacit evaluate grade``: grades of rows that were held out, beside the commonest grade."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tacit.cli.evaluate.held_out import held_out_options, tell
from tacit.cli.evaluate.page import html_option, write_page
from tacit.cli.evaluate.saved import refuse_beside_model
from tacit.cli.graded_rows import PARAMETERS, GradedRows, graded_rows_options, ranker_options
from tacit.cli.models import open_model
from tacit.cli.options import json_option
from tacit.cli.tables import table_option
from tacit.errors import InputError


@click.command("grade")
@graded_rows_options
@held_out_options(0.3, rows="rows it has not seen", held_out="graded rows")
@html_option
@table_option
@ranker_options
@json_option
def command(
    rows: GradedRows,
    model_path: Path | None,
    test: float,
    split_seed: int,
    page: Path | None,
    table_path: Path | None,
    make_model: Callable[..., Any],
    as_json: bool,
) -> None:
    """Measure grades on rows of TABLE whose grade was hidden, beside always saying the middle grade, and chance.

    Rows without a grade are learned from and cannot be tested. Held-out rows take no part in learning at all.
    """
    import numpy as np

    from tacit.metrics import ordinal_metrics

    fitting = None
    if model_path is None:
        features, grades, classes = rows.read()
        graded = _graded(grades, rows.table)
        tested = np.sort(np.random.default_rng(split_seed).permutation(graded)[: max(1, round(test * len(graded)))])
        rest = np.setdiff1d(np.arange(len(grades)), tested)
        model = make_model(classes=classes, progress=False if as_json else None)
        start = time.perf_counter()
        model.fit(features[rest], [grades[row] for row in rest])
        fitting = time.perf_counter() - start
        learned = [grades[row] for row in np.setdiff1d(graded, tested)]
    else:
        refuse_beside_model({"order", "test", "split_seed", *PARAMETERS})
        model = open_model(model_path, "evaluate grade", "rank_score", "tacit fit grade")
        features, grades, _ = rows.read(model)
        tested = _graded(grades, rows.table)
        learned = []
    truth = _numbers(model.classes_, [grades[row] for row in tested])
    scores = model.rank_score(features[tested])
    predicted = _numbers(model.classes_, model.predict(features[tested]).tolist())
    known = _numbers(model.classes_, learned) if learned else truth
    rng = np.random.default_rng(split_seed)
    methods = {
        "model": (scores, predicted),
        "middle grade": (np.zeros(len(truth)), np.full(len(truth), int(np.median(known)))),
        "random": (rng.random(len(truth)), rng.choice(known, len(truth))),
    }
    if len(np.unique(truth)) < 2:
        raise InputError("all tested rows have one grade, so no order can be evaluated; give more graded rows.")
    results = {name: ordinal_metrics(truth, score, guess) for name, (score, guess) in methods.items()}
    outcome = {**results, "tested": len(tested), "graded": len(learned), "rows": len(grades)}
    order = " < ".join(map(str, model.classes_.tolist()))
    sentence = f"{len(tested):,} graded rows that the model has not seen, {order}"
    tell(outcome, sentence, results, results["model"], table_path=table_path, as_json=as_json)
    if page is not None:
        from tacit.cli.evaluate.grade_page import LEAD, Graded, sections

        result = Graded(model, features[tested], tested, truth, scores, predicted, results, len(learned),
                       len(grades) - len(tested) - len(learned) if learned else 0, fitting)  # fmt: skip
        write_page(page, f"Grades from {Path(rows.table).name}", LEAD, sections(result), silent=as_json)


def _graded(grades: list[Any], table: str) -> Any:
    import numpy as np

    graded = np.flatnonzero([value is not None and value != -1 and value == value for value in grades])
    if len(graded) < 2:
        raise InputError(f"{table!r} has {len(graded)} graded rows, and at least 2 are needed; check --grade.")
    return graded


def _numbers(classes: Any, grades: list[Any]) -> Any:
    """Places of the grades in the order of the classes."""
    import numpy as np

    places = {value: index for index, value in enumerate(classes.tolist())}
    unknown = [grade for grade in grades if grade not in places]
    if unknown:
        raise InputError(f"the grade {unknown[0]!r} does not occur among those learned from, which are "
                         f"{', '.join(map(str, places))}; give more graded rows.")  # fmt: skip
    return np.array([places[grade] for grade in grades])
