"""Trains the first stage of the cascade: a small network that reads printed Latin lines.

See README.md here for what it is made from, how, and with which results.
"""
