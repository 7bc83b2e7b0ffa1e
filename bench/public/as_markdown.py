"""A page as the public benchmarks want it told: Markdown without what only our readers use.

They compare raw characters, so a backslash that shields a sign would count as an error, and so
would tags of styles and the comments that name pages. Page headers, footers and numbers stand
in such comments and go with them; tables are HTML, the only form of theirs that knows spans.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from pagetide.document import Block, Document, Page
from pagetide.exports.text import markdown

# Of the exporter: a `<` of the page is shielded.
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SHIELDED = re.compile(r"\\([!-/:-@\[-`{-~])")
_QUOTED = re.compile(r"^> ", re.MULTILINE)  # a figure's own words
_KEPT = ("<table>", "$$ ", "```")  # what holds no shielded signs


def as_markdown(document: Document) -> str:
    """The text of the document's pages; nothing of a page that could not be read."""
    pages = (_plain(page) for page in document.pages if page.error is None)
    written = markdown.write(replace(document, pages=tuple(pages)), html_tables=True)
    parts = (_bare(part) for part in _COMMENT.sub("", written).split("\n\n"))
    return "\n\n".join(part for part in parts if part) + "\n"


def writes_latex(page: Page, block: Block) -> bool:
    """Whether a formula's text is LaTeX, and not its letters read like any others."""
    return not any(
        line.source == "text_layer" or (line.source == "ocr" and line.confidence is not None)
        for line in page.lines_of(block)
    )


def _plain(page: Page) -> Page:
    """The page without links and styles, its formulas text where no LaTeX is written."""
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
