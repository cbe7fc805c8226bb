"""WordVectors against dense oracles on small texts, and what users rely on."""

import gzip

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import tacit
from tacit.errors import DivergedError, InputError, UnknownIdError
from tacit.solvers.registry import NAMES
from tests import naive

TOPICS = {
    "food": ["bread", "cheese", "soup", "apple"],
    "metal": ["iron", "copper", "zinc", "silver"],
    "colour": ["red", "green", "blue", "yellow"],
}


def sentences(seed=0, lines=300):
    """Lines that each keep to one topic, with filler words in between."""
    rng = np.random.default_rng(seed)
    topics = list(TOPICS)
    made = []
    for _ in range(lines):
        topic = topics[rng.integers(len(topics))]
        words = [*rng.choice(TOPICS[topic], 5), *rng.choice(["the", "of", "and"], 3)]
        made.append([str(word) for word in rng.permutation(words)])
    return made


def make(**options):
    return tacit.WordVectors(**{"factors": 6, "window": 4, "iterations": 20, "progress": False, **options})


@pytest.fixture(scope="module")
def model():
    return make(keep_counts=True).fit(sentences())


def dense_problem(model):
    """Everything the oracle needs, in float64, from the counts that the model kept."""
    counts = model.counts_.toarray().astype(np.float64)
    target = naive.ppmi(counts, model.shift, model.context_smoothing)
    weight = np.minimum(1, (counts / model.weight_ceiling) ** model.weight_exponent)
    positives = np.maximum((target > 0).sum(axis=0), 0.5)
    raised = np.expm1(positives / positives.sum()) ** model.frequency_exponent
    b = model.context_weights_.sum() * raised / raised.sum()
    return target > 0, weight, target, np.ones(len(counts)), b, model.unlabelled_target


def test_counts_are_those_of_the_text(model):
    numbers = [model.words_.numbers(line).tolist() for line in sentences()]
    oracle = naive.cooccurrence(numbers, len(model.words), lambda d: 1 / d, 4)
    np.testing.assert_allclose(model.counts_.toarray(), oracle, rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"unlabelled_target": -0.5, "context_smoothing": 0.75, "shift": 1.5}])
def test_the_objective_is_the_one_of_the_paper(options):
    model = make(keep_counts=True, unlabelled_total=2.0, **options).fit(sentences())
    ridge = np.full(len(model.words), model.regularization)
    value = naive.whole_data_value(
        model.word_factors_.astype(float), model.context_factors_.astype(float), *dense_problem(model), ridge, ridge
    )
    assert model.history_[-1]["objective"] == pytest.approx(value, rel=1e-4)


def test_keeping_the_counts_changes_no_bit():
    """Without them, positives are written over the counts."""
    kept, given_up = make(keep_counts=True).fit(sentences()), make().fit(sentences())
    assert kept.vectors.tobytes() == given_up.vectors.tobytes()
    assert not hasattr(given_up, "counts_")


def test_sweeps_lower_the_objective_and_end_at_the_tolerance(model):
    values = [record["objective"] for record in model.history_]
    assert np.all(np.diff(values) <= 1e-6 * values[0])
    early = make(tolerance=0.05).fit(sentences())
    assert len(early.history_) < 20
    last, before = early.history_[-1]["objective"], early.history_[-2]["objective"]
    assert before - last <= 0.05 * last


@pytest.mark.parametrize("solver", ["adagrad", "newton", "newton_linesearch", "linesearch"])
def test_every_solver_lowers_the_same_objective(model, solver):
    rate = {"learning_rate": 0.1} if solver == "adagrad" else {}
    other = make(solver=solver, iterations=400, tolerance=1e-9, **rate).fit(sentences())
    assert other.history_[-1]["objective"] == pytest.approx(model.history_[-1]["objective"], rel=2e-2)
    assert other.doesnt_match(["bread", "soup", "iron"]) == "iron"


