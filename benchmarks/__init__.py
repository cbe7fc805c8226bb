"""Programs that measure Tacit: the papers' tables, other libraries beside ours, and what the machine gives.

Not part of the installed package. Programs are run from the root of the repository, such as
``python -m benchmarks.peers.recommend``; README.md has the rules and the layout.
"""
