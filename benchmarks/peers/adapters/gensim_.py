"""gensim: skip-gram and CBOW with negative sampling, reading the text from a file in its fastest way."""

import gensim
from gensim.models import KeyedVectors, Word2Vec

VERSION = gensim.__version__


def fit(text, save, threads, *, skip_gram=True, negative=10, epochs=5, factors=200, window=8, min_count=5, seed=0):
    """Train on a file of lines of at most 10,000 words and write the vectors in word2vec's binary format."""
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


def neighbours(vectors, words, k=10):
    """What gensim makes of a word2vec file, whoever wrote it: the nearest words and their cosines."""
    loaded = KeyedVectors.load_word2vec_format(vectors, binary=True)
    return {word: loaded.most_similar(word, topn=k) for word in words}
