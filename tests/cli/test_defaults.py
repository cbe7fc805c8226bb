"""Help shows the estimators' own defaults, and is quick all the same."""

import inspect
import subprocess
import sys

import click
import pytest

import tacit
from tacit.cli.defaults import RUNNING, Numbers, defaults_of, help_of, parameters_of
from tacit.solvers import registry

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


def option(estimator, name):
    """The option of one parameter."""
    names, options = parameters_of(estimator)
    return options[names.index(name)](lambda: None).__click_params__[0]


def test_solvers_offered_are_those_there_are():
    assert set(option("FactorRecommender", "solver").type.choices) == set(registry.WITH_AUTO)
    assert list(option("FactorRecommender", "loss").type.choices) == ["square", "logistic", "squared_hinge"]


ESTIMATORS = {
    "FactorRecommender": set(),
    "WordVectors": set(),
    "FactorTagger": set(),
    "NeighbourTagger": set(),
    "RatingStream": set(),
    "ExpertRatingStream": set(),
    # Classes are --order; what marks a row without a grade is an empty cell or -1.
    "OrdinalRanker": {"classes", "unlabelled_mark"},
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_has_an_option_with_help(estimator):
    names, options = parameters_of(estimator)
    signature = inspect.signature(getattr(tacit, estimator)).parameters
    assert set(signature) - set(names) - set(RUNNING) == ESTIMATORS[estimator]
    for name, made in zip(names, options):
        (parameter,) = made(lambda: None).__click_params__
        assert parameter.help and parameter.name == name, name


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_typing_nothing_gives_the_constructors_defaults(estimator):
    names, options = parameters_of(estimator)
    found = {}

    def body(**given):
        found.update(given)

    for one in options:
        body = one(body)
    click.Command("x", params=body.__click_params__, callback=body).main([], standalone_mode=False)
    assert found == {name: defaults_of(estimator)[name] for name in names}


def test_help_is_the_docstrings():
    assert help_of("RatingStream")["delta"] == "δ, what G starts from."
    assert help_of("FactorRecommender")["held_out"] == help_of("FactorRecommender")["patience"]


def test_literals_of_other_modules_are_choices():
    assert list(option("RatingStream", "variant").type.choices) == ["PA", "PA-I", "PA-II"]
    assert list(option("RatingStream", "adaptation").type.choices) == ["diagonal", "full", "none"]
    assert option("RatingStream", "adaptation").type.convert("none", None, None) is None
    assert list(option("WordVectors", "sentences").type.choices) == ["lines", "files"]


@pytest.mark.parametrize(("job", "words"), [("recommend", "default: 64"), ("words", "default: 200")])
def test_help_shows_defaults_without_slow_imports(job, words):
    done = subprocess.run([sys.executable, "-c", QUICK_HELP, job], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


def test_the_module_runs_as_the_command_does():
    done = subprocess.run([sys.executable, "-m", "tacit", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"tacit, version {tacit.__version__}"


@pytest.mark.parametrize(("given", "expected"), [("0.3", 0.3), ("0.5,0.15", (0.5, 0.15)), ((0.5, 0.15), (0.5, 0.15))])
def test_numbers_are_one_or_several(given, expected):
    assert Numbers(lengths={1, 2}).convert(given, None, None) == expected


@pytest.mark.parametrize("given", ["", "much", "1,2,3"])
def test_other_numbers_are_refused(given):
    with pytest.raises(click.BadParameter, match="neither a number nor several"):
        Numbers(lengths={1, 2}).convert(given, None, None)
    assert Numbers(["matched"]).convert("matched", None, None) == "matched"
