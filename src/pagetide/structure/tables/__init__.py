"""Tables: their position on a page, their rows and columns, and the text of their cells.

Rules that meet form frames, and text aligned in columns forms boxes. Each gets a grid made of
the drawn rules and the gaps in the text; grid units that nothing separates are merged into
cells.
"""

from pagetide.structure.tables.find import are_searched, find_tables, table_of_area
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.ruled.titles import title_shades

__all__ = ["FoundTable", "are_searched", "find_tables", "table_of_area", "title_shades"]
