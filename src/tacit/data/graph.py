"""Graphs: lists of edges become symmetric sparse adjacencies aligned with given ids."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.data.columns import weights_of, without_missing
from tacit.data.ids import Ids
from tacit.data.matrix import as_csr
from tacit.data.readers import origin_of, read_table


def adjacency(
    edges: Any,
    ids: Ids,
    *,
    source: str = "from",
    target: str = "to",
    weight: str | None = None,
    query: str | None = None,
    loops: bool = False,
) -> sp.csr_array:
    """Adjacency matrix S = Sᵀ ≥ 0 with an empty diagonal, shape (len(ids), len(ids)).

    An edge counts in both directions; where both are listed, or one is listed often, the largest weight counts.
    Edges from a node to itself, and edges to ids that are not among ``ids``, are left out; ``loops`` keeps the former,
    where they say how often a label occurs at all.

    Parameters
    ----------
    edges : a table as in ``Interactions.from_table``
    ids : what the rows and columns stand for, such as ``interactions.row_ids``
    source, target, weight : names of columns; without ``weight`` every edge weighs 1

    >>> adjacency({"from": ["a", "b", "a"], "to": ["b", "a", "zoe"]}, Ids(["a", "b"])).toarray()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    columns = {"source": source, "target": target} | ({} if weight is None else {"weight": weight})
    # 7 is text where the ids were read as text.
    text = (source, target) if ids.is_text else ()
    read = read_table(edges, columns, query=query, text=text, name="edges")
    frame, _ = without_missing(read, columns, "error", origin_of(edges))
    a, b = (ids.numbers(frame[column].to_list()) for column in (source, target))
    keep = (a >= 0) & (b >= 0) & ((a != b) | loops)
    weights = weights_of(frame, weight, origin_of(edges))[keep]
    a, b = a[keep], b[keep]
    n = len(ids)
    # Of equal cells the heaviest comes last, and the last one stays.
    rows, cols, values = np.concatenate((a, b)), np.concatenate((b, a)), np.concatenate((weights, weights))
    order = np.lexsort((values, cols, rows))
    rows, cols, values = rows[order], cols[order], values[order]
    last = np.append((rows[1:] != rows[:-1]) | (cols[1:] != cols[:-1]), True)[: len(rows)]
    matrix = sp.coo_array((values[last], (rows[last], cols[last])), shape=(n, n))
    return as_csr(matrix, "edges", allow_empty=True)
