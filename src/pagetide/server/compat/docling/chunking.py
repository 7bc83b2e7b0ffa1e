"""What a request for chunks asks for, and the answer.

Source: `docling.datamodel.service.chunking` and `responses` of docling-slim 2.143.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from pagetide.document import ChunkBy, Document
from pagetide.errors import BadOption
from pagetide.exports.chunks import Chunking, chunked
from pagetide.server.api.bodies.job_form import converted
from pagetide.server.api.problems import unknown_names
from pagetide.server.compat.docling.tree import refs_of

Place = tuple[int, int | None]  # a page's number, and a block's order there
Chunker = Literal["hybrid", "hierarchical"]

# What their client always sends. It has 256 tokens at most; a word has some 1.4 of them.
TOKENIZER, ITS_WORDS = "sentence-transformers/all-MiniLM-L6-v2", 180
NO_LIMIT = 1_000_000
_PLACEHOLDER = "![IMAGE]"


class ChunkOptions(Struct, frozen=True, kw_only=True):
    """How chunks are to be answered; kept with the job until they are asked for.

    Attributes:
        max_tokens: The most words of one.
        by: Where they end.
        raw_text: Whether the text without its headings is included as well.
        with_document: Whether the document is included as well.
    """

    max_tokens: int = ITS_WORDS
    by: ChunkBy = "heading"
    raw_text: bool = False
    with_document: bool = False


class _Hierarchical(Struct, frozen=True, kw_only=True):
    """The options of their hierarchical chunker."""

    chunker: str | None = None
    use_markdown_tables: bool = False
    use_markdown_images: bool = False
    image_placeholder: str = _PLACEHOLDER
    include_raw_text: bool = False


class _Hybrid(_Hierarchical, frozen=True, kw_only=True):
    """The options of their hybrid chunker."""

    max_tokens: int | None = None
    tokenizer: str = TOKENIZER
    merge_peers: bool = True


def wanted_of(
    chunker: Chunker, fields: Mapping[str, object], *, with_document: bool, texts: bool
) -> ChunkOptions:
    """What chunks are wanted.

    Args:
        chunker: Theirs.
        fields: Its options, by name.
        with_document: Whether the document is included as well.
        texts: They came as texts.

    Raises:
        BadOption: An option is unknown, not valid, or asks for what is not done here.
    """
    kind = _Hybrid if chunker == "hybrid" else _Hierarchical
    unknown_names("chunking option", set(fields), set(kind.__struct_fields__))
    given = {name: value for name, value in fields.items() if value not in (None, "")}
    options = converted(given, kind, texts=texts)
    _check(chunker, options)
    if not isinstance(options, _Hybrid):
        return ChunkOptions(
            max_tokens=NO_LIMIT,
            by="block",
            raw_text=options.include_raw_text,
            with_document=with_document,
        )
    return ChunkOptions(
        max_tokens=options.max_tokens or ITS_WORDS,
        by="heading" if options.merge_peers else "block",
        raw_text=options.include_raw_text,
        with_document=with_document,
    )


def chunks_of(document: Document, wanted: ChunkOptions) -> Iterator[dict[str, Any]]:
    """The chunks, each as a `ChunkedDocumentResultItem`."""
    refs, captions = refs_of(document), _captions(document)
    is_counted = wanted.max_tokens < NO_LIMIT
    for chunk in chunked(document, Chunking(max_tokens=wanted.max_tokens, by=wanted.by)):
        blocks = [(place.page, place.order) for place in chunk.places]
        yield {
            "filename": document.source.name,
            "chunk_index": chunk.index,
            "text": chunk.full_text,
            "raw_text": chunk.text if wanted.raw_text else None,
            "num_tokens": chunk.tokens if is_counted else None,
            "headings": list(chunk.headings) or None,
            "captions": [*dict.fromkeys(_each(captions, blocks))] or None,
            "doc_items": [*_each(refs, blocks)],
            "page_numbers": list(chunk.pages),
            "metadata": {"tokens": "words"} if is_counted else None,
        }


def _each(known: Mapping[Place, Sequence[str]], blocks: Iterable[Place]) -> Iterator[str]:
    """What is known of each block in turn."""
    return (text for block in blocks for text in known.get(block, ()))


def _captions(document: Document) -> dict[Place, list[str]]:
    """The captions of each block, and of each caption itself, by page and order."""
    found: dict[Place, list[str]] = {}
    for page in document.pages:
        for block in page.blocks:
            if block.kind == "caption":
                for order in {block.order, block.caption_of}:
                    found.setdefault((page.number, order), []).append(block.text)
    return found


def _check(chunker: Chunker, options: _Hierarchical) -> None:
    if options.chunker not in (None, chunker):
        raise BadOption(f"`chunker` must be {chunker} here, not {options.chunker[:80]!r}.")
    if options.use_markdown_images or options.image_placeholder != _PLACEHOLDER:
        raise BadOption("`use_markdown_images`: there are no pictures in chunks here.")
    if not isinstance(options, _Hybrid):
        return
    if options.tokenizer != TOKENIZER:
        raise BadOption(
            f"`tokenizer` can only be {TOKENIZER} here: words are counted, whatever reads them."
        )
    if options.max_tokens is not None and not 1 <= options.max_tokens <= NO_LIMIT:
        raise BadOption("`max_tokens` must be 1 or more.")
