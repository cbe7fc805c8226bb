"""Rating streams: the tables and figures of the NN-APA paper, a stream in time order, and batches.

    python -m benchmarks.papers.stream [PART …] [--quick] [--permutations 10] [--sets …] [--methods …]

    table2     small sets, one pass, 80/20: MovieLens 100K and 1M (HetRec 2011 is not at hand)
    figure1    cumulative MAE along the stream
    figure3    test MAE over C, with and without the non-negativity constraint
    figure4    test MAE over k
    time       MovieLens 100K in the order of time, beside river, and batch factorizations with many passes
    table3     Flixster's published part, k = 10 and 20, one pass
    table4     six topics of MovieLens, their five films and genres
    figure2    error so far over processor time, MovieLens 1M (100K with ``--quick``)

Without a part all are made. Figures of the first five go to ``results/stream.json``, those of the others to
``results/stream-tables.json``; with ``--quick`` (MovieLens 100K alone, two permutations, two points per grid: under two
minutes for any part) to ``stream-quick.json`` and ``stream-tables-quick.json``. Other parts of a file are kept, and
rows of Table 2 are written as they come: ``--sets`` and ``--methods`` repeat some of them.

Every permutation is cut 80/20; each method sees the training part once. Training MAE is that of predictions made
before each rating was learned from; test MAE follows. Nothing is clipped, as in the paper; the clipped test MAE stands
beside. Tuned rows choose their parameters on the training part of the first permutation: its first nine tenths teach,
its last tenth decides. Every method of the paper has nineteen trials, fifteen for its step and its start and four for
what is left (δ in the paper's range for NN-APA, ε for NN-PA, the ridge for SGD, the interaction for OMTCF). Figures 1
and 2 show errors along the stream, so for them the error over the first nine tenths decides. The rows of the paper's
own method start as the paper does (``RatingStream.paper``); rows marked * use what Tacit adds. The topics of Table 4
are those of the paper's own way, the largest coefficients, and of ours, the largest shares; beside them stands the
share of films that have their topic's commonest genre.
"""

import argparse
import datetime
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.processes import ask
from tacit import ExpertRatingStream, RatingStream
from tacit.baselines.online_gradient import OnlineGradient
from tacit.data import load_flixster, load_movielens_1m, load_movielens_100k
from tacit.metrics import progressive

Ratings = tuple[np.ndarray, np.ndarray, np.ndarray]
RANKS = (5, 10, 15)
AGGRESSIVENESS = (0.01, 0.02, 0.05, 0.1, 0.2)
RATES = (0.005, 0.01, 0.02, 0.05, 0.1)
STARTS = (0.2, 0.3, 0.4)
DELTAS = (0.01, 0.2, 0.5, 1.0)
"""Tried after the default, 0.05; the paper searches from 0.01 to 1."""
PAPER = {
    "MovieLens 100K": {
        "SGD": (0.8348, 0.7795, 0.7961), "NN-PA": (0.8199, 0.7837, 0.7961), "OMTCF": (0.7954, 0.7932, 0.7960),
        "NN-APA diagonal": (0.7663, 0.7706, 0.7685), "NN-APA full": (0.7692, 0.7689, 0.7727),
        "NN-APA(u)": (0.7779,), "NN-APA(m)": (0.7681,),
    },
    "MovieLens 1M": {
        "SGD": (0.7610, 0.7575, 0.8040), "NN-PA": (0.7867, 0.7490, 0.7925), "OMTCF": (0.7641, 0.7544, 0.7569),
        "NN-APA diagonal": (0.7347, 0.7410, 0.7480), "NN-APA full": (0.7346, 0.7351, 0.7339),
        "NN-APA(u)": (0.7406,), "NN-APA(m)": (0.7339,),
    },
}  # fmt: skip
"""Test MAE of the paper's Table 2, at k = 5, 10, 15 or for all."""


def columns(table: Any) -> Ratings:
    return table["user"].to_numpy(), table["item"].to_numpy(), table["rating"].to_numpy().astype(float)


def cut(data: Ratings, chosen: np.ndarray) -> Ratings:
    users, items, ratings = data
    return users[chosen], items[chosen], ratings[chosen]


def split(data: Ratings, seed: int, share: float = 0.8) -> tuple[Ratings, Ratings]:
    order = np.random.default_rng(seed).permutation(len(data[2]))
    border = int(share * len(order))
    return cut(data, order[:border]), cut(data, order[border:])


