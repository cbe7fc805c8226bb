"""Positives in groups and a small model of them, for the three files about ``FactorRecommender``."""

import pytest

from tests.estimators.planted import planted, small


@pytest.fixture(scope="module")
def matrix():
    return planted()


@pytest.fixture(scope="module")
def model(matrix):
    return small().fit(matrix)
