"""Exports: a document as text, Markdown, HTML, JSON, hOCR, PDF, tables, or pictures."""

from pagetide.exports.chunks import Chunking
from pagetide.exports.figures import FOLDER as FIGURES_FOLDER
from pagetide.exports.formats import FORMATS, Format, Style, export, packed
from pagetide.exports.origin import Origin
from pagetide.exports.tables.cells import grid

__all__ = [
    "FIGURES_FOLDER",
    "FORMATS",
    "Chunking",
    "Format",
    "Origin",
    "Style",
    "export",
    "grid",
    "packed",
]