def run(model: Any, train: Ratings, test: Ratings) -> dict[str, float]:
    began = time.process_time()
    predicted = model.predict_then_learn(*train)
    seconds = time.process_time() - began
    asked = model.predict(*test[:2])
    return {
        "train_mae": float(np.abs(predicted - train[2]).mean()),
        "test_mae": float(np.abs(asked - test[2]).mean()),
        "test_mae_clipped": float(np.abs(np.clip(asked, 1, 5) - test[2]).mean()),
        "seconds": seconds,
    }


@dataclass(frozen=True)
class Method:
    """How to make a method from k, seed and parameters, and what it is tuned over: a grid, then one parameter more."""

    make: Any
    grid: list[dict[str, Any]]
    last: list[dict[str, Any]]

    def tuned(self, k: int, train: Ratings, by: str = "test_mae") -> dict[str, Any]:
        """The parameters with the least error on the last tenth of the training part, or until then (train_mae)."""
        border = int(0.9 * len(train[2]))
        teach, decide = cut(train, np.arange(border)), cut(train, np.arange(border, len(train[2])))

        def error(point: dict[str, Any]) -> float:
            return run(self.make(k, 0, **point), teach, decide)[by]

        best = min(self.grid, key=error)
        return min([best, *(best | one for one in self.last)], key=error)


def methods(quick: bool) -> dict[str, Method]:
    """Every tuned method by its name."""

    def paper(**fixed: Any) -> Any:
        return lambda k, seed, **p: RatingStream.paper(k, random_state=seed, **fixed, **p)

    def gradient(k: int, seed: int, **p: Any) -> OnlineGradient:
        return OnlineGradient(k, random_state=seed, **p)

    grid = [{"aggressiveness": c, "start": s} for c, s in itertools.product(AGGRESSIVENESS, STARTS)]
    rates = [{"rate": r, "start": 5 * s} for r, s in itertools.product(RATES, STARTS)]
    deltas = [{"delta": d} for d in DELTAS]
    found = {
        "SGD": Method(gradient, rates, [{"regularization": r} for r in (0.0, 0.003, 0.03, 0.1)]),
        "NN-PA": Method(paper(adaptation=None), grid, [{"epsilon": e} for e in (0.05, 0.1, 0.2, 0.4)]),
        "OMTCF": Method(
            gradient, [{"spread": 1.0, **p} for p in rates], [{"spread": b} for b in (0.25, 0.5, 2.0, 4.0)]
        ),
        "NN-APA diagonal": Method(paper(), grid, deltas),
        "NN-APA full": Method(paper(adaptation="full"), grid, deltas),
        "NN-APA diagonal *": Method(paper(cold_start="average"), grid, deltas),
        # Biases predict the average already, so factors start lower.
        "biased full *": Method(
            paper(adaptation="full", biases="learned", cold_start="average"),
            [{"aggressiveness": c, "start": s} for c, s in itertools.product(AGGRESSIVENESS, (0.05, 0.1, 0.2))],
            deltas,
        ),
    }
    if quick:
        found = {name: replace(one, grid=_middle_two(one.grid), last=[]) for name, one in found.items()}
    return found


def _middle_two(grid: list[dict[str, Any]]) -> list[dict[str, Any]]:
    place = len(grid) // 2
    return grid[place : place + 2]


UNTUNED = {
    "NN-APA(u)": {"experts": "paper", "combine": "uniform", "cold_start": "random", "clip": None},
    "NN-APA(m)": {"experts": "paper", "cold_start": "random", "clip": None},
    "NN-APA(m) *": {"experts": "paper", "clip": None},
    "ExpertRatingStream *": {"clip": None},
}


def summary(runs: list[dict[str, float]]) -> dict[str, Any]:
    def both(values: list[float]) -> dict[str, float]:
        return {"mean": round(float(np.mean(values)), 5), "deviation": round(float(np.std(values)), 5)}

    return {name: both([one[name] for one in runs]) for name in runs[0]}


Row = dict[str, Any]


def table_2(name: str, data: Ratings, permutations: int, quick: bool, asked: list[str]) -> Iterator[Row]:
    """Every method that is asked for at every rank, tuned once, and those that need no tuning; row by row."""
    splits = [split(data, seed) for seed in range(permutations)]

    def row(method: str, k: int | None, parameters: dict[str, Any], make: Any) -> Row:
        published = PAPER[name].get(method)
        figures = summary([run(make(seed), *parts) for seed, parts in enumerate(splits)])
        paper = None if published is None else published[RANKS.index(k) if k else 0]
        print(name, method, k, parameters, figures["train_mae"], figures["test_mae"], figures["seconds"], flush=True)
        about = {"permutations": permutations, "measured": datetime.date.today().isoformat()}
        return {"method": method, "k": k, "parameters": parameters, "paper_test_mae": paper, **figures, **about}

    for method, one in methods(quick).items():
        for k in RANKS if method in asked else ():
            chosen = one.tuned(k, splits[0][0])
            yield row(method, k, chosen, lambda seed, make=one.make, k=k, chosen=chosen: make(k, seed, **chosen))
    for method, parameters in UNTUNED.items():
        if method in asked:
            yield row(method, None, parameters, lambda seed, p=parameters: ExpertRatingStream(random_state=seed, **p))


