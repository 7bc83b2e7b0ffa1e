"""Receipts and forms as scanners give them, drawn with their truth; how well they are told."""
