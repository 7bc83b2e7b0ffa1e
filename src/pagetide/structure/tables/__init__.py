"""Tables: where they stand on a page, their rows and columns, and what is in their cells.

Rules that meet make frames, and text that stands in columns makes boxes; in each a grid is
laid of the rules that are drawn and the gaps that the text leaves, and units of it that
nothing parts are joined to cells.
"""

from pagetide.structure.tables.find import are_searched, find_tables, table_of_area
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.ruled.titles import title_shades

__all__ = ["FoundTable", "are_searched", "find_tables", "table_of_area", "title_shades"]
