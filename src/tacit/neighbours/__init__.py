"""Exact blocked top-k, approximate index, clustering for partitions."""
