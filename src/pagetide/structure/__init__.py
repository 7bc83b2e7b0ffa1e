"""Lines, areas and drawn rules to blocks in reading order: pure functions."""

from pagetide.structure.blocks import structure

__all__ = ["structure"]
