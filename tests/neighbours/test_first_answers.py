"""The first answers of a process come from NumPy: to the bits of the kernels, and only so many of them."""

import json
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit.errors import InputError
from tacit.neighbours import first_answers
from tacit.neighbours.few_queries import StoredRows, Tiled, top_k_of_few, top_k_of_rows
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k, top_k_of
from tests.neighbours.test_topk import lists_of


@pytest.fixture
def by_numpy(monkeypatch):
    """Calls a function twice: as a process begins, and when NumPy's share is used up."""

    def both(call):
        monkeypatch.setattr(first_answers, "is_ready", lambda kernel: False)
        monkeypatch.setattr(first_answers.allowance, "left", first_answers.LIMIT)
        first = call()
        assert first_answers.allowance.left < first_answers.LIMIT
        monkeypatch.setattr(first_answers.allowance, "left", 0)
        return first, call()

    return both


def same_bits(first, second):
    return [one.tobytes() for one in first] == [one.tobytes() for one in second]


@pytest.mark.parametrize("n", [1, 3, 20])
@pytest.mark.parametrize("k", [1, 7, 400])
def test_filtered_lists_are_those_of_the_kernels(rng, by_numpy, n, k):
    m = 300
    queries, items = rng.integers(-2, 3, (n, 5)), rng.integers(-2, 3, (m, 5))  # many equal scores, and zeros
    filters = Filters(
        seen=lists_of(rng.random((n, m)) < 0.2),
        excluded=lists_of(rng.random((n, m)) < 0.1),
        included=lists_of(rng.random((n, m)) < 0.6),
        limited=rng.random(n) < 0.5,
        allowed=rng.random(m) < 0.9,
    )
    scores = (queries @ items.T).astype(np.float32)
    for chosen in (filters, Filters(), Filters(seen=filters.seen)):
        assert same_bits(*by_numpy(lambda chosen=chosen: top_k(queries, items, k, chosen)))
        assert same_bits(*by_numpy(lambda chosen=chosen: top_k_of(lambda a, b: scores[a:b].copy(), n, m, k, chosen)))


@pytest.mark.parametrize(("m", "g"), [(50, 3), (2500, 64)])
def test_a_few_queries_get_the_bits_of_the_kernels(rng, by_numpy, m, g):
    queries, items = (rng.standard_normal((size, g)).astype(np.float32) for size in (3, m))
    seen = lists_of(rng.random((3, m)) < 0.2)
    tiled = Tiled.of(items)
    for k in (1, 10, m, m + 5):
        assert same_bits(*by_numpy(lambda k=k: top_k_of_few(queries, tiled, k, seen=seen)))
    rows = StoredRows(queries, *seen)
    apart = StoredRows(queries[::-1].copy(), *seen)
    for exclude in (True, False):
        ask = partial(top_k_of_rows, [2, -1, 0, -3], rows, apart, tiled, 10, exclude_seen=exclude)
        assert same_bits(*by_numpy(ask))


@pytest.mark.jit  # as plain Python, NumPy warns of the overflow first
def test_what_one_call_cannot_tell_is_left_to_the_others(rng, by_numpy):
    items = rng.standard_normal((40, 4)).astype(np.float32)
    nothing = np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32)
    rows = StoredRows(np.zeros((1, 4), dtype=np.float32), *nothing)
    assert by_numpy(lambda: top_k_of_rows([0], rows, rows, Tiled.of(items), 3, exclude_seen=True)) == (None, None)
    far = np.full((1, 4), 3e38, dtype=np.float32)
    with pytest.raises(InputError, match="NaN or infinite"):
        by_numpy(lambda: top_k_of_few(far, Tiled.of(items), 3))
    with pytest.raises(InputError, match="NaN or infinite"):
        by_numpy(lambda: top_k(np.full((20, 4), 3e38), items, 3))
    with pytest.raises(InputError, match="outside 0 to 39"):
        by_numpy(lambda: top_k_of_few(far[:, :4] / 1e38, Tiled.of(items), 3, seen=(np.array([0, 1]), np.array([40]))))


def test_numpy_answers_until_its_share_is_used_up(monkeypatch):
    class Kernel:
        signatures: list[str] = []  # noqa: RUF012

    allowance = first_answers.Allowance(100)
    assert allowance.covers(Kernel, 60)
    assert not allowance.covers(Kernel, 60)
    assert allowance.covers(Kernel, 20, factors=16)
    assert allowance.left == 0
    others = first_answers.Allowance(100)
    others.end()
    assert not others.covers(Kernel, 1)
    Kernel.signatures = ["compiled"]
    assert not first_answers.Allowance(100).covers(Kernel, 1)
    assert not first_answers.Allowance(100).covers(lambda: None, 1)  # runs as plain Python


FIRST_USE = """
import json
import numpy as np
import tacit
model = tacit.FactorRecommender(progress=False).fit(np.random.default_rng(0).random((60, 40)) < 0.2)
answer = model.recommend([0, 1], k=5)
many = model.recommend(list(range(40)), k=5)
from tacit.kernels import _jit, few, topk
search = [few.search, few.search_rows, topk.offer, topk.select, topk.unpack]
print(json.dumps([answer.ids.tolist(), answer.scores.tolist(), many.ids.tolist(), [len(k.signatures) for k in search]]))
"""


@pytest.mark.jit
@pytest.mark.slow
def test_the_first_lists_of_a_process_compile_no_search():
    done = subprocess.run([sys.executable, "-c", FIRST_USE], env=os.environ, capture_output=True, text=True, check=True)
    ids, scores, many, compiled = json.loads(done.stdout)
    assert compiled == [0, 0, 0, 0, 0]
    positives = np.random.default_rng(0).random((60, 40)) < 0.2
    model = tacit.FactorRecommender(progress=False).fit(sp.csr_array(positives))
    again = model.recommend([0, 1], k=5)
    assert (again.ids.tolist(), again.scores.tolist()) == (ids, scores)
    assert model.recommend(list(range(40)), k=5).ids.tolist() == many