def test_the_plain_gradient_descends_slowly_or_diverges():
    """What Figure 3 of the paper shows: no one rate suits all parameters."""
    slow = make(solver="gradient", learning_rate=1e-3, iterations=50).fit(sentences())
    values = [record["objective"] for record in slow.history_]
    assert np.all(np.diff(values) < 0)
    with pytest.raises(DivergedError, match="learning_rate"):
        make(solver="gradient", learning_rate=100.0, iterations=50).fit(sentences())


def test_unlabelled_weight_per_cell_and_in_total_agree():
    words = len(make(iterations=1).fit(sentences()).words)
    total = make(unlabelled_total=30.0).fit(sentences())
    per_cell = make(unlabelled_weight=30.0 / words).fit(sentences())
    assert total.context_weights_.sum() == pytest.approx(30, rel=1e-5)
    np.testing.assert_allclose(total.context_weights_, per_cell.context_weights_, rtol=1e-6)
    np.testing.assert_allclose(total.vectors, per_cell.vectors, rtol=1e-4, atol=1e-5)


def test_a_small_vocabulary_is_not_drowned_by_unlabelled_pairs(model):
    counts = model.counts_.toarray()
    positive = np.minimum(1, (counts / 100) ** 0.75)[naive.ppmi(counts) > 0]
    assert model.context_weights_.mean() == pytest.approx(positive.mean() / 2, rel=1e-5)
    assert 350 / len(counts) > positive.mean() / 2


def test_neighbours_keep_to_their_topic(model):
    for words in TOPICS.values():
        for word in words:
            assert model.most_similar(word, k=1)[0][0] in words
    assert model.doesnt_match(["bread", "soup", "iron"]) == "iron"
    assert model.similarity("red", "blue") > model.similarity("red", "zinc")
    assert model.similarity("red", "red") == pytest.approx(1)


def test_most_similar_is_the_cosine_of_the_sum_of_unit_vectors(model):
    units = model.vectors / np.linalg.norm(model.vectors, axis=1, keepdims=True)
    at = model.words_.numbers(["bread", "iron", "red"])
    query = units[at[0]] + units[at[1]] - units[at[2]]
    cosines = units @ (query / np.linalg.norm(query))
    cosines[at] = -np.inf
    found = model.most_similar(["bread", "iron"], ["red"], k=4)
    assert [word for word, _ in found] == [model.words[n] for n in np.argsort(-cosines)[:4]]
    np.testing.assert_allclose([score for _, score in found], np.sort(cosines)[::-1][:4], rtol=1e-5)
    assert len(model.most_similar("bread", k=1000)) == len(model.words) - 1


def test_a_vector_asks_as_well_as_a_word(model):
    assert model.most_similar(model["iron"], k=1)[0][0] == "iron"
    with pytest.raises(InputError, match="6 values"):
        model.most_similar(np.zeros(5))


def test_outputs(model):
    for output, expected in (
        ("word", model.word_factors_),
        ("context", model.context_factors_),
        ("sum", model.word_factors_ + model.context_factors_),
    ):
        other = make(output=output).fit(sentences())
        np.testing.assert_array_equal(other.vectors, expected)


def test_analogies_and_similarities_have_both_denominators(model, tmp_path):
    lines = [": gram-metals", "iron copper zinc silver", ": colours", "RED green blue yellow", "red green blue violet"]
    (tmp_path / "questions").write_bytes(gzip.compress("\n".join(lines).encode()))
    scores = model.analogies(tmp_path / "questions")
    assert scores == model.analogies(lines)
    assert (scores.total.known, scores.total.asked, scores.syntactic.asked) == (2, 3, 1)
    assert model.analogies(lines, lowercase=False).total.known == 1
    pairs = ["red\tblue\t9", "red\tiron\t1", "red\tunheard\t5", "soup\tbread\t8", "soup\tzinc\t0"]
    found = model.similarities(pairs)
    assert (found.known, found.asked) == (4, 5)
    assert found.correlation > 0.5


# -- growing -------------------------------------------------------------------------------------------------------


