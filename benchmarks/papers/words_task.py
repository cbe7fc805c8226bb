"""Runs in a process of its own, in the interpreter that has the method: one task on text, measured.

Code is loaded and compiled on a few sentences before the clock starts.
"""

import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.processes import peak_mib


def tacit(text, save, threads, **parameters):
    from tacit import WordVectors

    model = WordVectors(**parameters, threads=threads, progress=False).fit(text)
    model.save_word2vec(save, binary=True)
    return {"sweeps": len(model.history_), "unlabelled_total": float(model.context_weights_.sum())}


def glove(text, save, threads, **parameters):
    from tacit.baselines.glove import GloVe

    model = GloVe(**parameters, threads=threads, progress=False).fit(text)
    model.save_word2vec(save, binary=True)


def gensim(text, save, threads, *, skip_gram=True, negative=10, epochs=5, factors=200, window=8, min_count=5, seed=0):
    """Skip-gram or CBOW with negative sampling, reading the text from a file in gensim's fastest way."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        corpus_file=text,
        vector_size=factors,
        window=window,
        min_count=min_count,
        sg=int(skip_gram),
        negative=negative,
        epochs=epochs,
        workers=threads,
        seed=seed,
    )
    model.wv.save_word2vec_format(save, binary=True)


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


def neighbours(text, save, threads, words, k=10):
    """What gensim makes of a word2vec file, whoever wrote it: the nearest words and their cosines."""
    from gensim.models import KeyedVectors

    loaded = KeyedVectors.load_word2vec_format(save, binary=True)
    return {word: loaded.most_similar(word, topn=k) for word in words}


METHODS = {task.__name__: task for task in (tacit, glove, gensim, counting, neighbours)}


def warm(method, threads):
    """Compile and import on a few sentences, which the clock does not see."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("one two three four five six seven eight\n" * 50)
        small = {"min_count": 1, "factors": 200} if method != "counting" else {}
        METHODS[method](str(text), str(Path(folder) / "vectors"), threads, **small)


def run(method, text, save, threads, parameters):
    """Wall and processor seconds from text to written vectors, peak memory, and what the task found."""
    if method != "neighbours":
        warm(method, threads)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    found = METHODS[method](text, save, threads, **parameters)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
        "peak_mib": round(peak_mib(), 1),
        "found": found,
    }
