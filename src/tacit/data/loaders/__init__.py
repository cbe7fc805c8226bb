"""Loaders of published data sets, looked up in the folder that the environment variable ``TACIT_DATA`` names.

Nothing is downloaded and nothing is bundled: several publishers forbid passing their data on.
"""
