"""The tables of ``tag.py``, one module each."""
