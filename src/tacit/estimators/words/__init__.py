"""Embed words, or items in sequences."""