def put_row(figures: dict[str, Any], name: str, row: Row) -> None:
    """A row in the place of the one that it repeats, or behind the others, in the order of the methods."""
    order = [*methods(quick=False), *UNTUNED]
    rows = {(one["method"], one["k"]): one for one in figures.setdefault("table_2", {}).get(name, [])}
    rows[row["method"], row["k"]] = row
    figures["table_2"][name] = sorted(rows.values(), key=lambda one: (order.index(one["method"]), one["k"] or 0))


def peers(data: Ratings, what: str, border: int = 0) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, users=data[0], items=data[1], ratings=data[2], border=border)
        found: dict[str, Any] = ask("peers.adapters:ratings", peers=True, path=str(path), what=what)
    return found


def time_order(data: Ratings) -> dict[str, Any]:
    """ML-100K as it happened: predictions, clipped to 1–5 for all, made before each rating is learned from."""
    best = {"adaptation": "full", "biases": "learned", "cold_start": "average", "aggressiveness": 0.1, "start": 0.1}
    ours = {
        "NN-APA diagonal k=10, the paper's": RatingStream.paper(10, clip=(1, 5)),
        "NN-APA full k=10, the paper's": RatingStream.paper(10, adaptation="full", clip=(1, 5)),
        "NN-APA(m), the paper's": ExpertRatingStream("paper", cold_start="random", clip=(1, 5)),
        "RatingStream, defaults": RatingStream(),
        "biases alone": RatingStream.paper(0, biases="learned", aggressiveness=0.2, clip=(1, 5)),
        "biased full k=10": RatingStream.paper(10, clip=(1, 5), **best),
        "ExpertRatingStream, defaults": ExpertRatingStream(),
    }
    figures: dict[str, Any] = {}
    for name, model in ours.items():
        *_, last = progressive(model, *data, relevant=4.0, rank_every=50)
        figures[name] = {"mae": last.mae, "rmse": last.rmse, "hit_rate@10": last.hit_rate, "ndcg@10": last.ndcg}
        print("time order", name, figures[name], flush=True)
    river = peers(data, "progressive")
    return figures | river["figures"]


def batch_references(data: Ratings) -> tuple[dict[str, Any], dict[str, str]]:
    """Surprise's factorizations, which go over the training part many times, and the peers' versions."""
    first, rest = split(data, 0)
    joined = tuple(np.concatenate(parts) for parts in zip(first, rest))
    found = peers(joined, "batch", border=len(first[2]))  # type: ignore[arg-type]
    return found["figures"], found["versions"]


FIGURE_1 = ("SGD", "NN-PA", "OMTCF", "NN-APA diagonal", "NN-APA full")
"""Tuned methods of Figure 1; the experts need no tuning."""


