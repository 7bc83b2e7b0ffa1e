"""Exports: a document as text, Markdown, HTML, JSON, hOCR, searchable PDF, or pictures."""

from pagetide.exports.formats import FORMATS, Format, export
from pagetide.exports.origin import Origin

__all__ = ["FORMATS", "Format", "Origin", "export"]
