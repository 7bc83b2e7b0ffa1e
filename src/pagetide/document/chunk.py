"""A part of a document that is searched and cited separately."""

from __future__ import annotations

from msgspec import Struct

from pagetide.document.kinds import BlockKind
from pagetide.geometry import Polygon


class ChunkPlace(Struct, frozen=True, kw_only=True, gc=False):
    """The position of a chunk's text.

    Attributes:
        page: The page's number, from 1.
        polygon: In that page's pixels, at the page's `dpi`.
        kind: The block's kind.
        order: The block's `order` on its page; None for a line in no block.
    """

    page: int
    polygon: Polygon
    kind: BlockKind
    order: int | None = None


class Chunk(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a document, small enough for its use, with the headings above it.

    Attributes:
        index: Its position among the document's chunks, from 0.
        text: Paragraphs with a blank line between them; tables in Markdown.
        headings: The headings above it, the document's title first.
            If they would take more than half of a chunk, the outermost are left out.
        pages: The numbers of its pages, each once, in order.
        places: The blocks that it consists of, in reading order: its provenance.
        tokens: Number of tokens of `full_text`, as counted.
        source: The document's name.

    >>> chunk = document.chunks()[0]
    >>> print(chunk.full_text[:40])
    Appendix B: figures
    Times are British Su
    """

    index: int
    text: str
    headings: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    places: tuple[ChunkPlace, ...] = ()
    tokens: int = 0
    source: str = ""

    @property
    def full_text(self) -> str:
        """The headings, one per line, and the text below them: the text to embed."""
        return "\n".join((*self.headings, self.text))
