"""Runs in a process of its own, in the interpreter that has the method: one task on text, measured.

    python words_task.py '{"method": "tacit", "text": …, "save": …, "threads": 2, "parameters": {…}}'

Prints one JSON line: wall and processor seconds from text to written vectors, peak memory, and what the task found.
Code is loaded and compiled on a few sentences before the clock starts.
"""

import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.machine import memory


def tacit(text, save, threads, **parameters):
    from tacit import WordVectors

    model = WordVectors(**parameters, threads=threads, progress=False).fit(text)
    model.save_word2vec(save, binary=True)
    return {"sweeps": len(model.history_), "unlabelled_total": float(model.context_weights_.sum())}


def glove(text, save, threads, **parameters):
    from tacit.baselines.glove import GloVe

    model = GloVe(**parameters, threads=threads, progress=False).fit(text)
    model.save_word2vec(save, binary=True)


def gensim(text, save, threads, **parameters):
    importlib.import_module("benchmarks.peers.adapters.gensim_").fit(text, save, threads, **parameters)


def counting(text, save, threads, **parameters):
    from tacit.features import cooccurrence
    from tacit.features import text as texts

    began = time.perf_counter()
    corpus = texts.read(text).most_frequent(5)
    read = time.perf_counter() - began
    counts = cooccurrence.count_pairs(corpus.tokens, len(corpus.ids), threads=threads, **parameters)
    return {
        "reading_seconds": read,
        "counting_seconds": time.perf_counter() - began - read,
        "tokens": len(corpus.tokens),
        "words": len(corpus.ids),
        "pairs": counts.nnz,
    }


def neighbours(text, save, threads, words):
    return importlib.import_module("benchmarks.peers.adapters.gensim_").neighbours(save, words)


METHODS = {task.__name__: task for task in (tacit, glove, gensim, counting, neighbours)}


def warm(method, threads):
    """Compile and import on a few sentences, which the clock does not see."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("one two three four five six seven eight\n" * 50)
        small = {"min_count": 1, "factors": 200} if method != "counting" else {}
        METHODS[method](str(text), str(Path(folder) / "vectors"), threads, **small)


def main():
    task = json.loads(sys.argv[1])
    method, threads = task["method"], task["threads"]
    answers = os.fdopen(os.dup(1), "w")
    # Libraries print; only the answer may reach the caller.
    os.dup2(2, 1)
    if method != "neighbours":
        warm(method, threads)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    found = METHODS[method](task["text"], task["save"], threads, **task["parameters"])
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    answer = {
        "seconds": round(seconds, 2),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
        "peak_mib": round(memory.peak_mib(), 1),
        "found": found,
    }
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
