"""Receipts and forms as scanned, drawn with their truth; how well their fields are read."""
