"""Loops that minimise an objective; they know no estimator."""
