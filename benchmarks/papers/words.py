"""Word vectors against skip-gram, CBOW and GloVe, and what their parameters do.

    python -m benchmarks.papers.words quality [--quick] [--only tacit,glove,…]   accuracy, time and memory
    python -m benchmarks.papers.words counting [--quick]   tokens per second and memory
    python -m benchmarks.papers.words weights [--solver adagrad] [--quick]   α₀ and ρ (Figure 4 of the fBGD paper)
    python -m benchmarks.papers.words curve [--quick]      accuracy against time, sweep by sweep
    python -m benchmarks.papers.words items [--quick]      the same class on sequences of items
    python -m benchmarks.papers.words output [--quick]     word vectors, context vectors or their sum, by several tests

Quick versions write ``results/words-PART-quick.json`` and take less than two minutes, except that of quality, which has
20 MB of text in ``words-quick.json`` and takes ten; ``versus.py words --quick`` compares on 5 MB.

Text: the head of the English Wikipedia after the rules of text8, the first 20 MB (--quick) or all 100. It comes as one
line; all methods get it in lines of 1,000 words, so that gensim can read it in its fastest way. Every method runs in a
process of its own, alternating, with two threads; ``--only`` repeats some methods and keeps the others' figures.
Processor seconds stand beside wall seconds: they hardly change when the machine has other work.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.processes import THREADS, ask
from tacit import WordVectors
from tacit.data.loaders.sequences import load_sequences
from tacit.data.loaders.text import load_analogies, load_text, load_word_similarities

SWEEPS = (("als", (2, 4, 8)), ("adagrad", (10, 20, 40, 75)))
"""Solver → the sweeps after which the curve has a point."""


def methods(quick: bool) -> dict[str, dict[str, Any]]:
    """Method and parameters by name; fBGD's and gensim's are the paper's, GloVe's ceiling its authors' for text8."""
    negative = 10 if quick else 25
    return {
        "tacit": {"method": "tacit", "parameters": {}},
        "fBGD": {"method": "tacit", "parameters": {"solver": "adagrad", "iterations": 75}},
        "gensim skip-gram": {"method": "gensim", "parameters": {"skip_gram": True, "negative": negative}},
        "gensim CBOW": {"method": "gensim", "parameters": {"skip_gram": False, "negative": negative}},
        "GloVe": {"method": "glove", "parameters": {"iterations": 25, "weight_ceiling": 10.0}},
    }


def write_text(folder: Path, megabytes: int) -> Path:
    """The first megabytes of the corpus, in lines of 1,000 words."""
    path = folder / f"enwiki-{megabytes}.txt"
    if path.exists():
        return path
    left = megabytes * 1_000_000
    with path.open("w") as file:
        for sentence in load_text().sentences(1000):
            line = " ".join(sentence)[: max(left - 1, 0)]
            file.write(line + "\n")
            left -= len(line) + 1
            if left <= 1:
                break
    return path


def texts(folder: str) -> Path:
    """Where texts lie: the folder that TACIT_TEXTS names, to keep them from run to run, or a passing one."""
    return Path(os.environ.get("TACIT_TEXTS", folder))


def run_task(method: str, text: Path | None, save: Path | None, **parameters: Any) -> dict[str, Any]:
    task = {"method": method, "text": str(text), "save": str(save), "threads": THREADS, "parameters": parameters}
    peers = method in ("gensim", "neighbours")
    answer: dict[str, Any] = ask("papers.words_task:run", peers=peers, **task)
    return answer


def scores(vectors: WordVectors) -> dict[str, Any]:
    """Accuracies with both denominators, the correlation with people, and how long the questions took."""
    lines = [
        line
        for name, questions in load_analogies().items()
        for line in (f": {name}", *(" ".join(words) for words in questions))
    ]
    began, worked = time.perf_counter(), time.process_time()
    found = vectors.analogies(lines)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    pairs = vectors.similarities("\t".join(map(str, pair)) for pair in load_word_similarities())
    parts = {"semantic": found.semantic, "syntactic": found.syntactic, "total": found.total}
    return {
        "words": len(vectors.words),
        **{name: {"of_known": part.accuracy, "of_all": part.accuracy_of_all} for name, part in parts.items()},
        "questions": {
            "known": found.total.known,
            "asked": found.total.asked,
            "seconds": round(seconds, 2),
            "processor_seconds": round(worked, 2),
        },
        "wordsim353": {"correlation": pairs.correlation, "known": pairs.known},
    }


def earlier(name: str) -> dict[str, Any]:
    path = results.FOLDER / f"{name}.json"
    if not path.exists():
        return {}
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return figures


