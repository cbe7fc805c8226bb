"""XMC text, SVMlight and ARFF: what is written is read, what is broken is said."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import dump_svmlight_file

from tacit.data import read_svmlight, read_xmc
from tacit.data.arff import parse_arff
from tacit.errors import InputError
from tests.strategies import sparse_matrices


def xmc_text(X, Y):
    """The layout, written the obvious way."""
    lines = [f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}"]
    for x, y in zip(X, Y):
        labels = ",".join(str(k) for k in np.flatnonzero(y))
        lines.append(f"{labels} " + " ".join(f"{k}:{x[k]:g}" for k in np.flatnonzero(x)))
    return "\n".join(lines) + "\n"


@given(X=sparse_matrices(), Y=sparse_matrices())
def test_xmc_comes_back(tmp_path_factory, X, Y):
    rows = min(X.shape[0], Y.shape[0])
    X, Y = X.toarray()[:rows], Y.toarray()[:rows] > 0
    path = tmp_path_factory.mktemp("xmc") / "toy.txt"
    path.write_text(xmc_text(X, Y))
    read = read_xmc(path)
    np.testing.assert_array_equal(read[0].toarray(), X)
    np.testing.assert_array_equal(read[1].toarray(), Y)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2 3:4\n", "its first line should be 'rows features labels'"),
        ("3 2 2\n0 1:1\n", "announces 3 rows but has 1; is it cut short"),
        ("1 2 2\n5 1:1\n", "the number 5 does not fit 2"),
        ("1 2 2\n0 9:1\n", "the number 9 does not fit 2"),
        ("1 2 2\n0 1.5:1\n", "the number 1.5 does not fit 2"),
        ("1 2 2\n1e999 1:1\n", "the number inf does not fit 2"),
        (f"1 {2**31} 2\n0 1:1\n", "its first line should be"),
        ("1 2 2\n0 1:1 1:2:3:4\n0", "announces 1 rows but has 2"),
        ("1 2 2\n0 1:1 1 2\n", "has a row that is not 'labels feature:value"),
        ("1 2 2\n0 a:1\n", "has a row that is not 'labels feature:value"),
    ],
)
def test_broken_xmc_is_said(tmp_path, text, sentence):
    path = tmp_path / "broken.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_xmc(path)


@pytest.mark.parametrize("line", [f"0 {2**40}:1", f"0 {'9' * 30}:1", "1e999 1:1", "nan 1:1"])
def test_numbers_that_no_matrix_holds_are_refused(tmp_path, line):
    path = tmp_path / "broken.svm"
    path.write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"cannot be read as multi-label SVMlight|not whole numbers from 0 on"):
        read_svmlight(path)


def test_svmlight(tmp_path):
    X = np.array([[0, 1.5], [2, 0], [0, 0]])
    path = tmp_path / "toy.svm"
    with path.open("wb") as file:
        dump_svmlight_file(X, np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]]), file, multilabel=True)
    read_X, read_Y = read_svmlight(path, features=2)
    np.testing.assert_array_equal(read_X.toarray(), X)
    np.testing.assert_array_equal(read_Y.toarray(), [[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    assert read_svmlight(path, features=4, labels=6)[1].shape == (3, 6)
    path.write_text("1,-2 0:1\n")
    with pytest.raises(InputError, match="not whole numbers from 0 on"):
        read_svmlight(path)
    path.write_text("1 0:x\n")
    with pytest.raises(InputError, match="cannot be read as multi-label SVMlight"):
        read_svmlight(path)
    with pytest.raises(InputError, match="there is no file"):
        read_svmlight(tmp_path / "absent.svm")


def test_arff_quotes_comments_and_numbers_as_categories():
    text = """% a comment
@relation 'toy'
@attribute 'first one' {1, 10, 100}
@attribute hue { red, 'dark blue', green}
@attribute size REAL
@data
10, 'dark blue', 2.5
% between
{0 100, 2 7}
"""
    arff = parse_arff(text, "toy")
    assert [attribute.name for attribute in arff.attributes] == ["first one", "hue", "size"]
    np.testing.assert_array_equal(arff.one_hot([0, 1, 2]), [[10, 0, 1, 0, 2.5], [100, 1, 0, 0, 7]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("@attribute a numeric\n1\n", "it has no @data line"),
        ("@attribute a numeric\n@data\n1,2\n", r"row 0 .* \(2 values for 1 attributes\)"),
        ("@attribute a {x,y}\n@data\nx\nz\n", "row 1 of the data cannot be read"),
    ],
)
def test_broken_arff_is_said(text, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_arff(text, "toy")
