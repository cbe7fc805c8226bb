"""Words: vectors from text, evaluated by the share of analogies that they answer.

The head of the English Wikipedia after the rules of text8, 200 dimensions, window 8, words seen five times; skip-gram
with 10 negatives and 5 epochs, GloVe with 25 iterations. Answering is the ten neighbours of the 1,000 most frequent
words, by each library's own call, one word after the other. 20 and 100 MB are those of ``words.py quality``, taken
from there.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Data, Method, save

SIZES = ("5 MB", "20 MB", "100 MB")
MEASURES = {"analogies": True, "semantic": True, "syntactic": True, "WordSim-353": True}
ELSEWHERE = {"20 MB": "words-quick", "100 MB": "words"}
"""Sizes whose figures are in the results files of ``words.py``."""
NAMES = {
    "tacit": "Tacit WordVectors",
    "gensim skip-gram": "gensim skip-gram",
    "gensim CBOW": "gensim CBOW",
    "GloVe": "GloVe (tacit.baselines)",
}
QUERIES = 1000


def prepare(size: str, folder: Path) -> dict[str, Any]:
    from benchmarks.papers.words import write_text

    text = write_text(folder, int(size.split()[0]))
    few = folder / "few.txt"
    few.write_text("one two three four five six seven eight\n" * 50)
    save(folder, "main", text=str(text), min_count=5)
    save(folder, "small", text=str(few), min_count=1)
    return {"bytes": text.stat().st_size}


def evaluate(data: Data, answers: np.ndarray) -> dict[str, float]:
    from benchmarks.papers.words import scores
    from tacit import WordVectors

    return shares(scores(WordVectors.from_word2vec(data["folder"] / "vectors.bin")))


def shares(found: dict[str, Any]) -> dict[str, float]:
    """Of the questions whose words are all known, the share answered; and the correlation with people."""
    parts = {"analogies": "total", "semantic": "semantic", "syntactic": "syntactic"}
    answered = {name: found[part]["of_known"] for name, part in parts.items()}
    return answered | {"WordSim-353": found["wordsim353"]["correlation"]}


def elsewhere(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Method → what ``words.py quality`` measured, in the terms used here."""
    return {
        NAMES[name]: {
            "measures": shares(row),
            "fit_seconds": row["seconds"],
            "fit_processor_seconds": row["processor_seconds"],
            "predict_seconds": None,
            "peak_mib": row["peak_mib"],
            "parameters": row["parameters"],
            "taken_from": row.get("command", record["command"]),
        }
        for name, row in record["figures"]["methods"].items()
        if name in NAMES
    }


def fit_ours(data: Data, threads: int) -> Any:
    from tacit import WordVectors

    model = WordVectors(200, min_count=int(data["min_count"]), threads=threads, progress=False).fit(str(data["text"]))
    model.save_word2vec(data["folder"] / "vectors.bin", binary=True)
    return model


def fit_glove(data: Data, threads: int, **point: Any) -> Any:
    from tacit import WordVectors
    from tacit.baselines.glove import GloVe

    model = GloVe(200, min_count=int(data["min_count"]), threads=threads, progress=False, **point).fit(
        str(data["text"])
    )
    model.save_word2vec(data["folder"] / "vectors.bin", binary=True)
    return WordVectors.from_word2vec(data["folder"] / "vectors.bin")


def neighbours_ours(model: Any, data: Data, threads: int) -> np.ndarray:
    return np.array([[word for word, _ in model.most_similar(one, k=10)] for one in model.words[:QUERIES]])


def fit_gensim(data: Data, threads: int, **point: Any) -> Any:
    from gensim.models import Word2Vec

    model = Word2Vec(
        corpus_file=str(data["text"]),
        vector_size=200,
        window=8,
        min_count=int(data["min_count"]),
        epochs=5,
        workers=threads,
        seed=0,
        **point,
    )
    model.wv.save_word2vec_format(str(data["folder"] / "vectors.bin"), binary=True)
    return model.wv


def neighbours_gensim(model: Any, data: Data, threads: int) -> np.ndarray:
    return np.array([[word for word, _ in model.most_similar(one, topn=10)] for one in model.index_to_key[:QUERIES]])


METHODS = {
    "Tacit WordVectors": Method(fit_ours, neighbours_ours, "tacit"),
    "gensim skip-gram": Method(fit_gensim, neighbours_gensim, "gensim", ({"sg": 1, "negative": 10},)),
    "gensim CBOW": Method(fit_gensim, neighbours_gensim, "gensim", ({"sg": 0, "negative": 10},)),
    "GloVe (tacit.baselines)": Method(
        fit_glove, neighbours_ours, "tacit", ({"iterations": 25, "weight_ceiling": 10.0},)
    ),
}
