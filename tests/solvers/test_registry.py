"""Solvers by name: each is made in one place, refuses what it cannot do, and resumes from its own state."""

import numpy as np
import pytest

from tacit.errors import InputError, UnsoundCombinationError
from tacit.objective.losses import LOSSES, custom_loss
from tacit.objective.towers import id_tower
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.progress import Run
from tacit.solvers import registry
from tacit.solvers.alternation import alternate
from tests.problems import make_problem
from tests.towers import make_tower

STEEP = custom_loss("steep", lambda r, s: np.exp(-s), lambda r, s: -np.exp(-s), lambda r, s: np.exp(-s))
OPTIONS = {name: registry.Options(learning_rate=0.01) for name in ("adagrad", "gradient")}


def run(towers, parameters, solver, sweeps):
    with Run("fit", sweeps, progress=False) as records:
        alternate(towers, parameters, solver, records, n_threads=1)
    return records.history


@pytest.mark.parametrize("kind", ["ids", "ids and features", "product"])
@pytest.mark.parametrize("name", registry.NAMES)
def test_a_restored_solver_goes_on_with_the_same_bits(name, kind):
    tower = make_tower(kind, 13, 4, 0, np.float64).tower
    towers = TwoTowers(make_problem(seed=3).objective(), tower, id_tower(9, 4))
    whole, halves = (towers.start(1, 0.3, np.float64) for _ in range(2))
    first, second, straight = (registry.build(name, OPTIONS.get(name)) for _ in range(3))
    run(towers, whole, straight, 6)
    run(towers, halves, first, 3)
    second.restore({label: array.copy() for label, array in first.state().items()})
    run(towers, halves, second, 3)
    assert halves.rows.tobytes() == whole.rows.tobytes()
    assert halves.cols.tobytes() == whole.cols.tobytes()
    assert {key: one.tobytes() for key, one in second.memory.items()} == {
        key: one.tobytes() for key, one in straight.memory.items()
    }


@pytest.mark.parametrize("name", ["adagrad", "linesearch", "newton"])
def test_solvers_that_remember_put_it_in_their_state(name):
    towers = TwoTowers.of_ids(make_problem(seed=3).objective(), 4)
    solver = registry.build(name, OPTIONS.get(name))
    run(towers, towers.start(1, 0.3, np.float64), solver, 2)
    assert set(solver.state()) == {"rows 0", "cols 0"}


def test_a_line_search_begins_at_the_rate_that_it_remembers():
    """From a remembered rate far below what the slope allows, the step is that short and no shorter."""
    towers = TwoTowers.of_ids(make_problem(seed=3).objective(), 4)
    start = towers.start(1, 0.3, np.float64)
    moved = Parameters(start.rows.copy(), start.cols.copy())
    solver = registry.build("linesearch")
    solver.restore({"rows 0": np.array([2.0**-20]), "cols 0": np.array([2.0**-20])})
    run(towers, moved, solver, 1)
    of_rows = towers.side_objective("rows", start.cols.reshape(9, 4))
    gradient = of_rows.gradient(of_rows.at(start.rows.reshape(13, 4))).ravel()
    np.testing.assert_allclose(start.rows - moved.rows, 2.0**-20 * gradient, rtol=1e-6)
    assert solver.memory["rows", (0,)] == 2.0**-19


def test_auto_stands_for_what_can_do_it():
    assert registry.resolve("auto", LOSSES["logistic"]) == "als"
    assert registry.resolve("auto", STEEP) == "newton"
    assert registry.resolve("auto", LOSSES["square"], nonnegative=True) == "adagrad"


def test_what_a_solver_cannot_do_is_refused():
    with pytest.raises(UnsoundCombinationError, match="curvature_bound"):
        registry.resolve("als", STEEP)
    with pytest.raises(UnsoundCombinationError, match="can be projected"):
        registry.resolve("newton", LOSSES["square"], nonnegative=True)
    with pytest.raises(InputError, match="solver must be one of 'als'"):
        registry.build("sgd")


@pytest.mark.parametrize("name", registry.NAMES)
@pytest.mark.parametrize(
    "option", [{"learning_rate": 0.1}, {"inner_steps": 3}, {"trust_steps": 2}, {"trust_radius": 1.0}], ids=str
)
def test_an_option_is_used_or_refused(name, option):
    """What a solver takes changes its steps; what it does not take is refused in a sentence that says who does."""
    towers = TwoTowers(
        make_problem(seed=3).objective(), make_tower("features", 13, 4, 0, np.float64).tower, id_tower(9, 4)
    )
    if not set(option) & set(registry.SOLVERS[name].takes):
        words = f"{next(iter(option))}=.* is of no use to solver='{name}'.*or use"
        with pytest.raises(UnsoundCombinationError, match=words):
            registry.build(name, registry.Options(**option))
        return
    plain, other = (towers.start(1, 0.3, np.float64) for _ in range(2))
    run(towers, plain, registry.build(name), 2)
    run(towers, other, registry.build(name, registry.Options(**option)), 2)
    assert not np.allclose(plain.rows, other.rows, rtol=1e-6)
