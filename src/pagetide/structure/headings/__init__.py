"""Headings: which blocks are headings, and their levels."""
