"""One file per verb; no numerics."""
