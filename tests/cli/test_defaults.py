"""Help shows the estimators' own defaults, and is quick all the same."""

import inspect
import subprocess
import sys

import click
import pytest

import tacit
from tacit.cli.defaults import defaults_of
from tacit.cli.options import SOLVERS, Exponents
from tacit.estimators import solver_choice

QUICK_HELP = """
import sys
from tacit.cli.app import main
try:
    main(["fit", sys.argv[1], "--help"])
except SystemExit:
    pass
slow = {"numba", "sklearn", "scipy", "polars"} & set(sys.modules)
assert not slow, slow
"""


@pytest.mark.parametrize("estimator", ["FactorRecommender", "WordVectors", "FactorTagger", "RatingStream"])
def test_defaults_are_read_as_they_are(estimator):
    signature = inspect.signature(getattr(tacit, estimator))
    expected = {name: p.default for name, p in signature.parameters.items() if p.default is not p.empty}
    assert defaults_of(estimator) == expected


def test_solvers_offered_are_those_there_are():
    assert SOLVERS == solver_choice.SOLVERS


@pytest.mark.parametrize(("job", "words"), [("recommend", "default: 64"), ("words", "default: 200")])
def test_help_shows_defaults_without_slow_imports(job, words):
    done = subprocess.run([sys.executable, "-c", QUICK_HELP, job], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


def test_the_module_runs_as_the_command_does():
    done = subprocess.run([sys.executable, "-m", "tacit", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"tacit, version {tacit.__version__}"


@pytest.mark.parametrize(("given", "expected"), [("0.3", 0.3), ("0.5,0.15", (0.5, 0.15)), ((0.5, 0.15), (0.5, 0.15))])
def test_exponents_are_one_number_or_two(given, expected):
    assert Exponents().convert(given, None, None) == expected


@pytest.mark.parametrize("given", ["", "much", "1,2,3"])
def test_other_exponents_are_refused(given):
    with pytest.raises(click.BadParameter, match="neither a number nor two"):
        Exponents().convert(given, None, None)