def curves(data: Ratings, quick: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cumulative MAE along the stream (Figure 1) at k = 10, first permutation, and the parameters that were chosen."""
    train, _ = split(data, 0)
    tuned = {name: one for name, one in methods(quick).items() if name in FIGURE_1}
    chosen = {name: one.tuned(10, train, "train_mae") for name, one in tuned.items()}
    models = {name: one.make(10, 0, **chosen[name]) for name, one in tuned.items()}
    models |= {name: ExpertRatingStream(**UNTUNED[name]) for name in ("NN-APA(m)", "ExpertRatingStream *")}
    every = len(train[2]) // 40
    found = {
        name: [(at.ratings, round(at.mae, 5)) for at in progressive(model, *train, every=every)]
        for name, model in models.items()
    }
    return found, chosen


KINDS: dict[str, dict[str, Any]] = {
    "NN-PA": {"adaptation": None},
    "NN-APA diagonal": {},
    "APA diagonal, free": {"nonnegative": False},
    "NN-APA diagonal *": {"cold_start": "average"},
}
"""What Figures 3 and 4 compare."""


def sensitivity(data: Ratings, over: str) -> dict[str, Any]:
    """Test MAE over C at k = 10 (Figure 3) or over k at C = 0.02 (Figure 4), first permutation."""
    train, test = split(data, 0)
    points: list[Any] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0]
    if over == "factors":
        points = [2, 5, 10, 15, 20, 30, 50]

    def error(**parameters: Any) -> float:
        chosen = {"factors": 10, "aggressiveness": 0.02, **parameters}
        return round(run(RatingStream.paper(**chosen), train, test)["test_mae"], 5)

    return {name: [(point, error(**{over: point}, **p)) for point in points] for name, p in KINDS.items()}


ERRORS = ("table2", "figure1", "figure3", "figure4", "time")


def measure(part: str, figures: dict[str, Any], quick: bool) -> dict[str, str]:
    """Put one part but Table 2 into the figures; returns the versions of the peers that took part."""
    small = load_movielens_100k().ratings
    sets = {"MovieLens 100K": columns(small)}
    if not quick:
        sets["MovieLens 1M"] = columns(load_movielens_1m().ratings)
    if part == "figure1":
        found = {name: curves(data, quick) for name, data in sets.items()}
        figures["curves"] = {name: lines for name, (lines, _) in found.items()}
        figures["curve_parameters"] = {name: chosen for name, (_, chosen) in found.items()}
    elif part in ("figure3", "figure4"):
        over = "aggressiveness" if part == "figure3" else "factors"
        for name, data in sets.items():
            figures.setdefault("sensitivity", {}).setdefault(name, {})[over] = sensitivity(data, over)
    else:
        figures["time_order"] = time_order(columns(small.sort("time", maintain_order=True)))
        figures["batch_references"], versions = batch_references(sets["MovieLens 100K"])
        return versions
    return {}


# -- topics, time and Flixster -----------------------------------------------------------------------------------------

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
    # The paper has other experts for sets of this size; those for small ones stand beside.
    untuned = {name: p | ({"experts": "paper medium"} if "experts" in p else {}) for name, p in UNTUNED.items()}
    untuned["NN-APA(m), small experts"] = UNTUNED["NN-APA(m)"]
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
    figures["coherence_at_random"] = _coherence_at_random([genres(film) for film in films.values()])
    return figures


def _coherence_at_random(kinds: list[list[str]], draws: int = 2000) -> float:
    """The share of five films drawn at random that have the commonest genre among them, in the mean."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(draws):
        among = Counter(kind for n in rng.choice(len(kinds), FILMS, replace=False) for kind in kinds[n])
        shares.append(among.most_common(1)[0][1] / FILMS)
    return float(np.mean(shares))


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


TABLES = {"table3": table3, "table4": table4, "figure2": figure2}
PARTS = (*ERRORS, *TABLES)


def write_errors(part: str, figures: dict[str, Any], versions: dict[str, str], quick: bool) -> Path:
    """The first results file, with one part measured now."""
    ending = "-quick" if quick else ""
    command = f"python -m benchmarks.papers.stream {'--quick ' if quick else ''}{part}"
    return results.write(f"stream{ending}", figures, part, peers=versions, command=command)


def write_table_2(quick: bool, permutations: int, asked: list[str], sets: list[str]) -> None:
    """Table 2 row by row; rows that are not asked for stay."""
    loaders = {"MovieLens 100K": load_movielens_100k, "MovieLens 1M": load_movielens_1m}
    for name in sets:
        for row in table_2(name, columns(loaders[name]().ratings), permutations, quick, asked):
            figures, versions = earlier(quick)
            put_row(figures, name, row)
            figures["permutations"] = permutations
            write_errors("table2", figures, versions, quick)


def earlier(quick: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """Figures and versions of the peers in the first results file as it is."""
    name = "stream-quick" if quick else "stream"
    record = results.read(name) if (results.FOLDER / f"{name}.json").exists() else {}
    return record.get("figures", {}), record.get("peers", {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="ML-100K alone, two permutations, two points per grid")
    parser.add_argument("--permutations", type=int, default=10)
    parser.add_argument("--sets", help="of Table 2, separated by commas; both by default")
    parser.add_argument("--methods", help="of Table 2, separated by semicolons; all by default")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    ending = "-quick" if options.quick else ""
    for part in options.parts or PARTS:
        if part in TABLES:
            print(results.write_part(f"stream-tables{ending}", part, TABLES[part](options.quick)), flush=True)
            continue
        if part == "table2":
            sets = ["MovieLens 100K"] if options.quick else ["MovieLens 100K", "MovieLens 1M"]
            asked = options.methods.split(";") if options.methods else [*methods(options.quick), *UNTUNED]
            permutations = 2 if options.quick else options.permutations
            write_table_2(options.quick, permutations, asked, options.sets.split(",") if options.sets else sets)
            continue
        figures, versions = earlier(options.quick)
        versions |= measure(part, figures, options.quick)
        print(write_errors(part, figures, versions, options.quick), flush=True)


if __name__ == "__main__":
    main()
