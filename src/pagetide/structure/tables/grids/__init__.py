"""Builds a grid of cells from a box, its rules and its words."""
