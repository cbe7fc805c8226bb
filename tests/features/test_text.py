"""Reading text: whatever the source, the numbers stand for the same words in the same sentences."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.features import corpus as corpus_parts
from tacit.features import text

LINES = ["the cat sat on the mat", "", "the dog  ate\tthe cat", "a"]


def sentences_of(corpus):
    """Back from numbers to lists of words."""
    words = corpus.ids.all().tolist()
    found, current = [], []
    for token in corpus.tokens.tolist():
        if token < 0:
            found.append(current)
            current = []
        else:
            current.append(words[token])
    return [*found, current]


EXPECTED = [line.split() for line in LINES if line]


def write(path, content, opener=open):
    with opener(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("opener", [open, gzip.open, bz2.open, lzma.open])
def test_files_plain_and_compressed(tmp_path, opener):
    path = write(tmp_path / "text", "\n".join(LINES), opener)
    assert sentences_of(text.read(path).most_frequent(1)) == EXPECTED
    assert sentences_of(text.read(str(path)).most_frequent(1)) == EXPECTED


def test_strings_token_lists_and_generators_agree():
    for source in (LINES, (line for line in LINES), [line.split() for line in LINES], (line.split() for line in LINES)):
        assert sentences_of(text.read(source).most_frequent(1)) == EXPECTED


def test_a_string_with_line_ends_is_one_sentence():
    assert sentences_of(text.read(["one\ntwo", "three"]).most_frequent(1)) == [["one", "two"], ["three"]]


def test_many_files_a_folder_and_a_pattern(tmp_path):
    paths = [write(tmp_path / f"{k}.txt", f"file {k}\nx") for k in range(3)]
    expected = [part for k in range(3) for part in (["file", str(k)], ["x"])]
    for source in (paths, map(str, paths), tmp_path, str(tmp_path / "*.txt")):
        assert sentences_of(text.read(source).most_frequent(1)) == expected
    whole = [["file", str(k), "x"] for k in range(3)]
    assert sentences_of(text.read(paths, sentences="files").most_frequent(1)) == whole
    assert sentences_of(text.read(paths, sentences="files", tokenizer=str.split).most_frequent(1)) == whole


def test_words_are_numbered_by_frequency_then_by_first_occurrence():
    corpus = text.read(["b a c a d d"]).most_frequent(1)
    assert corpus.ids.all().tolist() == ["a", "d", "b", "c"]
    assert corpus.counts.tolist() == [2, 2, 1, 1]


def test_rare_words_leave_no_gap_and_no_empty_sentence():
    corpus = text.read(["a rare a", "only", "a b", "b"]).most_frequent(2)
    assert sentences_of(corpus) == [["a", "a"], ["a", "b"], ["b"]]
    assert text.read(["a a b b c"]).most_frequent(1, max_words=2).ids.all().tolist() == ["a", "b"]


def test_known_words_keep_their_numbers_and_new_ones_follow():
    known = Ids(["z", "cat", "the"], "words")
    corpus = text.read(LINES).known_to(known, min_count=1)
    assert corpus.ids.all().tolist()[:3] == ["z", "cat", "the"]
    assert sentences_of(corpus) == EXPECTED
    assert corpus.counts[:3].tolist() == [0, 2, 4]
    closed = text.read(LINES).known_to(known)
    assert closed.ids is known
    assert sentences_of(closed) == [["the", "cat", "the"], ["the", "the", "cat"]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Don't SHOUT, it's 3 o'clock!", ["don", "t", "shout", "it", "s", "3", "o", "clock"]),
        ("Größe — Ärger; snake_case", ["größe", "ärger", "snake_case"]),
        ("हिन्दी शब्द।", ["हिन्दी", "शब्द"]),
    ],
)
def test_tokenizer_words(tmp_path, line, words):
    path = write(tmp_path / "text", line)
    assert sentences_of(text.read(path, tokenizer="words").most_frequent(1)) == [words]


def test_a_function_as_tokenizer_may_return_anything_hashable(tmp_path):
    path = write(tmp_path / "text", "ab\nba\n")
    corpus = text.read(path, tokenizer=lambda line: [(letter, 1) for letter in line]).most_frequent(1)
    assert sentences_of(corpus) == [[("a", 1), ("b", 1)], [("b", 1), ("a", 1)]]


def test_numbers_as_tokens():
    corpus = text.read([np.array([7, 7, 9]), np.array([9, 7])]).most_frequent(1)
    assert corpus.ids.all().tolist() == [7, 9]
    assert corpus.ids.is_numeric
    assert corpus.tokens.tolist() == [0, 0, 1, -1, 1, 0]


word = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=4)


@given(st.lists(st.lists(word, max_size=6), max_size=8), st.integers(1, 40))
def test_blocks_of_any_size_give_the_same_numbers(tmp_path_factory, lines, block):
    """Cutting the file anywhere, even inside a letter of several bytes or between \\r and \\n, changes nothing."""
    path = tmp_path_factory.mktemp("text") / "text"
    write(path, "\r\n".join("  ".join(line) for line in lines))
    before, text._BLOCK = text._BLOCK, block
    try:
        cut = text.read(path).most_frequent(1)
    finally:
        text._BLOCK = before
    expected = [line for line in lines if line]
    assert sentences_of(cut) == (expected or [[]])


def test_many_distinct_words_make_the_table_grow(tmp_path):
    words = [f"w{k}" for k in range(30_000)]
    path = write(tmp_path / "text", " ".join(words * 2))
    before, text._BLOCK = text._BLOCK, 5000
    try:
        corpus = text.read(path).most_frequent(2)
    finally:
        text._BLOCK = before
    assert corpus.ids.all().tolist() == words
    np.testing.assert_array_equal(corpus.tokens, np.tile(np.arange(30_000), 2))


@pytest.mark.parametrize(
    ("source", "options", "names"),
    [
        ("/no/such/file", {}, "/no/such/file"),
        (5, {}, "int"),
        (b"bytes", {}, "bytes"),
        (["a b"], {"tokenizer": "letters"}, "tokenizer"),
        (["a b"], {"sentences": "pages"}, "sentences"),
        (["a b", ["c"]], {}, "list"),
        ([["c"], "a b"], {}, "str"),
        ([[["c"]]], {}, "flat"),
        ([1, 2], {}, "int"),
    ],
)
def test_bad_input_is_one_sentence(source, options, names):
    with pytest.raises(InputError, match=names):
        text.read(source, **options)


def test_foreign_bytes_are_named(tmp_path):
    path = write(tmp_path / "text", b"fine \xff\xfe bad")
    with pytest.raises(InputError, match="UTF-8"):
        text.read(path).most_frequent(1)
    with pytest.raises(InputError, match="UTF-8"):
        text.read(path, tokenizer="words")
    with pytest.raises(InputError, match="UTF-8"):
        text.read(path, tokenizer=str.split)
    with pytest.raises(InputError, match="damaged"):
        text.read(write(tmp_path / "packed", b"\x28\xb5\x2f\xfd rest"))


def test_real_text_has_the_published_numbers(shared_data):
    raw = text.read(shared_data / "enwiki-text8style" / "enwiki-head-100MB.txt.xz")
    assert len(raw.counts) == 219_491
    assert raw.counts.sum() == 16_941_445
    assert (raw.counts >= 5).sum() == 67_867


@given(
    st.lists(st.sampled_from(["a", "bb", "ß", "Word,", " ", "\n", "\t", "\n\n"]), max_size=40),
    st.integers(1, 9),
    st.integers(1, 3),
    st.sampled_from(["lines", "files"]),
    st.sampled_from(["split", "words"]),
)
def test_pieces_of_files_are_the_whole(tmp_path_factory, signs, size, least, sentences, tokenizer):
    """Numbered by themselves and renumbered by the words of all, pieces give the text that is read at once."""
    path = write(tmp_path_factory.getbasetemp() / "pieces", "".join(signs))
    how = {"tokenizer": tokenizer, "sentences": sentences}
    whole = text.read([path, path], **how).most_frequent(least)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "PIECE", size)
        raw = [text.read_piece(*piece, **how) for piece in text.pieces_of([path, path])]
    vocabulary = corpus_parts.Vocabulary()
    local = [vocabulary.add(one.names(), one.counts) for one in raw]
    ids, counts, numbers = vocabulary.most_frequent(least, None)
    assert ids == whole.ids and counts.tolist() == whole.counts.tolist()
    tokens = [corpus_parts.renumbered(one.tokens, numbers[own]) for one, own in zip(raw, local)]
    joined = corpus_parts.Joined.of([corpus_parts.ends_of(one) for one in tokens])
    found = np.concatenate([one[skip:] for one, skip in zip(tokens, joined.skips)])[: len(joined)]
    assert found.tolist() == whole.tokens.tolist()
