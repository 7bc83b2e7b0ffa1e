"""A document in parts for retrieval, each with its headings and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from pagetide.document import Chunk, Document
from pagetide.exports.chunks.chunking import Chunking

if TYPE_CHECKING:
    from pagetide.exports.chunks.counting import Counting
    from pagetide.exports.chunks.parts import Part

__all__ = ["Chunking", "chunked", "write"]


def chunked(document: Document, how: Chunking) -> Iterator[Chunk]:
    """The document's chunks in reading order; see `Document.chunks`.

    Args:
        document: As read.
        how: How large they may be, and where they end.
    """
    # Imported here, so that to say how large chunks may be loads nothing that makes them.
    from pagetide.exports.chunks.counting import Counting
    from pagetide.exports.chunks.gathered import gathered, text_of
    from pagetide.exports.chunks.sections import sections

    index = 0
    for section in sections(document, how.by):
        counting = Counting.under(section.headings, how)
        for parts in gathered(section.parts, counting):
            text = text_of(parts)
            if text.strip():
                yield _chunk(document, index, text, parts, counting)
                index += 1


def write(document: Document, how: Chunking) -> str:
    """The chunks as JSON Lines."""
    return "".join(msgspec.json.encode(each).decode() + "\n" for each in chunked(document, how))


def _chunk(
    document: Document, index: int, text: str, parts: Sequence[Part], counting: Counting
) -> Chunk:
    places = tuple(
        dict.fromkeys(place for part in parts for place in (*part.captions, *part.places))
    )
    return Chunk(
        index=index,
        text=text,
        headings=counting.headings,
        pages=tuple(sorted({place.page for place in places})),
        places=places,
        tokens=counting.tokens(text),
        source=document.source.name,
    )
