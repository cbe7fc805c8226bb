"""The one formula: losses, weights, penalties, towers and Gram caches."""
