"""Texts in many languages, printed in many settings: the machine's own message catalogues.

Their truth costs nothing, as what was printed is known.
"""
