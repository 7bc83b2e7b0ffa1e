"""Figures, charts, signatures and their captions."""