def quality(quick: bool, only: list[str] | None, rounds: int) -> None:
    """All methods in turn; gensim only in the first round, since it takes as long as all others together."""
    name = "words-quick" if quick else "words"
    chosen = {key: value for key, value in methods(quick).items() if not only or key in only}
    table: dict[str, Any] = {}
    exchange: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        text = write_text(texts(folder), 20 if quick else 100)
        runs: dict[str, list[dict[str, Any]]] = {key: [] for key in chosen}
        for turn in range(rounds):
            for key, (method, parameters) in ((key, value.values()) for key, value in chosen.items()):
                if turn and method == "gensim":
                    continue
                runs[key].append(run_task(method, text, Path(folder) / f"{key}.bin", **parameters))
                print(key, runs[key][-1], flush=True)
        for key, measured in runs.items():
            best = min(measured, key=lambda one: one["seconds"])
            vectors = WordVectors.from_word2vec(Path(folder) / f"{key}.bin")
            table[key] = {
                "parameters": chosen[key]["parameters"],
                **{fact: best[fact] for fact in ("seconds", "processor_seconds", "peak_mib", "found")},
                "all_seconds": [one["seconds"] for one in measured],
                "command": results.command(),
                **scores(vectors),
            }
            print(key, table[key], flush=True)
            if key in ("tacit", "gensim skip-gram"):
                exchange[f"file of {key}"] = same_neighbours(vectors, Path(folder) / f"{key}.bin")
    print(exchange)
    if only:
        kept = earlier(name)
        table = kept.get("methods", {}) | table
        exchange = kept.get("exchange", {}) | exchange
    table = {key: table[key] for key in methods(quick) if key in table}
    print(results.write(name, {"megabytes": 20 if quick else 100, "methods": table, "exchange": exchange}))


def same_neighbours(vectors: WordVectors, path: Path) -> dict[str, Any]:
    """Whether gensim and we find the same neighbours in one file, for the most frequent words."""
    words = vectors.words[:50]
    theirs = run_task("neighbours", None, path, words=words)["found"]
    agree = gap = 0.0
    for word in words:
        ours = vectors.most_similar(word, k=10)
        agree += [one for one, _ in ours] == [one for one, _ in theirs[word]]
        gap = max(gap, *(abs(a[1] - b[1]) for a, b in zip(ours, theirs[word])))
    return {"words": len(words), "same_ten_neighbours": int(agree), "largest_gap_of_cosines": gap}


def counting(quick: bool) -> None:
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in (2, 5) if quick else (20, 50, 100):
            text = write_text(texts(folder), megabytes)
            for memory in (4.0, 0.25):
                best = min(
                    (run_task("counting", text, None, memory=memory) for _ in range(2)), key=lambda t: t["seconds"]
                )
                found = best["found"]
                table.append(
                    {
                        "megabytes": megabytes,
                        "memory_budget_gb": memory,
                        "tokens_per_second": round(found["tokens"] / found["counting_seconds"]),
                        "processor_seconds": best["processor_seconds"],
                        "peak_mib": best["peak_mib"],
                        **found,
                    }
                )
                print(table[-1], flush=True)
    print(results.write(named("words-counting", quick), {"table": table}))


def named(file: str, quick: bool) -> str:
    return f"{file}-quick" if quick else file


def weights(megabytes: int, quick: bool, solver: str) -> None:
    """One factor at a time around the defaults, as in the paper: α₀ at ρ = 0.75, then ρ at the best α₀.

    By als, our default; by ``adagrad`` with the paper's 75 sweeps, kept beside it.
    """
    table = []

    def measure(total: float, exponent: float) -> float:
        model = WordVectors(
            unlabelled_total=total, frequency_exponent=exponent, solver=solver, threads=THREADS, progress=False
        )
        found = scores(model.fit(text))
        table.append({"unlabelled_total": total, "frequency_exponent": exponent, **found})
        print(total, exponent, found["total"], flush=True)
        accuracy: float = found["total"]["of_known"]
        return accuracy

    with tempfile.TemporaryDirectory() as folder:
        text = write_text(texts(folder), megabytes)
        totals = (22, 350) if quick else (22, 88, 350, 1400)
        best = totals[int(np.argmax([measure(total, 0.75) for total in totals]))]
        for exponent in (0.0,) if quick else (0.0, 0.5, 1.0):
            measure(best, exponent)
    name, found = named("words-weights", quick), {"megabytes": megabytes, "table": table}
    kept = {part: row for part, row in earlier(name).items() if part == "fBGD"} if solver == "als" else earlier(name)
    print(results.write(name, kept | (found if solver == "als" else {"fBGD": found | {"command": results.command()}})))


def curve(megabytes: int, quick: bool) -> None:
    """Scores after some sweeps, each fit going on from the checkpoint of the one before.

    Time is that of the processor: the median of a solver's sweeps times their number. Neither reading, counting nor
    scoring is in it.
    """
    table: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        text = write_text(texts(folder), megabytes)
        for solver, sweeps in (("als", (2, 4)), ("adagrad", (5, 10))) if quick else SWEEPS:
            marks: list[list[float]] = []
            rows = []
            for count in sweeps:
                marks.append([])
                model = WordVectors(
                    solver=solver,
                    iterations=count,
                    checkpoint=Path(folder) / f"{solver}.checkpoint",
                    callback=clock(marks[-1]),
                    threads=THREADS,
                    progress=False,
                ).fit(text)
                rows.append({"solver": solver, "sweeps": count, **scores(model)})
                print(solver, count, rows[-1]["total"], flush=True)
            sweep = float(np.median(np.concatenate([np.diff(fit) for fit in marks])))
            table += [row | {"processor_seconds": round(sweep * row["sweeps"], 2)} for row in rows]
    print(results.write(named("words-curve", quick), {"megabytes": megabytes, "table": table}))


