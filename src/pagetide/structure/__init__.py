"""Lines, areas and drawn rules to blocks in reading order: pure functions."""

from pagetide.structure.blocks import structure
from pagetide.structure.kept import amiss
from pagetide.structure.naming import with_levels

__all__ = ["amiss", "structure", "with_levels"]
