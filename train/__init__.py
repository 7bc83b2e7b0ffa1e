"""Trains the first stage of the cascade: a small network that reads printed Latin lines.

See README.md here for its training data, the steps, and its results.
"""
