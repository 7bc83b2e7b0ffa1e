"""Lines, areas and drawn rules to blocks in reading order: pure functions."""

from pagetide.structure.blocks import structure
from pagetide.structure.continued import with_continued
from pagetide.structure.kept import amiss
from pagetide.structure.levels import with_levels
from pagetide.structure.listings import with_code
from pagetide.structure.notes import footnotes
from pagetide.structure.over_pages import Changes, Survey, changed, settled

__all__ = [
    "Changes",
    "Survey",
    "amiss",
    "changed",
    "footnotes",
    "settled",
    "structure",
    "with_code",
    "with_continued",
    "with_levels",
]
