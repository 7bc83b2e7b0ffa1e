"""Lines, areas and drawn rules to blocks in reading order: pure functions."""

from pagetide.structure.blocks import structure
from pagetide.structure.naming import with_levels

__all__ = ["structure", "with_levels"]
