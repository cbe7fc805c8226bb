"""Interactions at a glance."""

import numpy as np
import scipy.sparse as sp

from tacit import Interactions


def test_the_facts_are_those_of_the_matrix():
    table = {
        "u": ["a", "a", "b", None],
        "i": ["x", "y", "x", "x"],
        "n": [1, 2, 3, 1],
        "t": ["2024-01-05", "2024-02-01", "2024-01-06", "2024-01-01"],
    }
    data = Interactions.from_table(table, row="u", col="i", weight="n", time="t", missing="drop")
    facts = data.summary().facts
    assert facts["positives"] == "3, 75 % of all cells"
    assert facts["per row"] == "1 to 2, median 1.5; 1 has only one"
    assert facts["per column"].endswith("tenth of columns holds 67 % of the positives")
    assert facts["weights"] == "1 to 3, mean 2"
    assert facts["times"] == "2024-01-05 to 2024-02-01"
    assert facts["lines read"] == "4; 1 of 4 lines lacked a value ('u' 1) and were dropped"
    assert str(data) == str(data.summary())
    assert data._repr_html_().count("<tr>") == len(facts)


def test_names_are_escaped_on_pages_and_visible_in_terminals():
    table = {"u": [1], "i": [1], "<b>\x1b": [1]}
    data = Interactions.from_table(table, row="u", col="i", context="<b>\x1b")
    assert "\x1b" not in str(data) and "<b>" not in data._repr_html_()


def test_it_is_quick_and_allocates_little():
    matrix = sp.random_array((20_000, 5_000), density=0.01, rng=np.random.default_rng(0), format="csr")
    data = Interactions.from_matrix(matrix)
    facts = data.summary().facts
    counts = np.diff(data.matrix.indptr)
    assert facts["per row"].startswith(f"{counts.min()} to {counts.max()}, median {np.median(counts):g}")
