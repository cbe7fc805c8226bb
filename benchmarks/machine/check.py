"""Has anything become slower or worse? Key ratios against those of the same processor; a loss of 20 % fails.

    python -m benchmarks.machine.check            compare with results/check.json; exit code 1 and names on a loss
    python -m benchmarks.machine.check --update   measure and store the ratios of this processor
    python -m benchmarks.machine.check --only roof [--update]   only the ratios with this in their names

The ratios are each kernel's share of its roof (``roofline.py``, small shapes), the naive gradient's time over ours,
fits of peers over ours in one run where the peers' environment is there, and NDCG@10 over popularity's on Debian's
dependencies, which come with the package. More is better for all of them. Ratios swing less than seconds, but they do
depend on the processor: half a sweep of ALS reaches .67 of its roof on an Intel Xeon and .36 on an AMD EPYC, with the
same code. So results/check.json stores them by the processor's name, and only the same name is compared.

A share of the roof is the median of five readings, the bandwidth read anew for each, because it swings by itself. What
looks lost is measured again, twice if need be, before it counts: a busy machine is no loss.
"""

import argparse
import statistics
from collections.abc import Callable, Mapping, Sequence

from benchmarks import results
from benchmarks.machine import kernel_work, roofline

FILE = "check"
LOSS = 0.2
TRIES = 3
READINGS = 5


def lost(now: Mapping[str, float], last: Mapping[str, float], loss: float = LOSS) -> dict[str, str]:
    """Ratios that fell by more than ``loss`` of what they were, or were not measured; name → sentence.

    >>> lost({"a": 0.7, "b": 0.9, "new": 1.0}, {"a": 1.0, "b": 1.0, "c": 2.0})
    {'a': 'a fell from 1 to 0.7, by 30 %', 'c': 'c was not measured'}
    """
    found = {}
    for name, before in last.items():
        if name not in now:
            found[name] = f"{name} was not measured"
        elif now[name] < (1 - loss) * before:
            found[name] = f"{name} fell from {before:.3g} to {now[name]:.3g}, by {100 * (1 - now[name] / before):.0f} %"
    return found


def share_of_roof(kernel: str, peak: dict[str, float]) -> float:
    """How much of the attainable a kernel reaches on one thread; others may want the second one.

    The median of several readings, each beside a bandwidth read just before it.
    """
    load = kernel_work.KERNELS[kernel](**roofline.SMALL[kernel])
    level = roofline.level(load.working_set)
    shares = []
    for _ in range(READINGS):
        bandwidth = roofline.bandwidth(roofline.SIZES[level], 1) / 1e9
        seconds = roofline.best_seconds(lambda: load.call(1), 3)
        roof = roofline.attainable(load, {"bandwidth": {level: bandwidth}, "peak": peak})
        shares.append(load.operations / seconds / 1e9 / roof)
    return statistics.median(shares)


def over_naive() -> float:
    """Time of the naive gradient over that of ours, both on one thread."""
    from threadpoolctl import threadpool_limits

    from tacit.baselines.naive_gradient import naive_gradient
    from tacit.objective.two_towers import TwoTowers

    cells = kernel_work.skewed(3_000, 3_000, 60_000)
    P, Q = kernel_work.factors(3_000, 32), kernel_work.factors(3_000, 32, 1)
    objective = kernel_work.whole_data(cells)
    towers = TwoTowers.of_ids(objective, 32)
    with threadpool_limits(1, user_api="blas"):
        naive = roofline.best_seconds(lambda: naive_gradient(objective.rows, P, Q), 2)
        ours = roofline.best_seconds(lambda: towers.side_objective("rows", Q, n_threads=1).value_and_gradient(P), 10)
    return naive / ours


def over_peer(adapter: str, sweeps: str) -> float:
    """Time of a peer's fit over ours with as many sweeps, alternating, on one thread."""
    from benchmarks.peers.workers import Worker, alternate

    cells = kernel_work.skewed(20_000, 5_000, 400_000)
    with Worker("tacit", cells, threads=1) as ours, Worker(adapter, cells, threads=1) as theirs:
        runs = {"ours": (ours, {"iterations": 4}), "theirs": (theirs, {sweeps: 4})}
        seconds = alternate({name: (worker, {"factors": 64, **given}) for name, (worker, given) in runs.items()}, 3)
    return statistics.median(seconds["theirs"]) / statistics.median(seconds["ours"])


def over_popularity() -> float:
    """NDCG@10 of FactorRecommender() over that of popularity, a fifth of the dependencies held out."""
    from tacit import FactorRecommender
    from tacit.baselines import Popularity
    from tacit.data.debian import load_debian
    from tacit.metrics.evaluation import evaluate

    train, test = load_debian().dependencies.split(test=0.2, seed=0)
    models = [FactorRecommender(progress=False).fit(train), Popularity().fit(train)]
    ours, popular = (float(evaluate(model, train, test, k=10, metrics=("ndcg",))["ndcg@10"]) for model in models)
    return ours / popular


def ratios() -> dict[str, Callable[[], float]]:
    """Name of each ratio → how to measure it."""
    peak = roofline.measure_machine(1)["peak"]
    made: dict[str, Callable[[], float]] = {
        f"{kernel}: share of its roof": lambda kernel=kernel: share_of_roof(kernel, peak)
        for kernel in kernel_work.KERNELS
    }
    made["naive gradient over ours"] = over_naive
    made["implicit over ours"] = lambda: over_peer("implicit", "iterations")
    made["irspack over ours"] = lambda: over_peer("irspack", "epochs")
    made["NDCG@10 over popularity"] = over_popularity
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write results/check.json instead of comparing")
    parser.add_argument("--only", default="", metavar="PART", help="ratios with this in their names")
    given = parser.parse_args(arguments)
    update = given.update
    processor = results.processor()
    known: dict[str, float] = results.figures_so_far(FILE).get(processor, {})
    if not known and not update:
        raise SystemExit(
            f"nothing to compare with: results/check.json has no ratios of this processor, {processor}; "
            "store them on a quiet machine with python -m benchmarks.machine.check --update."
        )
    last = {} if update else {name: value for name, value in known.items() if given.only in name}
    now: dict[str, float] = {}
    for name, measure in ratios().items():
        if given.only not in name:
            continue
        try:
            now[name] = measure()
            for _ in range(TRIES - 1):
                if name not in lost(now, last):
                    break
                now[name] = max(now[name], measure())
        except SystemExit as absent:
            print(f"{name}: left out, {absent}", flush=True)
            last.pop(name, None)
            continue
        print(f"{name}: {now[name]:.3g}" + (f", was {last[name]:.3g}" if name in last else ""), flush=True)
    if update:
        print(results.write_part(FILE, processor, (known if given.only else {}) | now))
    elif sentences := lost(now, last):
        raise SystemExit("lost: " + "; ".join(sentences.values()) + ".")
    else:
        print(f"nothing lost: all {len(last)} ratios are within {100 * LOSS:.0f} % of those stored for {processor}.")


if __name__ == "__main__":
    main()
