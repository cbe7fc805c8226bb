"""Loops that know an objective and no estimator."""