def test_folding_in_solves_the_new_rows_exactly(model):
    """A new word with the counts of a known one gets the minimiser of J for that row and that column."""
    grown = make(keep_counts=True).fit(sentences())
    known = len(model.words)
    twin = model.words_.numbers(["copper"])[0]
    counts = model.counts_.toarray()[twin]
    contexts = {model.words[j]: float(counts[j]) for j in np.flatnonzero(counts)}
    folded = grown.fold_in({"bronze": contexts})
    np.testing.assert_array_equal(folded, grown.vectors[[-1]])
    assert grown.words == [*model.words, "bronze"]
    np.testing.assert_array_equal(grown.vectors[:known], model.vectors)
    Q = model.context_factors_.astype(float)
    mask, weight, target, a, b, t = dense_problem(model)
    expected = naive.best_row(twin, Q, mask, weight, target, a, b, t, np.full(known, model.regularization))
    np.testing.assert_allclose(grown.word_factors_[-1], expected, atol=1e-3)
    assert grown.most_similar("bronze", k=1)[0][0] in TOPICS["metal"]


def test_folding_in_from_text():
    model = make().fit(sentences())
    before = model.vectors.copy()
    new = [["tin", "iron", "the", "zinc"], ["silver", "tin", "copper"], ["tin", "zinc", "tin"], ["once", "red"]]
    assert len(model.fold_in(new, min_count=2)) == 1 and model.words[-1] == "tin"
    np.testing.assert_array_equal(model.vectors[:-1], before)
    assert {word for word, _ in model.most_similar("tin", k=2)} <= set(TOPICS["metal"])
    assert model.fold_in([["iron", "zinc"]]).shape == (0, model.vectors.shape[1])
    with pytest.raises(InputError, match="known already"):
        model.fold_in({"iron": {"zinc": 1.0}})
    with pytest.raises(InputError, match="no contexts"):
        model.fold_in({"lead": {}})
    with pytest.raises(UnknownIdError, match="nowhere"):
        model.fold_in({"lead": {"nowhere": 1.0}})


def test_a_new_word_beside_one_that_had_no_neighbour_is_drawn_to_it():
    """The PMI of such a pair was infinite, and the new vector NaN."""
    model = make(min_count=1).fit([*sentences(), ["alone"]])
    model.fold_in({"new": {"alone": 1.0}})
    assert np.isfinite(model.vectors).all()
    assert model.most_similar(["new"], k=1)[0][0] == "alone"


def test_a_trained_word_folds_back_to_its_factor_once_converged():
    """Leave a word's row out of sight and fold it in again: the factor is the one training ended with."""
    model = make(iterations=200, keep_counts=True).fit(sentences())
    twin = int(model.words_.numbers(["green"])[0])
    counts = model.counts_.toarray()[twin]
    contexts = {model.words[j]: float(counts[j]) for j in np.flatnonzero(counts)}
    trained = model.word_factors_[twin].copy()
    model.fold_in({"GREEN": contexts})
    np.testing.assert_allclose(model.word_factors_[-1], trained, atol=2e-3)


def test_continuing_has_the_counts_of_both_texts():
    first, second = sentences(1), sentences(2) + [["tin", "iron", "zinc", "tin"]] * 5
    model = make(keep_counts=True).partial_fit(first).partial_fit(second)
    whole = make(keep_counts=True).fit(first + second)
    assert sorted(model.words) == sorted(whole.words)
    order = model.words_.numbers(whole.words)
    np.testing.assert_allclose(model.counts_.toarray()[np.ix_(order, order)], whole.counts_.toarray(), rtol=1e-5)
    np.testing.assert_array_equal(model.word_counts_[order], whole.word_counts_)
    # A warm start from the old factors needs fewer sweeps to where a cold one ends.
    assert model.history_[0]["objective"] < whole.history_[0]["objective"]


