"""``tacit evaluate recommend``: how well a recommender ranks what was held out, beside popularity."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.evaluate.page import html_option, require_page, show_ids_option, write_page
from tacit.cli.evaluate.saved import refuse_beside_model
from tacit.cli.models import as_known, open_model
from tacit.cli.options import json_option, recommender_options
from tacit.cli.output import console, print_json, print_table, say
from tacit.cli.recommender_choice import chosen_method, method_option, new_recommender, options_of_factors
from tacit.cli.source import Source, source_options
from tacit.cli.tables import Titles, save_measures, table_option, titles_option
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.interactions import Interactions
    from tacit.metrics import Details, Evaluation

METRICS = ("ndcg", "recall", "precision", "map", "mrr", "hit_rate", "coverage", "novelty")


@click.command("recommend")
@source_options
@click.option("--model", "model_path", type=click.Path(path_type=Path),
              help="A saved model; TABLE then holds what it has not seen. Without it, one is fitted here.")  # fmt: skip
@click.option("--split", "by", type=click.Choice(["random", "last", "time"]), default="random", show_default=True,
              help="What to hold out: any, each row's last, or the latest of all.")  # fmt: skip
@click.option("--test", default=0.2, show_default=True, help="Share to hold out.")
@click.option("--split-seed", default=0, show_default=True, help="Seed of the split.")
@click.option("-k", "cutoffs", multiple=True, type=int, default=(10,), show_default=True,
              help="Length of the lists; may be given repeatedly.")  # fmt: skip
@html_option
@show_ids_option
@titles_option
@table_option
@method_option
@recommender_options
@json_option
def command(
    source: Source,
    model_path: Path | None,
    by: str,
    test: float,
    split_seed: int,
    cutoffs: tuple[int, ...],
    page: Path | None,
    show_ids: bool,
    titles: Titles,
    table_path: Path | None,
    method: str | None,
    parameters: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure a recommender on held-out lines of TABLE, beside the popularity baseline.

    The same options fit the same kind of model as tacit fit recommend. All columns but those that a row has in
    training are ranked, for every row with something held out. A table of --titles is read with TABLE's --encoding.
    """
    from tacit.data.text_files import TextForm
    from tacit.metrics.details import lead
    from tacit.metrics.ranking import check_cutoffs

    began = time.perf_counter()
    if titles.table is not None and page is None:
        raise InputError("--titles are shown on the page of --html; give both.")
    require_page(show_ids, page)
    named = titles.read(TextForm(encoding=source.encoding))
    cutoffs = check_cutoffs(cutoffs)
    fitting = None
    if model_path is None:
        data = source.read(needs_time=by != "random")
        train, held_out = data.split(test=test, seed=split_seed, by=by)  # type: ignore[arg-type]
        method = chosen_method(method, options_of_factors(parameters, data))
        model = new_recommender(method, parameters)
        if method == "factors":
            model.set_params(progress=False if as_json else None)
        start = time.perf_counter()
        model.fit(train)
        fitting = time.perf_counter() - start
    else:
        refuse_beside_model({"by", "test", "split_seed", "method", *parameters} - {"threads"})
        model = open_model(model_path, "evaluate", "similar_cols", "tacit fit recommend")
        train, held_out = _unseen(model, source.read())
    results, details = _measure(
        model, train, held_out, cutoffs, threads=parameters["threads"], in_full=page is not None
    )
    outcome = {
        **{name: {f"{metric}@{k}": result[f"{metric}@{k}"] for metric in METRICS for k in cutoffs}
           for name, result in results.items()},
        "lead": {name: gap.as_dict() for name, gap in lead(details["model"], details["popularity"]).items()},
        "kind": type(model).__name__,
        "rows": results["model"].users,
        "rows_without_held_out": results["model"].left_out,
        "train": train.nnz,
        "test": held_out.nnz,
        "seconds": round(time.perf_counter() - began, 3),
    }  # fmt: skip
    save_measures(table_path, outcome)
    if as_json:
        print_json(outcome)
    else:
        _print(outcome)
    if page is not None:
        from tacit.cli.evaluate.recommend_page import LEAD, Measured, sections

        measured = Measured(model, train, held_out, results, details, cutoffs, fitting, named, show_ids)
        write_page(page, f"Recommendations from {Path(source.table).name}", LEAD, sections(measured), silent=as_json)


