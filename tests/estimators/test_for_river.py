"""River's own checks; they run where river is installed."""

import pytest

pytest.importorskip("river")

from river import checks

from tacit.estimators.stream.for_river import ExpertRatingStream, RatingStream

MODELS = [RatingStream(), ExpertRatingStream()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_rivers_checks(model):
    ran = 0
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            check(model.clone())
            ran += 1
    assert ran > 10