def test_continuing_needs_the_counts(tmp_path):
    with pytest.raises(InputError, match="keep_counts"):
        make().fit(sentences()).partial_fit(sentences())
    model = make(keep_counts=True).fit(sentences(1))
    model.save(tmp_path / "m.tacit")
    loaded = tacit.load(tmp_path / "m.tacit").partial_fit(sentences(2))
    np.testing.assert_array_equal(loaded.vectors, model.partial_fit(sentences(2)).vectors)


def test_folding_in_then_saving_then_continuing(tmp_path):
    model = make(keep_counts=True, checkpoint=tmp_path / "checkpoint").fit(sentences(1))
    model.fold_in({"tin": {"iron": 2.0, "zinc": 1.0}})
    model.save(tmp_path / "m.tacit")
    loaded = tacit.load(tmp_path / "m.tacit")
    assert loaded.words == model.words
    continued = loaded.partial_fit([["tin", "iron", "zinc", "copper"]] * 20)
    assert continued.counts_.shape == (len(model.words),) * 2
    assert continued.most_similar("tin", k=1)[0][0] in TOPICS["metal"]


# -- files ---------------------------------------------------------------------------------------------------------


def test_word2vec_files_there_and_back(model, tmp_path):
    for binary in (False, True):
        model.save_word2vec(tmp_path / "v", binary)
        other = tacit.WordVectors.from_word2vec(tmp_path / "v")
        np.testing.assert_array_equal(other.vectors, model.vectors)
        assert other.most_similar("iron") == model.most_similar("iron")
    with pytest.raises(InputError, match="without contexts"):
        other.fold_in(sentences())
    other.save(tmp_path / "saved")
    np.testing.assert_array_equal(tacit.load(tmp_path / "saved").vectors, model.vectors)


def test_the_map_shows_the_words_and_keeps_topics_together(model, tmp_path):
    pytest.importorskip("matplotlib")
    words = [word for topic in TOPICS.values() for word in topic]
    figure = model.draw_map(words, tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 1000
    assert [text.get_text() for text in figure.axes[0].texts] == words
    places = np.array([text.xy for text in figure.axes[0].texts]).reshape(3, 4, 2)
    spread = np.linalg.norm(places - places.mean(axis=1, keepdims=True), axis=2).mean()
    assert spread < np.linalg.norm(places.mean(axis=1) - places.mean(axis=(0, 1)), axis=1).mean()
    with pytest.raises(InputError, match="three"):
        model.draw_map(["iron"])
    assert len(model.draw_map(["iron", "zinc", "red"]).axes[0].texts) == 3


def test_items_of_any_kind(tmp_path):
    """Not only words: numbers come back as numbers, also from a file."""
    baskets = [
        [10 * TOPICS[t].index(w) + len(t) for w in line if w in TOPICS[t]] for line in sentences() for t in TOPICS
    ]
    model = make(min_count=1).fit(baskets)
    model.save(tmp_path / "m")
    loaded = tacit.load(tmp_path / "m")
    assert all(type(item) is int for item, _ in loaded.most_similar(model.words[0]))
    assert loaded.most_similar(model.words[0]) == model.most_similar(model.words[0])


def test_rare_items_are_kept_and_rare_words_dropped(tmp_path):
    """Nothing given: ids once, words five times; what is given holds for both."""
    baskets = [[1, 2, 3], [2, 3, 1], [3, 1, 2, 99]] * 2 + [[7, 1]]
    assert set(make().fit(baskets).words) == {1, 2, 3, 7, 99}
    assert set(make().fit([[(n,) for n in basket] for basket in baskets]).words) == {(1,), (2,), (3,), (7,), (99,)}
    assert set(make(min_count=2).fit(baskets).words) == {1, 2, 3, 99}
    words = [["n" + str(n) for n in basket] for basket in baskets]
    for text in (words, [" ".join(line) for line in words]):
        assert set(make().fit(text).words) == {"n1", "n2", "n3"}
        assert set(make(min_count=1).fit(text).words) == {"n1", "n2", "n3", "n7", "n99"}
    grown = make(keep_counts=True).fit(baskets).partial_fit([[5, 1, 2]])
    assert 5 in grown.words
    grown.save(tmp_path / "m")
    assert tacit.load(tmp_path / "m").min_count is None


def test_neighbours_of_artists_share_attributes(shared_data):
    """Real listening sequences: an artist's neighbours have more in common with it than artists at random."""
    from tacit.data.loaders.sequences import load_sequences

    data = load_sequences("LastFM")
    sequences = data.events.sort("user", "position").group_by("user", maintain_order=True).agg("item")["item"]
    model = make(factors=16, window=8, min_count=20, iterations=5).fit(sequences.to_list())
    of_item = {item: set(values) for item, values in data.attributes.group_by("item").agg("attribute").iter_rows()}

    def common(one, other):
        a, b = of_item.get(one, set()), of_item.get(other, set())
        return len(a & b) / max(len(a | b), 1)

    near = [common(item, other) for item in model.words for other, _ in model.most_similar(item, k=3)]
    pairs = np.random.default_rng(0).choice(model.words, (3000, 2)).tolist()
    assert np.mean(near) > 2 * np.mean([common(*pair) for pair in pairs])


# -- conventions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"factors": 0}, "factors"),
        ({"iterations": 0}, "iterations"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"min_count": 0}, "min_count"),
        ({"max_words": 1}, "max_words"),
        ({"window": 0}, "window"),
        ({"weighting": "x"}, "weighting"),
        ({"side": "x"}, "side"),
        ({"solver": "x"}, "solver"),
        ({"output": "x"}, "output"),
        ({"tolerance": -1}, "tolerance"),
        ({"regularization": 0}, "regularization"),
        ({"unlabelled_total": -1}, "unlabelled_total"),
        ({"unlabelled_weight": float("nan")}, "unlabelled_weight"),
        ({"unlabelled_target": float("inf")}, "unlabelled_target"),
        ({"unlabelled_total": 1, "unlabelled_weight": 1}, "twice"),
        ({"shift": 0}, "shift"),
        ({"context_smoothing": 2}, "context_smoothing"),
        ({"weight_ceiling": 0}, "weight_ceiling"),
        ({"memory": -1}, "memory"),
    ],
)
def test_bad_parameters_are_named(options, name):
    with pytest.raises(InputError, match=name):
        make(**options).fit(sentences(lines=30))


