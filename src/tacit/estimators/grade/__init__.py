"""Grade: ordered classes from a few graded rows."""
