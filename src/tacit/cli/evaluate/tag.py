"""``tacit evaluate tag``: labels of texts that the model has not seen, beside the most frequent labels."""

import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.evaluate.held_out import held_out_options, tell
from tacit.cli.evaluate.page import html_option, write_page
from tacit.cli.evaluate.saved import refuse_beside_model
from tacit.cli.models import open_model
from tacit.cli.options import json_option
from tacit.cli.tables import table_option
from tacit.cli.tagged_texts import PARAMETERS, TaggedTexts, tagged_texts_options, text_tagger_options
from tacit.errors import InputError


@click.command("tag")
@tagged_texts_options
@held_out_options(0.2, rows="texts new to it", held_out="tagged texts")
@click.option("-k", "cutoffs", multiple=True, type=click.IntRange(1), default=(1, 3, 5), show_default=True,
              help="How many labels of each text count; may be given repeatedly.")  # fmt: skip
@html_option
@table_option
@text_tagger_options
@json_option
def command(
    source: TaggedTexts,
    model_path: Path | None,
    test: float,
    split_seed: int,
    cutoffs: tuple[int, ...],
    page: Path | None,
    table_path: Path | None,
    parameters: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure a tagger on texts of TABLE that it has not seen.

    Texts without a label cannot be tested, but are learned from. A label that a text lacks may just be missing, so
    precision is a lower bound.
    """
    import numpy as np

    from tacit.estimators.tag.text_tagger import TextTagger
    from tacit.metrics.label_evaluation import Labelled, evaluate_labels

    texts, labels, ids = source.read()
    tagged = np.flatnonzero([bool(one) for one in labels])
    if not len(tagged):
        raise InputError(f"no text of {source.table!r} has a label, so nothing can be tested; check --labels.")
    fitting = None
    if model_path is None:
        chosen = np.random.default_rng(split_seed).permutation(tagged)[: max(1, round(test * len(tagged)))]
        tested = np.sort(chosen)
        rest = np.setdiff1d(np.arange(len(texts)), tested)
        model = TextTagger(**parameters, progress=False if as_json else None)
        start = time.perf_counter()
        model.fit([texts[row] for row in rest], [labels[row] for row in rest])
        fitting = time.perf_counter() - start
    else:
        refuse_beside_model({"test", "split_seed", *PARAMETERS})
        model = open_model(model_path, "evaluate tag", ("words_", "predict_topk"), "tacit fit tag")
        tested = tagged
    truth = Labelled.of([labels[row] for row in tested], model.classes_, model.tagger_.label_frequency_,
                        model.tagger_.rows_seen_)  # fmt: skip
    began = time.perf_counter()
    lists = truth.lists(model.predict_topk([texts[row] for row in tested], min(max(*cutoffs, 10), len(model.classes_))))
    seconds = time.perf_counter() - began
    methods = {"model": lists, "most frequent": truth.most_frequent(lists.shape[1]),
               "random": truth.random(lists.shape[1], split_seed)}  # fmt: skip
    cutoffs = tuple(sorted({min(k, lists.shape[1]) for k in cutoffs}))
    results = {name: evaluate_labels(one, truth, cutoffs) for name, one in methods.items()}
    outcome = {
        **results,
        "texts": len(tested),
        "labels": len(model.classes_),
        "unknown_labels": truth.unknown,
        "seconds": round(seconds, 3),
    }
    sentence = f"{len(tested):,} texts that the model has not seen, {len(model.classes_):,} labels"
    tell(outcome, sentence, results, results["model"], table_path=table_path, as_json=as_json)
    if page is not None:
        from tacit.cli.evaluate.tag_page import LEAD, Tagged, sections

        names = [ids[row] if ids is not None else row for row in tested]
        result = Tagged(model, [texts[row] for row in tested], names, truth, methods, results, cutoffs, fitting)
        write_page(page, f"Tags from {Path(source.table).name}", LEAD, sections(result), silent=as_json)
