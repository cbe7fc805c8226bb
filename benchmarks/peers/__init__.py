"""One adapter per library: ``fit(train, threads, **parameters) -> (P, Q)`` and ``VERSION``."""
