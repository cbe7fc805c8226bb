"""word2vec files: values survive to the bit; files of other programs are read; damaged ones are named."""

import gzip

import numpy as np
import pytest

from tacit.data import word2vec_format
from tacit.data.word2vec_format import read_word2vec, write_word2vec
from tacit.errors import InputError

WORDS = ["the", "naïve", "日本", '"quoted', "1,5", "null", "3"]


@pytest.fixture
def vectors(rng):
    scales = 10.0 ** rng.integers(-30, 30, (len(WORDS), 5))
    return (rng.normal(size=(len(WORDS), 5)) * scales).astype(np.float32)


@pytest.mark.parametrize(("name", "binary"), [("v.txt", False), ("v.txt.gz", False), ("v.bin", True)])
def test_there_and_back(tmp_path, vectors, name, binary):
    write_word2vec(tmp_path / name, WORDS, vectors, binary)
    for asked in (None, binary):
        words, found = read_word2vec(tmp_path / name, asked)
        assert words == WORDS
        np.testing.assert_array_equal(found, vectors)
        assert found.dtype == np.float32


def test_text_is_readable_by_anyone(tmp_path, vectors):
    write_word2vec(tmp_path / "v.txt", WORDS, vectors)
    header, *lines = (tmp_path / "v.txt").read_text(encoding="utf-8").splitlines()
    assert header == "7 5"
    for line, word, vector in zip(lines, WORDS, vectors, strict=True):
        first, *values = line.split(" ")
        assert first == word
        np.testing.assert_array_equal(np.array(list(map(float, values)), np.float32), vector)


def test_files_of_the_first_word2vec_and_of_glove(tmp_path):
    (tmp_path / "c.txt").write_text("2 3\nthe 1 2 3 \nof -1 0.5 2e-3 \n")
    (tmp_path / "glove.txt").write_text("the 1 2 3\nof -1 0.5 2e-3\n")
    values = np.array([[1, 2, 3], [-1, 0.5, 2e-3]], np.float32)
    (tmp_path / "c.bin").write_bytes(
        b"2 3\n" + b"".join(w + b" " + v.tobytes() + b"\n" for w, v in zip([b"the", b"of"], values))
    )
    for name in ("c.txt", "glove.txt", "c.bin"):
        words, found = read_word2vec(tmp_path / name)
        assert words == ["the", "of"]
        np.testing.assert_array_equal(found, values)


def test_damaged_files_are_named(tmp_path, vectors):
    write_word2vec(tmp_path / "v.bin", WORDS, vectors, binary=True)
    write_word2vec(tmp_path / "v.txt", WORDS, vectors)
    for name in ("v.bin", "v.txt"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[:-25])
        with pytest.raises(InputError, match="cut short"):
            read_word2vec(tmp_path / name, binary=name == "v.bin")
    (tmp_path / "x").write_text("just a sentence\nand more of it here\n")
    with pytest.raises(InputError, match="x"):
        read_word2vec(tmp_path / "x")
    with gzip.open(tmp_path / "empty.gz", "wb"):
        pass
    with pytest.raises(InputError, match="no vectors"):
        read_word2vec(tmp_path / "empty.gz")
    with pytest.raises(InputError, match="no file"):
        read_word2vec(tmp_path / "nowhere")


def test_words_with_white_space_are_refused(tmp_path):
    for bad in ("New York", "", "tab\t"):
        with pytest.raises(InputError, match="white space"):
            write_word2vec(tmp_path / "v", ["fine", bad], np.zeros((2, 2), np.float32))


def binary(words, dimensions, *vectors):
    return f"{words} {dimensions}\n".encode() + b"".join(w + b" " + np.array(v, "<f4").tobytes() for w, v in vectors)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"99999999999 300\nword " + b"\0" * 1200, "cut short"),
        (b"2 99999999\nword " + b"\0" * 1200, "cannot be"),
        (b"2 0\na\nb\n", "cannot be"),
        (b"0 3\n", "cannot be"),
        (b"9" * 5000 + b" 3\nword 1 2 3\n", "line 2 of .*, for 'word', has 3 values instead of 1; copy or make it"),
        (
            b"2 3\na 1 2 3\nb 1 2\n",
            "line 3 of .*, for 'b', has 2 values instead of 3; the file is cut short there: copy",
        ),
        (b"a 1 2 3\nb 1 2.x 3\nc 1 2 3\n", "line 2 of .*, for 'b', has '2.x' where a number should be; copy or make"),
        (b"3 2\na 1 2\nb 1 2\n", "is cut short: its first line announces 3 words, and 2 are there; copy it again"),
        (b"2 3\na 1 2\nb 1 2\n", "cut short: its first line announces 2 words of 3 values"),
        (b"2 2\na 1 2\nb nan 2\n", "not finite, first for word 2"),
        (b"1 2\na 1 inf\n", "not finite"),
        (b"a 1 2\nb 1 inf\n", "not finite, first for word 2"),
        (binary(2, 3, (b"a", [1, 2, 3]), (b"b", [1, np.nan, 3])), "not finite, first for word 2"),
        (binary(3, 3, (b"a", [1, 2, 3]), (b"b", [1, 2, 3])), "cut short"),
        (b"\x1f\x8b" + b"\0" * 20, "could not be decompressed"),
        (b"", "is empty"),
    ],
)
def test_files_of_strangers_are_refused_in_one_sentence(tmp_path, content, sentence):
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_word2vec(tmp_path / "vectors")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, name, monkeypatch):
    path = tmp_path / name
    write_word2vec(path, ["a"], np.ones((1, 2), np.float32))
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(word2vec_format, "_write_text", fail)
    with pytest.raises(InputError, match="No space left"):
        write_word2vec(path, ["b"], np.ones((1, 2), np.float32))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
