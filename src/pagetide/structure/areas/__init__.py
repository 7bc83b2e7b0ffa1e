"""Blocks from a layout model's areas and the lines in them."""