def clock(marks: list[float]) -> Any:
    """A callback that notes the processor's time after each sweep."""
    return lambda record: marks.append(time.process_time())


def items(quick: bool) -> None:
    """Do neighbours share attributes? The mean share of common attributes, of ten neighbours and of ten at random."""
    table = []
    for name in ("LastFM",) if quick else ("LastFM", "Toys_and_Games"):
        data = load_sequences(name)
        began = time.perf_counter()
        model = WordVectors(64, threads=THREADS, progress=False).fit(sequences_of(data))
        seconds = time.perf_counter() - began
        near, chance = shared_attributes(model, data)
        table.append(
            {
                "data": name,
                "items": len(model.words),
                "seconds": round(seconds, 2),
                "common_attributes_of_neighbours": near,
                "common_attributes_at_random": chance,
            }
        )
        print(table[-1], flush=True)
    print(results.write(named("words-items", quick), {"table": table}))


def sequences_of(data: Any) -> list[list[int]]:
    found: list[list[int]] = (
        data.events.sort("user", "position").group_by("user", maintain_order=True).agg("item")["item"].to_list()
    )
    return found


def shared_attributes(model: WordVectors, data: Any) -> tuple[float, float]:
    """The mean share of attributes in common with ten neighbours, and with ten items at random."""
    of_item: dict[int, set[int]] = {}
    for item, attribute in data.attributes.iter_rows():
        of_item.setdefault(item, set()).add(attribute)
    rng = np.random.default_rng(0)
    near, chance = [], []
    for item in model.words:
        others = [other for other, _ in model.most_similar(item, k=10)]
        near += [common(of_item, item, other) for other in others]
        chance += [common(of_item, item, model.words[n]) for n in rng.integers(len(model.words), size=10)]
    return float(np.mean(near)), float(np.mean(chance))


def output(quick: bool) -> None:
    """Which vectors to give: several tests of the same fits, on text of 5 and 20 MB and on sequences of items."""
    table: dict[str, dict[str, float]] = {}

    def measure(test: str, model: WordVectors, judge: Callable[[WordVectors], dict[str, float]]) -> None:
        for way in ("sum", "word", "context"):
            for name, score in judge(model.set_params(output=way)).items():
                table.setdefault(f"{name}, {test}", {})[way] = round(score, 4)
        print(table, flush=True)
        results.write(named("words-output", quick), {"tests": table})

    def judge_words(model: WordVectors) -> dict[str, float]:
        found = scores(model)
        kinds = {kind: found[kind]["of_known"] for kind in ("semantic", "syntactic")}
        return {f"{kind} analogies": share for kind, share in kinds.items()} | {
            "WordSim-353": found["wordsim353"]["correlation"]
        }

    with tempfile.TemporaryDirectory() as folder:
        for megabytes in (2,) if quick else (5, 20):
            text = write_text(texts(folder), megabytes)
            measure(f"{megabytes} MB", WordVectors(threads=THREADS, progress=False).fit(text), judge_words)
    for name in ("LastFM",) if quick else ("LastFM", "Toys_and_Games"):
        data = load_sequences(name)
        model = WordVectors(64, threads=THREADS, progress=False).fit(sequences_of(data))
        measure(name, model, lambda model, data=data: {"attributes of neighbours": shared_attributes(model, data)[0]})  # type: ignore[misc]


def common(attributes: dict[int, set[int]], one: int, other: int) -> float:
    """|A ∩ B| / |A ∪ B|."""
    a, b = attributes.get(one, set()), attributes.get(other, set())
    return len(a & b) / max(len(a | b), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("quality", "counting", "weights", "curve", "items", "output"))
    parser.add_argument("--quick", action="store_true", help="less text, into a file of its own")
    parser.add_argument("--only", help="some methods, separated by commas; figures of the others are kept")
    parser.add_argument("--rounds", type=int, default=2, help="how often ours and GloVe run; the best time counts")
    parser.add_argument("--megabytes", type=int, help="text of weights and curve: 20, or 2 for the quick version")
    parser.add_argument(
        "--solver", choices=("als", "adagrad"), default="als", help="of weights; adagrad is the paper's"
    )
    given = parser.parse_args()
    if given.part == "quality":
        quality(given.quick, given.only.split(",") if given.only else None, given.rounds)
    elif given.part in ("weights", "curve"):
        megabytes = given.megabytes or (2 if given.quick else 20)
        if given.part == "curve":
            curve(megabytes, given.quick)
        else:
            weights(megabytes, given.quick, given.solver)
    else:
        {"counting": counting, "items": items, "output": output}[given.part](given.quick)


if __name__ == "__main__":
    main()
