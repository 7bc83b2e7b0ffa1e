"""Lines, areas and drawn rules to blocks in reading order: pure functions."""
