"""No estimator is left out of the contract."""

import tacit
from tacit.estimators.homes import ESTIMATORS
from tacit.estimators.model import Model
from tests.contract.registry import CASES


def test_every_public_estimator_has_a_case():
    public = {
        name for name in tacit.__all__ if isinstance(kind := getattr(tacit, name), type) and issubclass(kind, Model)
    }
    assert public == set(ESTIMATORS)
    assert {type(case.make()).__name__ for case in CASES} == public
