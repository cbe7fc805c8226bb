"""``WordVectors`` on a cluster: texts are read, pairs counted and factorised where they are.

1. pieces     every piece of a file is numbered by itself; this process sees words and how often each occurs
2. tokens     pieces renumbered by the vocabulary of the whole text
3. counts     a group of words at a time, from the tokens of a run, which every worker fetches: 4 bytes a token
4. positives  totals, then PPMI and weights of each group's pairs; shards of words, and shards of contexts
5. sweeps     as for a recommender
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.cluster import pairs, sweeps
from tacit.cluster.layout import pieces_of_side
from tacit.cluster.sweeps import Rows, Sweeps
from tacit.cluster.training import file_fingerprint, from_array, train
from tacit.cluster.workers import Tasks, pick
from tacit.data.ids import Ids
from tacit.errors import UnsoundCombinationError
from tacit.estimators.words import word_fit
from tacit.estimators.words.word_folding import Trained
from tacit.estimators.words.word_vectors import WordVectors
from tacit.features import corpus, text
from tacit.features.cooccurrence import distance_weights, runs_of
from tacit.objective import recipes
from tacit.objective.losses import LOSSES
from tacit.solvers import als

Array = NDArray[Any]
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

GROUPS_PER_WORKER = 2
READING = ("window", "weighting", "side", "min_count", "max_words", "tokenizer", "sentences", "memory")
"""Parameters that shape the counts."""


def fit(tasks: Tasks, model: WordVectors, source: Paths) -> WordVectors:
    """Fit the model on the workers."""
    settings = model.settings()
    _require_simple(model)
    given = text.pieces_of(source)
    ids, frequencies, tokens = _numbered(tasks, model, given)
    v = len(ids)
    groups = threads.balanced_chunks(
        np.concatenate(([0], np.cumsum(frequencies))), most=GROUPS_PER_WORKER * tasks.workers
    )
    counts = _counted(tasks, model, tokens, v, groups)
    totals = _totals(tasks, counts, v)
    row_logs, col_logs = (tasks(np.asarray, logs) for logs in settings.positives.logs(*totals))
    counted = [
        tasks(pairs.positives_of, one, start, settings.positives, row_logs, col_logs, place=i / len(groups))
        for i, (one, (start, _)) in enumerate(zip(counts, groups))
    ]
    facts = tasks.spread(pairs.facts_of, counted, v)
    of_words, masses = (np.concatenate(tasks.results([tasks(pick, one, k) for one in facts])) for k in (0, 2))
    of_contexts: Array = np.sum(tasks.results([tasks(pick, one, 1) for one in facts]), axis=0)
    del counts
    if not of_words.any():
        raise word_fit.nothing_to_learn()
    weights = settings.weights
    rule = recipes.context_rule(
        of_contexts, masses, weights.unlabelled_weight, weights.unlabelled_total, weights.frequency_exponent
    )
    recipe = recipes.word_recipe(rule, weights.unlabelled_target, weights.regularization)
    problem, starts = _problem(tasks, counted, groups, (of_words, of_contexts), recipe, settings.factors)
    drawn = word_fit.starts(v, settings.factors, settings.seed)
    first = from_array(tasks, drawn[0], starts[0]), from_array(tasks, drawn[1], starts[1])
    mark = ""
    if settings.run.checkpoint is not None:
        shaping = settings.shaping() | {name: getattr(model, name) for name in READING}
        mark = file_fingerprint(shaping, sorted({path for path, _, _ in given}))
    of_rows, of_cols, history = train(problem, first, starts, settings.run, mark, label="word vectors")
    words, contexts = (tasks(sweeps.assembled, side.shards).result() for side in (of_rows, of_cols))
    return model.adopt(
        ids, frequencies, Trained(words, contexts, *totals, problem.cols.weight.result(), recipe.cols.weight), history
    )


def _require_simple(model: WordVectors) -> None:
    """Refuse what does not lie in shards, and say what it is."""
    asked = {
        f"solver={model.solver!r}": model.solver != "als",
        "tokenizer: a function": callable(model.tokenizer),
        "keep_counts=True": model.keep_counts,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise UnsoundCombinationError(
                f"{what} does not run on a cluster, which takes solver='als', a tokenizer by name and keeps no counts; "
                "leave it out, or fit in one process."
            )


def _numbered(
    tasks: Tasks, model: WordVectors, given: list[tuple[str, int, int | None]]
) -> tuple[Ids, Array, "Tokens"]:
    """The vocabulary, how often each word occurs, and the tokens of the text."""
    raw = [tasks(numbered, *piece, model.tokenizer, model.sentences) for piece in given]
    vocabulary = corpus.Vocabulary()
    local = [vocabulary.add(*words.result()) for words in [tasks(pick, one, 0) for one in raw]]
    least = corpus.LEAST_IN_TEXT if model.min_count is None else model.min_count
    ids, frequencies, numbers = vocabulary.most_frequent(least, model.max_words)
    word_fit.require_two(ids, least)
    pieces = [tasks(renumbered, one, numbers[own]) for one, own in zip(raw, local)]
    joined = corpus.Joined.of(tasks.results([tasks(corpus.ends_of, piece) for piece in pieces]))
    return ids, frequencies, Tokens(pieces, joined)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: futures of its pieces, and how they are joined."""

    pieces: list[Any]
    joined: corpus.Joined

    def between(self, tasks: Tasks, first: int, last: int) -> Any:
        """The future of tokens first..last-1."""
        starts = self.joined.starts
        a, b = np.searchsorted(starts, first, side="right") - 1, np.searchsorted(starts, last)
        here = int(starts[a])
        return tasks(pairs.tokens_between, self.pieces[a:b], self.joined.skips[a:b], first - here, last - here)


