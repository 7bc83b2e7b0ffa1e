"""Receipts and forms as scanners give them, drawn with their truth, and how well they are told."""
