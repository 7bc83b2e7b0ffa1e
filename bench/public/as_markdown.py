"""A page in the form that public benchmarks expect: Markdown without our own additions.

They compare raw characters, so a backslash that escapes a sign would count as an error, and so
would style tags and the comments that name pages. Page headers, footers and numbers are
in such comments and are dropped with them; tables are HTML, their only form with spans.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from pagetide.document import Block, Document, Page
from pagetide.exports.text import markdown

# From the exporter: a `<` of the page is escaped.
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SHIELDED = re.compile(r"\\([!-/:-@\[-`{-~])")
_QUOTED = re.compile(r"^> ", re.MULTILINE)  # a figure's own words
_KEPT = ("<table>", "$$ ", "```")  # text without escaped signs


def as_markdown(document: Document) -> str:
    """The text of the document's pages; nothing from a page that could not be read."""
    pages = (_plain(page) for page in document.pages if page.error is None)
    written = markdown.write(replace(document, pages=tuple(pages)), html_tables=True)
    parts = (_bare(part) for part in _COMMENT.sub("", written).split("\n\n"))
    return "\n\n".join(part for part in parts if part) + "\n"


def writes_latex(page: Page, block: Block) -> bool:
    """Whether a formula's text is LaTeX, and not just its letters read like any others."""
    return not any(
        line.source == "text_layer" or (line.source == "ocr" and line.confidence is not None)
        for line in page.lines_of(block)
    )


def _plain(page: Page) -> Page:
    """The page without links and styles; its formulas are text if they have no LaTeX."""
    blocks = tuple(
        replace(block, kind="text")
        if block.kind == "formula" and not writes_latex(page, block)
        else block
        for block in page.blocks
    )
    lines = tuple(replace(line, styles=()) for line in page.lines)
    return replace(page, lines=lines, blocks=blocks, links=(), footnotes=())


def _bare(part: str) -> str:
    part = part.strip("\n")
    return part if part.startswith(_KEPT) else _SHIELDED.sub(r"\1", _QUOTED.sub("", part))
