"""Generated inputs to every public call: right answers, or one sentence of ours or of scikit-learn's.

A case draws an estimator of the contract suite (or a data call), then spoils a parameter, the data of ``fit`` or the
arguments of a question. What comes out must be an answer without NaN, or an exception that was meant: a ``TacitError``
or scikit-learn's own refusal.

    python -m tests.fuzz.driver inputs --seconds 60
"""

import contextlib
import datetime
import decimal
import inspect
import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import tacit
from tacit.data import FeatureEncoder, Ids, adjacency
from tacit.errors import TacitError
from tests.contract.registry import CASES

_NUMBERS = [
    -1,
    0,
    1,
    2,
    3,
    0.5,
    -0.5,
    1.5,
    1e-300,
    1e160,
    -1e160,
    1e300,
    float("nan"),
    float("inf"),
    2**31 - 1,
    2**40,
    2**70,
    True,
]
_OTHERS = [None, "", "x", "auto", "\x00\x1b[2J", b"x", [], {}, (), object, np.nan, pd.NA, decimal.Decimal("NaN"), 1j,
           datetime.date(2024, 1, 1), np.datetime64("NaT"), [1, [2]], "é" * 50, frozenset({1}), ...]  # fmt: skip
_LARGE = ("iterations", "n_components", "batch_size", "inner_steps", "members", "experts", "memory", "max_words", "cv",
          "learners")  # fmt: skip
"""Parameters of which a large value is an honest wish that takes long."""
_RUNNING = ("progress", "callback", "checkpoint", "threads")


def scalar(rng: np.random.Generator) -> Any:
    pool = _NUMBERS if rng.random() < 0.6 else _OTHERS
    return pool[rng.integers(len(pool))]


def matrix(rng: np.random.Generator) -> Any:
    """Matrices of any shape and dtype, sound or not."""
    shape = tuple(int(rng.choice([0, 1, 2, 5, 12, 40])) for _ in range(int(rng.choice([1, 2, 2, 2, 2, 3]))))
    values = rng.standard_normal(shape)
    match rng.integers(14):
        case 0:
            values = values.astype(rng.choice(["f4", "i8", "i1", "u8", "?", "c16"]))
        case 1:
            values = values.astype(object)
        case 2:
            values = np.empty(shape, dtype=object)
            values.fill(scalar(rng))
        case 3 if values.size:
            values.reshape(-1)[rng.integers(values.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e300, 1e160, -1e160])
        case 4:
            values = values * rng.choice([0.0, 1e-300, 1e-160, 1e38, 1e160, 1e300])
        case 5:
            values = np.abs(values) > 0.7
        case 6:
            return values.tolist()
        case 7:
            values = values.astype(str)
        case 8:
            return pd.DataFrame(values) if values.ndim == 2 else values
        case 9:
            return pl.DataFrame(values) if values.ndim == 2 else values
    if values.ndim == 2 and values.dtype.kind in "fiub" and rng.random() < 0.6:
        return spoiled(sp.csr_array(np.where(rng.random(shape) < 0.5, values, 0)), rng)
    return values


def spoiled(sparse: Any, rng: np.random.Generator) -> Any:
    """A sparse matrix in any format, now and then with arrays that lie."""
    made = sparse.asformat(str(rng.choice(["csr", "csc", "coo", "lil", "dok"])))
    if made.format in ("csr", "csc") and rng.random() < 0.4:
        made = made.copy()
        name = str(rng.choice(["indptr", "indices", "data"]))
        array = getattr(made, name)
        if len(array) and name != "data":
            array[rng.integers(len(array))] = rng.choice([-1, -(2**31), 10**6, 2**31 - 1, 0])
        elif len(array) and made.dtype.kind == "f":
            array[rng.integers(len(array))] = rng.choice([np.nan, np.inf, 1e300, 0.0])
    return made


