"""What users hold: validate, call a solver, keep the result. One file per estimator."""
