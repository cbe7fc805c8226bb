"""Every solver on every loss × tower × penalty: it descends, it reports J, and all meet in the same minimum."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tacit.errors import DivergedError
from tacit.objective.losses import resolve
from tacit.objective.maps import as_map
from tacit.objective.penalties import laplacian
from tacit.objective.towers import Field, LinearTower, id_tower
from tacit.objective.two_towers import TwoTowers
from tacit.progress import Run
from tacit.solvers.als import AlternatingLeastSquares
from tacit.solvers.alternation import alternate
from tacit.solvers.descent import Adagrad, Gradient, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion
from tests.problems import make_problem
from tests.towers import KINDS, make_tower

N, M, G = 12, 9, 4
DESCENDING = {
    "newton": lambda: TrustRegion(steps=2),
    "newton_linesearch": TruncatedNewton,
    "als": lambda: AlternatingLeastSquares(4),
    "linesearch": LineSearch,
}
FIRST_ORDER = {"adagrad": lambda: Adagrad(0.02), "gradient": lambda: Gradient(1e-3)}


def make(loss="square", kind="ids", graph=False, seed=0, dtype=np.float64):
    problem = make_problem(seed=seed, n=N, m=M, g=G, loss=loss)
    objective = replace(problem.objective(dtype), loss=resolve(loss))
    rng = np.random.default_rng(seed)
    rows = make_tower(kind, N, G, seed, dtype).tower
    row_graph = laplacian(rng.random((N, N)), 0.3, "row_graph", N, dtype) if graph else None
    return TwoTowers(objective, rows, id_tower(M, G), row_graph=row_graph)


def solve(towers, solver, iterations, seed=1, scale=0.3, dtype=np.float64, threads=1, **options):
    parameters = towers.start(seed, scale, dtype)
    with Run("fit", iterations, progress=False) as run:
        alternate(towers, parameters, solver, run, n_threads=threads, **options)
    return parameters, run.history


@pytest.mark.parametrize("graph", [False, True], ids=["", "graph"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["square", "logistic", "squared_hinge"])
@pytest.mark.parametrize("solver", DESCENDING)
def test_objective_never_rises_and_is_what_is_reported(solver, loss, kind, graph):
    towers = make(loss, kind, graph)
    parameters, history = solve(towers, DESCENDING[solver](), 6)
    values = [record["objective"] for record in history]
    assert all(later <= earlier + 1e-10 for earlier, later in pairwise(values))
    assert values[-1] < values[0]
    assert values[-1] == pytest.approx(towers.value(parameters), rel=1e-10)


@pytest.mark.parametrize("graph", [False, True], ids=["", "graph"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["square", "logistic", "squared_hinge"])
@pytest.mark.parametrize("solver", FIRST_ORDER)
def test_first_order_solvers_descend(solver, loss, kind, graph):
    towers = make(loss, kind, graph)
    _, history = solve(towers, FIRST_ORDER[solver](), 40)
    values = [record["objective"] for record in history]
    assert values[-1] < values[10] < values[0]


@pytest.mark.jit
@pytest.mark.parametrize("kind", ["ids", "sparse", "ids and features"])
@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_all_solvers_reach_the_same_objective(kind, loss):
    """Strongly regularised, the minimum is at one place; gradient methods get as near as their passes allow."""
    towers = make(loss, kind)
    strong = [replace(side, ridge=side.ridge + 2.0) for side in (towers.objective.rows, towers.objective.cols)]
    towers = replace(towers, objective=replace(towers.objective, rows=strong[0], cols=strong[1]))
    solvers = {**DESCENDING, "adagrad": lambda: Adagrad(0.3), "gradient": lambda: Gradient(0.02)}
    values = {}
    for name, solver in solvers.items():
        parameters, _ = solve(towers, solver(), 400, tolerance=0.0 if name in FIRST_ORDER else 1e-12)
        values[name] = towers.value(parameters)
    lowest = min(values.values())
    assert values == pytest.approx(dict.fromkeys(values, lowest), rel=1e-3)


def test_adagrad_is_the_formula_field_after_field():
    towers = make("square", "ids and features")
    start = towers.start(1, 0.3, np.float64)
    reached, _ = solve(towers, Adagrad(rate=0.1), 1)
    theta = start.rows.copy()
    tower = towers.rows
    for place, field in enumerate(tower.fields):
        of_rows = towers.side_objective("rows", start.cols.reshape(M, G))
        point = of_rows.at(tower.forward(theta))
        V = theta[tower.slices[place]].reshape(field.shape)
        drawn = field.ridge[:, None] * V + (0 if field.graph is None else field.graph @ V)
        slope = tower.pull((place,), theta, of_rows.gradient(point)) + 2 * drawn.ravel()
        rate = np.repeat(0.1 / field.map.overlap(), G)
        theta[tower.slices[place]] -= rate * slope / (np.abs(slope) + 1e-4)
    np.testing.assert_allclose(reached.rows, theta, rtol=0, atol=1e-12)


def test_a_crowded_multi_hot_field_still_descends():
    """Thirty features in every row: their steps add up, and without the overlap they would overshoot."""
    problem = make_problem(seed=2, n=40, m=10, g=3)
    features = np.ones((40, 30))
    field = Field("features", as_map(features, "features", dtype=np.float64), np.arange(3), np.full(30, 0.01))
    towers = TwoTowers(problem.objective(), LinearTower(40, 3, [field]), id_tower(10, 3))
    np.testing.assert_allclose(field.map.overlap(), 30.0)
    _, history = solve(towers, Adagrad(0.05), 30, scale=0.1)
    values = [record["objective"] for record in history]
    assert all(later <= earlier for earlier, later in pairwise(values))


@pytest.mark.parametrize("solver", [Adagrad(0.1, nonnegative=True), Gradient(0.01, nonnegative=True)])
def test_nonnegative_parameters_stay_so(solver):
    parameters, _ = solve(make(), solver, 20)
    assert parameters.rows.min() >= 0 and parameters.cols.min() >= 0
    assert parameters.rows.max() > 0


@pytest.mark.jit
@pytest.mark.parametrize("solver", [*DESCENDING, "adagrad", "gradient"])
@pytest.mark.parametrize("kind", ["ids", "ids and features"])
def test_same_bits_at_any_number_of_threads(solver, kind):
    problem = make_problem(seed=7, n=500, m=300, g=8, density=0.2)
    tower = make_tower(kind, 500, 8, 0, np.float32).tower
    towers = TwoTowers(problem.objective(np.float32), tower, id_tower(300, 8))
    solvers = {**DESCENDING, **FIRST_ORDER}
    runs = [solve(towers, solvers[solver](), 2, dtype=np.float32, threads=threads)[0] for threads in (1, 3)]
    assert runs[0].rows.tobytes() == runs[1].rows.tobytes()
    assert runs[0].cols.tobytes() == runs[1].cols.tobytes()


def test_plain_gradient_that_explodes_says_so():
    with pytest.raises(DivergedError, match=r"iteration \d+.*learning_rate"):
        solve(make(), Gradient(10.0), 200)


def test_tolerance_ends_the_run():
    _, history = solve(make(), TrustRegion(), 500, tolerance=1e-6)
    assert len(history) < 500