def column(rng: np.random.Generator, length: int) -> Any:
    """A column of a table: ids, numbers, dates, or a mixture."""
    match rng.integers(14):
        case 8:
            return pd.array(rng.integers(0, 5, length), dtype="Int64")
        case 9 if length:
            return pd.array([None, *rng.integers(0, 5, length - 1)], dtype=rng.choice(["Int64", "Float64"]))
        case 10:
            return pd.Categorical(rng.choice(["low", "high"], length))
        case 11:
            return pd.Series(pd.to_timedelta(rng.integers(0, 10**6, length), unit="s"))
        case 12:
            return pd.Series(pd.to_datetime(rng.integers(0, 10**9, length), unit="s", utc=True))
        case 13:
            return pl.Series([[int(k)] for k in rng.integers(0, 5, length)], dtype=pl.List(pl.Int64))
        case 0:
            return rng.integers(0, 5, length).tolist()
        case 1:
            return [f"u{k}" for k in rng.integers(0, 5, length)]
        case 2:
            return [scalar(rng) for _ in range(length)]
        case 3:
            return [scalar(rng)] * length
        case 4:
            return rng.standard_normal(length)
        case 5:
            return [2**63 + int(k) for k in rng.integers(0, 5, length)]
        case 6:
            return pd.Series(pd.to_datetime(rng.integers(0, 10**9, length), unit="s")).astype("datetime64[s]")
        case 7:
            return [decimal.Decimal(int(k)) / 3 for k in rng.integers(0, 9, length)]
    return ["2024-01-05", "05/01/2024", "soon", ""] * (length // 4) + ["2024-01-05"] * (length % 4)


def table(rng: np.random.Generator) -> Any:
    length = int(rng.choice([0, 1, 3, 12]))
    columns = {name: column(rng, length) for name in ("u", "i", "n", "t")}
    match rng.integers(4):
        case 0:
            with contextlib.suppress(Exception):
                return pd.DataFrame(columns)
        case 1:
            with contextlib.suppress(Exception, pl.exceptions.PanicException):
                return pl.DataFrame(columns, strict=False)
        case 2:
            columns["u"] = column(rng, length + int(rng.integers(0, 2)))
    return columns


def anything(rng: np.random.Generator) -> Any:
    match rng.integers(4):
        case 0:
            return scalar(rng)
        case 1:
            return matrix(rng)
        case 2:
            return [scalar(rng) for _ in range(int(rng.integers(0, 4)))]
    return table(rng)


QUESTIONS = (
    "recommend", "similar_rows", "similar_cols", "score", "score_pairs", "fold_in", "why", "positives_of", "add",
    "add_each", "index_cols", "predict", "predict_topk", "decision_function", "predict_proba", "rank_score",
    "kneighbors", "missing_labels", "most_similar", "similarity", "doesnt_match", "__getitem__", "__contains__",
    "analogies", "similarities", "learn_one", "predict_one", "predict_then_learn", "topics", "rank", "transform",
    "partial_fit",
)  # fmt: skip
"""Public calls of fitted models."""
LEARNING = ("learn_one", "predict_then_learn", "partial_fit", "fold_in", "add", "add_each", "index_cols")

_SOUND: dict[str, Any] = {
    "k": 3, "n": 3, "row": 1, "rows": [1, 2], "cols": [1], "col": 2, "weights": 1.0, "user": 1, "item": 2,
    "users": [1, 2], "items": [2, 3], "ratings": [3.0, 4.0], "y": 3.0, "label": 1, "word": "w1", "other": "w2",
    "words": ["w1", "w2"], "positive": ["w1"], "negative": ["w2"], "side": "rows", "add": False, "unknown": "skip",
    "folds": 2, "ids": None, "questions": [": a", "w1 w2 w3 w4"], "pairs": ["w1 w2 3"], "text": ["w1 w2 w3"],
    "texts": ["word1 word2"] * 3, "Y": [[1], [2], [1]], "exclude": [1], "include": [1, 2, 3], "x": None,
    "by": "share", "iterations": 1,
}  # fmt: skip
"""What a parameter of this name takes: with one argument spoiled and the rest sound, a call gets further."""


def prepare() -> Any:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    models = [(case, case.make(), case.data(np.random.default_rng(0))) for case in CASES]
    for _, model, data in models:
        model.fit(*data)
    # Arrow reserves a gigabyte when it is first used, which is no case's doing.
    pl.from_pandas(pd.DataFrame({"u": ["a"]}))
    return models


def run(models: Any, rng: np.random.Generator) -> str | None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        kind = rng.integers(5)
        case, model, data = models[rng.integers(len(models))]
        try:
            if kind == 0:
                answer = _data_call(rng)
            elif kind == 1:
                answer = _spoiled_parameter(case, data, rng)
            elif kind == 2:
                answer = _spoiled_data(case, data, rng)
            else:
                answer = _question(model, rng)
        except (TacitError, NotFittedError) as error:
            return "a refusal of more than one line" if "\n" in str(error) else None
        except Exception as error:
            if _is_meant(error):
                return None
            raise
    return _sick(answer)


def _data_call(rng: np.random.Generator) -> Any:
    options = {name: anything(rng) for name in ("duplicates", "missing", "min_weight", "min_row_count", "decimal")
               if rng.random() < 0.1}  # fmt: skip
    match rng.integers(7):
        case 0 | 1:
            roles = {"weight": "n", "time": "t", "context": "n"}
            given = {name: value for name, value in roles.items() if rng.random() < 0.4}
            made = tacit.Interactions.from_table(table(rng), row="u", col="i", **given, **options)
            by = str(rng.choice(["random", "last", "time", "user", "x"]))
            return str(made), made.split(test=scalar(rng), by=by)
        case 2:
            return str(
                tacit.Interactions.from_matrix(matrix(rng), row_ids=anything(rng) if rng.random() < 0.3 else None)
            )
        case 3:
            return FeatureEncoder("u").fit_transform(table(rng), [1, 2, "u1"])
        case 4:
            return adjacency(table(rng), Ids([0, 1, 2]), source="u", target="i", weight="n")
        case 5:
            ids = Ids([scalar(rng) for _ in range(3)])
            return ids.numbers([scalar(rng)]), ids.require([scalar(rng)])
    return tacit.tune(matrix(rng), trials=1, model=tacit.FactorRecommender(2), progress=False)


def _spoiled_parameter(case: Any, data: Any, rng: np.random.Generator) -> Any:
    model = case.make()
    names = [name for name in model.get_params(deep=False) if name not in _RUNNING]
    name = names[rng.integers(len(names))]
    value = scalar(rng)
    if _takes_long(name, value):
        return None
    model.set_params(**{name: value})
    model.fit(*data)
    return case.ask(model, data)


def _takes_long(name: str, value: Any) -> bool:
    return name in _LARGE and isinstance(value, int | float) and value > 100


def _spoiled_data(case: Any, data: Any, rng: np.random.Generator) -> Any:
    model = case.make()
    spoilt = [anything(rng) if rng.random() < 0.6 else part for part in data]
    model.fit(*spoilt)
    return None


def _question(model: Any, rng: np.random.Generator) -> Any:
    asked = [name for name in QUESTIONS if hasattr(model, name)]
    name = asked[rng.integers(len(asked))]
    # What learns, learns in a copy: a case must not depend on those before it.
    target = _copy(model) if name in LEARNING else model
    given = {}
    for parameter in inspect.signature(getattr(target, name)).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is inspect.Parameter.empty
        if needed or rng.random() < 0.3:
            value = anything(rng) if rng.random() < 0.5 else _sound(model, parameter.name, rng)
            if _takes_long(parameter.name, value):
                return None
            given[parameter.name] = value
    return getattr(target, name)(**given)


def _sound(model: Any, parameter: str, rng: np.random.Generator) -> Any:
    if parameter in ("X", "x") and hasattr(model, "n_features_in_"):
        return rng.standard_normal((1 if parameter == "x" else 3, model.n_features_in_))
    if parameter == "interactions":
        return sp.csr_array(np.eye(2, len(model.col_ids_)))
    return _SOUND[parameter] if parameter in _SOUND else anything(rng)


def _copy(model: Any) -> Any:
    import copy

    return copy.deepcopy(model)


def _is_meant(error: Exception) -> bool:
    """Refusals of scikit-learn."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    file = place.tb_frame.f_code.co_filename if place is not None else ""
    return isinstance(error, ValueError | TypeError) and "/sklearn/utils/" in file


def _sick(answer: Any) -> str | None:
    """NaN where an answer has a number for every question."""
    if isinstance(answer, np.ndarray) and answer.dtype.kind == "f" and np.isnan(answer).any():
        return "an answer holds NaN"
    return None