def _measure(
    model: Any,
    train: "Interactions",
    held_out: "Interactions",
    cutoffs: tuple[int, ...],
    *,
    threads: int,
    in_full: bool,
) -> tuple[dict[str, "Evaluation"], dict[str, "Details"]]:
    """The model beside popularity, user by user; in full, for a page, at more lengths and beside chance."""
    from tacit.baselines.popularity import Popularity
    from tacit.baselines.random_order import RandomOrder
    from tacit.metrics import Details, evaluate
    from tacit.metrics.ranking import PER_USER

    methods = {"model": model, "popularity": Popularity().fit(train)}
    lengths = list(cutoffs)
    if in_full:
        from tacit.cli.evaluate.recommend_page import CURVE

        methods["random"] = RandomOrder().fit(train)
        lengths = sorted({*cutoffs, *(k for k in CURVE if k <= train.shape[1])})
    details = {name: Details(cutoffs[0], tuple(PER_USER)) for name in methods}
    results = {
        name: evaluate(one, train, held_out, k=lengths, metrics=METRICS, threads=threads, details=details[name])
        for name, one in methods.items()
    }
    return results, details


def _unseen(model: Any, given: "Interactions") -> tuple["Interactions", "Interactions"]:
    """What the model was trained on, and what is new to it in the table, both under the model's ids."""
    from tacit.data.interactions import Interactions

    train = Interactions(model.seen_, model.row_ids_, model.col_ids_)
    named = [as_known(own.all().tolist(), known)
             for own, known in ((given.row_ids, model.row_ids_), (given.col_ids, model.col_ids_))]  # fmt: skip
    test = Interactions.from_matrix(given.matrix, *named).aligned(model.row_ids_, model.col_ids_)
    if test.nnz == 0:
        raise InputError("the model knows none of the ids in TABLE; check --row, --col and the table.")
    if test.nnz < given.nnz:
        say(f"{given.nnz - test.nnz:,} of {given.nnz:,} pairs have ids that the model does not know: left out.")
    fresh = test.matrix - test.matrix.multiply(train.matrix.astype(bool))
    fresh.eliminate_zeros()
    seen = test.nnz - fresh.nnz
    if seen == test.nnz:
        raise InputError(
            "the model was trained on every pair in TABLE; give a table it has not seen, or leave out --model to "
            "split this one."
        )
    if seen:
        say(f"{seen:,} of {test.nnz:,} pairs are what the model was trained on: left out.")
    return train, Interactions(fresh, model.row_ids_, model.col_ids_)


def _print(outcome: dict[str, Any]) -> None:
    console().print(
        f"{outcome['kind']}: {outcome['train']:,} positives to learn from, {outcome['test']:,} held out; "
        f"[bold]{outcome['rows']:,} rows[/] are asked in {outcome['seconds']:.1f} s"
    )
    ours, theirs, leads = outcome["model"], outcome["popularity"], outcome["lead"]
    rows = [
        (name, f"{value:.4f}", f"{theirs[name]:.4f}", f"{value / theirs[name]:.2f}×" if theirs[name] else "–",
         f"{leads[name]['low']:+.4f} to {leads[name]['high']:+.4f}" if name in leads else "")
        for name, value in ours.items()
    ]  # fmt: skip
    print_table(("", "model", "popularity", "ratio", "lead, 95 % interval"), rows)
    leading = next(iter(ours))
    if ours[leading] < theirs[leading]:
        factors = outcome["kind"] == "FactorRecommender"
        other = "fewer --factors or more --regularization" if factors else "more data per row, or serve what is popular"
        say(f"the model ranks worse than popularity by {leading}; try {other}.")
