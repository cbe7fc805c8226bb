"""The trust region against dense algebra: several steps on a side, a given first radius, a radius that is kept."""

import numpy as np
import pytest

from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.progress import Run
from tacit.solvers.alternation import alternate
from tacit.solvers.newton import TrustRegion
from tests import naive
from tests.problems import make_problem


def dense_sweeps(problem, P, Q, *, sweeps, steps, radius):
    """The same alternation with the oracle: rows, then columns, each with its own radius."""
    flipped = (problem.dense.T, problem.weight.T, problem.target.T, problem.b, problem.a, problem.t)
    sides = [(problem.parts, problem.row_ridge), (flipped, problem.col_ridge)]
    factors, radii = [P, Q], [None, None]
    for _ in range(sweeps):
        for side, (parts, ridge) in enumerate(sides):
            own, other = factors[side], factors[1 - side]
            shape, nothing = own.shape, np.zeros(len(other))

            def value(x, parts=parts, ridge=ridge, other=other, shape=shape, nothing=nothing):
                return naive.whole_data_value(x.reshape(shape), other, *parts, ridge, nothing, problem.loss)

            def gradient(x, parts=parts, ridge=ridge, other=other, shape=shape):
                return naive.whole_data_gradient(x.reshape(shape), other, *parts, ridge, problem.loss).ravel()

            def hessian(x, parts=parts, ridge=ridge, other=other, shape=shape):
                return naive.whole_data_hessian(x.reshape(shape), other, *parts, ridge, problem.loss)

            here, fresh = own.ravel(), radii[side] is None
            if fresh:
                radii[side] = np.linalg.norm(gradient(here)) if radius is None else radius
            here, radii[side] = naive.trust_region(
                value, gradient, hessian, here, radii[side], steps=steps, inner_steps=20, fresh=fresh
            )
            factors[side] = here.reshape(shape)
    return factors, radii


@pytest.mark.parametrize("radius", [None, 0.05, 30.0])
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_steps_and_radii_are_those_of_dense_algebra(loss, steps, radius):
    problem = make_problem(seed=5, n=7, m=6, g=3, loss=loss)
    towers = TwoTowers.of_ids(problem.objective(), 3)
    parameters = Parameters(problem.P.ravel().copy(), problem.Q.ravel().copy())
    solver = TrustRegion(steps=steps, radius=radius)
    with Run("fit", 3, progress=False) as run:
        alternate(towers, parameters, solver, run, n_threads=1)
    (P, Q), radii = dense_sweeps(problem, problem.P, problem.Q, sweeps=3, steps=steps, radius=radius)
    np.testing.assert_allclose(parameters.rows, P.ravel(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(parameters.cols, Q.ravel(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose([solver.memory[name, (0,)][0] for name in ("rows", "cols")], radii, rtol=1e-8)
