"""Turns lines, areas and drawn rules into blocks in reading order: pure functions."""

from pagetide.structure.blocks import structure
from pagetide.structure.headings.levels import with_levels
from pagetide.structure.kept import amiss
from pagetide.structure.lists.code import with_code
from pagetide.structure.margins.notes import footnotes
from pagetide.structure.over_pages.document import Changes, Survey, changed, settled
from pagetide.structure.paragraphs.continued import with_continued

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
