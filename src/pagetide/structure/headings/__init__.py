"""Headings: which blocks are some, and of what level."""
