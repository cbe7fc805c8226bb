"""Rows that come after fit: gradient steps of the map learned through cosines, which ExMLDS leaves to the future.

    python -m benchmarks.papers.tag_online [--sets bibtex,…] [--quick]

``end_to_end`` is fitted on the first half of the training rows, in their published order; the other half comes in
blocks of 100 by ``partial_fit``. The rows only join and vote, or ``online_steps`` move the map for each block; beside
them one fit on the first half and one on all rows. How many steps, at which rate, is chosen by nDCG@5 on a fifth of the
training rows that no model sees; then the test rows are asked once. Writes ``results/tag-online.json``.
"""

import argparse
import time
from typing import Any

from benchmarks.papers.tag_methods import Grid, Split, grid
from benchmarks.results import Record
from tacit import NeighbourTagger
from tacit.metrics.labels import ndcg_at_k

SETS = ("bibtex", "rcv1v2", "corel5k", "stackex_cs")
BLOCK = 100
POINTS = grid(online_steps=(1, 5, 20), learning_rate=(0.005, 0.02))


def tagger(**own: Any) -> NeighbourTagger:
    return NeighbourTagger("end_to_end", progress=False, **own)


def streamed(split: Split, **own: Any) -> NeighbourTagger:
    """Half of the rows by ``fit``, the others block by block; a rate that is given is that of the steps alone."""
    half = split.X.shape[0] // 2
    steps_only = own.pop("learning_rate", None)
    model = tagger(**own).fit(split.X[:half], split.Y[:half])
    model.set_params(learning_rate=steps_only)
    for start in range(half, split.X.shape[0], BLOCK):
        model.partial_fit(split.X[start : start + BLOCK], split.Y[start : start + BLOCK])
    return model


def chosen(split: Split, points: Grid) -> dict[str, Any]:
    part = split.validation()
    scores = [
        float(ndcg_at_k(part.Y_test, streamed(part, **point).predict_topk(part.X_test, 5), 5)) for point in points
    ]
    return points[max(range(len(points)), key=scores.__getitem__)]


def measure(split: Split, way: str, quick: bool) -> dict[str, Any]:
    point: dict[str, Any] = {}
    if way == "gradient steps":
        point = POINTS[0] if quick else chosen(split, POINTS)
    half = split.X.shape[0] // 2
    began = time.process_time()
    match way:
        case "first half alone":
            model = tagger().fit(split.X[:half], split.Y[:half])
        case "all at once":
            model = tagger().fit(split.X, split.Y)
        case _:
            model = streamed(split, **point)
    seconds = round(time.process_time() - began, 2)
    top = model.predict_topk(split.X_test, 5)
    return {**split.measure(top), "processor seconds": seconds} | ({"chosen": point} if point else {})


WAYS = ("first half alone", "rows join", "gradient steps", "all at once")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="Bibtex, one step at the lower rate")
    parser.add_argument("--sets", help="names of data sets, with commas")
    given = parser.parse_args()
    ending = ("-quick", " --quick") if given.quick else ("", "")
    record = Record(f"tag-online{ending[0]}", f"python -m benchmarks.papers.tag_online{ending[1]}")
    for name in SETS[:1] if given.quick else given.sets.split(",") if given.sets else SETS:
        split = Split(name)
        for way in WAYS:
            record.put(name, way, measure(split, way, given.quick))


if __name__ == "__main__":
    main()
