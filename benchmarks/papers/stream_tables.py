"""Table 3, Table 4 and Figure 2 of the NN-APA paper on the ratings at hand.

    python -m benchmarks.papers.stream_tables table3 [--quick]    Flixster's published part, k = 10 and 20, one pass
    python -m benchmarks.papers.stream_tables table4 [--quick]    six topics of MovieLens, their five films and genres
    python -m benchmarks.papers.stream_tables figure2 [--quick]   error so far over processor time, MovieLens 1M (100K)

Each part replaces its own figures in ``results/stream-tables.json`` (``stream-tables-quick.json``). Table 3 and
Figure 2 are tuned as Table 2 is: on the last tenth of the training part, with equal trials. The topics are those of the
paper's own way, the largest coefficients, and of ours, the largest shares; beside them, the share of films that have
their topic's commonest genre.
"""

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers.stream import UNTUNED, columns, methods, run, split, summary
from tacit import ExpertRatingStream, RatingStream
from tacit.data import load_flixster, load_movielens_1m, load_movielens_100k

TOPICS = 6
FILMS = 5


def table3(quick: bool) -> dict[str, Any]:
    """Means over permutations of all of Flixster's part, cut 80/20."""
    loaded = load_flixster()
    data = columns(loaded.ratings.vstack(loaded.test) if loaded.test is not None else loaded.ratings)
    splits = [split(data, seed) for seed in range(2 if quick else 10)]
    rows: list[dict[str, Any]] = []
    for name, one in methods(quick).items():
        if name == "biased full *":
            continue
        for k in (10, 20):
            point = one.tuned(k, splits[0][0])
            runs = [run(one.make(k, seed, **point), *parts) for seed, parts in enumerate(splits)]
            rows.append({"method": name, "k": k, "parameters": point, **summary(runs)})
            print(rows[-1], flush=True)
    untuned = UNTUNED | {"NN-APA(m), medium": UNTUNED["NN-APA(m)"] | {"experts": "paper medium"}}
    for name, parameters in untuned.items():
        runs = [run(ExpertRatingStream(random_state=seed, **parameters), *parts) for seed, parts in enumerate(splits)]
        rows.append({"method": name, "k": None, "parameters": parameters, **summary(runs)})
    return {"ratings": len(data[2]), "permutations": len(splits), "rows": rows}


def table4(quick: bool) -> dict[str, Any]:
    loaded = load_movielens_100k() if quick else load_movielens_1m()
    assert loaded.items is not None
    films = {row["id"]: row for row in loaded.items.iter_rows(named=True)}
    data = columns(loaded.ratings)
    order = np.random.default_rng(0).permutation(len(data[2]))
    model = RatingStream.paper(TOPICS).partial_fit(*(column[order] for column in data))
    figures: dict[str, Any] = {"data": loaded.name}
    for by in ("coefficient", "share"):
        topics = []
        for ids in model.topics(FILMS, by=by).ids.tolist():
            kinds = [genres(films[number]) for number in ids]
            (genre, count), *_ = Counter(kind for one in kinds for kind in one).most_common(1)
            listed = [f"{films[number]['title']} ({', '.join(kind)})" for number, kind in zip(ids, kinds)]
            topics.append({"films": listed, "genre": genre, "share": count / FILMS})
        figures[by] = {"topics": topics, "coherence": float(np.mean([topic["share"] for topic in topics]))}
        print(by, figures[by]["coherence"], flush=True)
    everything = [kind for film in films.values() for kind in genres(film)]
    figures["commonest_genre_of_all"] = Counter(everything).most_common(1)[0][1] / len(films)
    return figures


def genres(film: dict[str, Any]) -> list[str]:
    found = film["genres"]
    return list(found) if not isinstance(found, str) else found.split("|")


FIGURE_2 = ("SGD", "NN-PA", "NN-APA diagonal", "NN-APA diagonal *")


def figure2(quick: bool) -> dict[str, Any]:
    """Errors so far in steps of a fortieth, with the processor seconds spent until then, for k = 10 and 50.

    Tuning has compiled everything before the clock starts.
    """
    train, _ = split(columns((load_movielens_100k() if quick else load_movielens_1m()).ratings), 0)
    figures: dict[str, Any] = {"curves": {}, "parameters": {}}
    for k in (10, 50):
        curves: dict[str, Any] = {}
        chosen = {name: one.tuned(k, train, "train_mae") for name, one in methods(quick).items() if name in FIGURE_2}
        for name, point in chosen.items():
            model = methods(quick)[name].make(k, 0, **point)
            error, spent, points = 0.0, 0.0, []
            for part in np.array_split(np.arange(len(train[2])), 40):
                piece = tuple(column[part] for column in train)
                began = time.process_time()
                predicted = model.predict_then_learn(*piece)
                spent += time.process_time() - began
                error += float(np.abs(predicted - piece[2]).sum())
                points.append((spent, error / int(part[-1] + 1)))
            curves[name] = points
            print(k, name, point, points[-1], flush=True)
        figures["curves"][f"k = {k}"], figures["parameters"][f"k = {k}"] = curves, chosen
    return figures


PARTS = {"table3": table3, "table4": table4, "figure2": figure2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--quick", action="store_true", help="few permutations, small data, into a file of its own")
    given = parser.parse_args()
    file = "stream-tables-quick" if given.quick else "stream-tables"
    print(results.write_part(file, given.part, PARTS[given.part](given.quick)))


if __name__ == "__main__":
    main()