def test_too_little_text_says_what_to_do():
    with pytest.raises(InputError, match="min_count"):
        make().fit(["one two three"])
    with pytest.raises(InputError, match="chance"):
        make(min_count=1, window=1).fit([["a"], ["b"]])


def test_unknown_words_are_named(model):
    with pytest.raises(UnknownIdError, match="unheard"):
        model.most_similar("unheard")
    with pytest.raises(InputError, match="at least one word"):
        model.most_similar([])
    with pytest.raises(InputError, match="two words"):
        model.doesnt_match(["iron"])
    assert "iron" in model
    assert "unheard" not in model
    with pytest.raises(NotFittedError):
        make().most_similar("iron")


@pytest.mark.parametrize("solver", NAMES)
def test_a_checkpoint_resumes_to_the_same_bits(tmp_path, solver):
    path = tmp_path / "checkpoint"
    given = {"solver": solver} | ({"learning_rate": 1e-4} if solver == "gradient" else {})
    make(**given, iterations=7, checkpoint=path).fit(sentences())
    resumed = make(**given, checkpoint=path).fit(sentences())
    assert len(resumed.history_) == 20
    np.testing.assert_array_equal(resumed.vectors, make(**given).fit(sentences()).vectors)
    with pytest.raises(InputError, match="checkpoint"):
        make(**given, checkpoint=path, shift=2.0).fit(sentences())


def test_the_same_bits_at_any_number_of_threads(model):
    other = make(threads=3).fit(sentences())
    np.testing.assert_array_equal(other.word_factors_, model.word_factors_)
    np.testing.assert_array_equal(other.context_factors_, model.context_factors_)