def _counted(tasks: Tasks, model: WordVectors, tokens: Tokens, words: int, groups: list[tuple[int, int]]) -> list[Any]:
    """Futures of the counts of every group of words."""
    weights = distance_weights(model.window, model.weighting)
    counts: list[Any] = [None] * len(groups)
    for first, last in runs_of(len(tokens.joined), model.window, model.memory):
        low = max(first - model.window, 0)
        around = tokens.between(tasks, low, min(last + model.window, len(tokens.joined)))
        core = first - low, last - low
        counts = [
            tasks(pairs.counted, around, core, words, *group, weights, model.side, before, place=i / len(groups))
            for i, (group, before) in enumerate(zip(groups, counts))
        ]
    return counts


def _totals(tasks: Tasks, counts: list[Any], words: int) -> tuple[Array, Array]:
    """Totals of words and of contexts; those of the contexts go from group to group, in order."""
    own, contexts = [], tasks(np.zeros, words)
    for i, one in enumerate(counts):
        both = tasks(pairs.masses_with, one, contexts, place=i / len(counts))
        own.append(tasks(pick, both, 0))
        contexts = tasks(pick, both, 1)
    return np.concatenate(tasks.results(own)), contexts.result()


def _problem(
    tasks: Tasks, counted: list[Any], groups: list[tuple[int, int]], counts: tuple[Array, Array],
    recipe: recipes.Recipe, factors: int,
) -> tuple[Sweeps, tuple[Array, Array]]:  # fmt: skip
    """The objective of every shard, and where the shards of words and of contexts begin."""
    cut = [pieces_of_side(of_side, factors, tasks.threads) for of_side in counts]
    starts = [np.array([piece[0] for piece in side] + [side[-1][1]]) for side in cut]
    begins = np.array([start for start, _ in groups] + [len(counts[0])])
    rows = []
    for i, (start, stop, _) in enumerate(cut[0]):
        first, last = np.searchsorted(begins, start, side="right") - 1, np.searchsorted(begins, stop)
        rows.append(tasks(pairs.rows_between, start, stop, counted[first:last], place=i / len(cut[0])))
    moved = tasks.spread(pairs.by_contexts, rows, starts[1])
    cols = [
        tasks(pairs.cols_between, start, stop, [tasks(pick, one, i) for one in moved], place=i / len(cut[1]))
        for i, (start, stop, _) in enumerate(cut[1])
    ]
    tasks.wait(cols)
    sides = []
    for shards, side, rule in ((rows, cut[0], recipe.rows), (cols, cut[1], recipe.cols)):
        parts = [
            tasks(pairs.side_of, shard, borders, rule, recipe.unlabelled_target, place=i / len(side))
            for i, (shard, (_, _, borders)) in enumerate(zip(shards, side))
        ]
        weight = tasks(sweeps.concatenated, [tasks(sweeps.own_weight, part) for part in parts])
        sides.append(Rows(parts, tasks.consecutive(len(parts)), weight, int(side[-1][1])))
    solver, loss = als.AlternatingLeastSquares(), LOSSES["square"]
    problem = Sweeps(tasks, sides[0], sides[1], solver, loss, factors, recipe.unlabelled_target)
    return problem, (starts[0], starts[1])


# -- tasks -----------------------------------------------------------------------------------------------------


def numbered(
    path: str, begin: int, end: int | None, tokenizer: text.Tokenizer, sentences: text.Sentences
) -> tuple[tuple[list[Any], Array], Array]:
    """Words and counts of a piece, and its tokens in the piece's own numbers."""
    raw = text.read_piece(path, begin, end, tokenizer=tokenizer, sentences=sentences)
    return (raw.names(), raw.counts), raw.tokens


def renumbered(raw: tuple[Any, Array], numbers: Array) -> Array:
    """Tokens of a piece in the numbers of the text."""
    return corpus.renumbered(raw[1], numbers)
