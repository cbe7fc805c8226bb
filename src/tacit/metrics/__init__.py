"""Ranking, labels, ratings, ordinal, words."""
