"""Requests that are wrong in every way, at every route: the server refuses them, never fails.

`python -m tests.fuzz --cases 20000 --seed 1` tries so many; `make test` a part of them.
"""
