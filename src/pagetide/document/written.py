"""The output forms of a document and of a page."""

from __future__ import annotations

from collections.abc import Callable, Sized
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pagetide.document.answers import Source, answers
from pagetide.system.part_file import part_file

if TYPE_CHECKING:
    from pagetide.document.chunk import Chunk
    from pagetide.document.field import Fields
    from pagetide.document.kinds import ChunkBy, LineBreaks


CountTokens = Callable[[str], int | Sized]
"""Gives the tokens of a text, or their number."""


class Written:
    """The texts, files and chunks of a `Document` or a `Page`.

    In the examples `document` is `pagetide.read("table.png")`, a picture of a page with a
    heading and two tables, `page` its only page, `table` its first table.
    """

    __slots__ = ()

    def to_text(self, *, line_breaks: LineBreaks = "join") -> str:
        """The text in reading order: a blank line between blocks, a form feed between pages.

        Args:
            line_breaks: Whether a paragraph's rows are joined, and hyphens undone, or each
                line is kept.

        >>> document.to_text().splitlines()[0]
        'Appendix B: figures'
        """
        return answers().text_of(self, "txt", None, line_breaks)

    def to_markdown(
        self, *, figures: str | None = None, line_breaks: LineBreaks = "join"
    ) -> str:
        """The text as Markdown, with headings, lists, tables and formulas.

        Args:
            figures: The location of figures' pictures: an address up to its last slash, such as
                `scan-figures/`. None makes no links.
            line_breaks: As in `to_text`.

        >>> document.to_markdown().splitlines()[2]
        '# Appendix B: figures'
        """
        return answers().text_of(self, "md", figures, line_breaks)

    def to_html(self, *, figures: str | None = None, line_breaks: LineBreaks = "join") -> str:
        """The text as one HTML page that fetches and runs nothing; see `to_markdown`.

        >>> "<h3>Appendix B: figures</h3>" in document.to_html()
        True
        """
        return answers().text_of(self, "html", figures, line_breaks)

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers: the content of its JSON.

        >>> sorted(page.to_dict())[:4]
        ['barcodes', 'blocks', 'dpi', 'error']
        """
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def chunks(
        self,
        *,
        max_tokens: int = 512,
        overlap: int = 0,
        by: ChunkBy = "heading",
        tokenizer: CountTokens | None = None,
    ) -> tuple[Chunk, ...]:
        """Its parts for retrieval, in reading order.

        A table stays whole if it fits; otherwise each of its parts has its header. Paragraphs
        are cut between sentences if necessary, long sentences between words. Page headers,
        footers and page numbers are left out, and so are mere pictures. A page that could not
        be read has no chunks: `failed_pages` lists those.

        Args:
            max_tokens: The most tokens of a chunk's `full_text`: headings and text.
            overlap: How many tokens of a chunk's end the next one repeats at most, if both are
                under one heading; at most half of `max_tokens`.
            by: `heading`: a chunk ends at each heading; `page`: at each page's end, too;
                `block`: each block is a separate chunk.
            tokenizer: Gives the tokens of a text, or their number; by default its words.

        Returns:
            Chunks with their headings, and with pages and polygons as provenance.

        Raises:
            BadOption: `max_tokens`, `overlap` or `by` is not allowed.

        >>> for chunk in document.chunks(max_tokens=200):
        ...     print(chunk.headings, chunk.pages, [place.kind for place in chunk.places])
        ('Appendix B: figures',) (1,) ['text', 'caption', 'table']
        ('Appendix B: figures',) (1,) ['caption', 'table']
        >>> letters = document.chunks(max_tokens=500, tokenizer=len)
        >>> all(chunk.tokens == len(chunk.full_text) <= 500 for chunk in letters)
        True
        """
        return answers().chunks_of(self, max_tokens, overlap, by, tokenizer)

    def fields(self) -> Fields:
        """Its labels with their values, its dates and sums, and the parts of an invoice.

        They come from the words and tables alone, and each has its position; nothing is made
        up. Labels are known in eleven languages; others count if followed by a colon. A bill's
        sums are added up: `bill.checks` lists the mismatches.

        >>> document.fields().bill is None
        True
        """
        return answers().fields_of(self)

    def save(
        self,
        path: str | PathLike[str],
        *,
        source: Source | None = None,
        password: str | None = None,
    ) -> tuple[Path, ...]:
        """Write it into a file, in the format given by the file's ending.

        `.json`, `.md`, `.txt`, `.html`, `.hocr`, `.xlsx` (all tables), `.jsonl` (chunks),
        `.fields.json`;
        `.pdf` (searchable); `.csv` (each table) and `.png` (each page with what was found
        drawn on it), of which there may be several, named `scan-p3-t1.csv` and `scan.3.png`;
        `.csv.zip`, `.png.zip` and `.figures.zip` (figures cut out).

        Args:
            path: Overwritten if it exists.
            source: What it was read from; `.pdf`, `.png` and figures need it. Not
                needed if this process has read it from a path or from bytes.
            password: Opens the source, if it is encrypted.

        Returns:
            The files that were written.

        Raises:
            BadOption: The ending is of no known format, there is nothing of the kind to write,
                or the source is needed or has changed.
            CannotWrite: The file cannot be written.
            PagetideError: The source can no longer be read.

        >>> document.save("tides.md")
        (PosixPath('tides.md'),)
        >>> [path.name for path in document.save("tides.csv")]
        ['tides-p1-t1.csv', 'tides-p1-t2.csv']
        """
        written = []
        for place, content in answers().files_of(self, Path(path), source, password):
            with part_file(place) as file:
                file.write(content)
            written.append(place)
        return tuple(written)

    def _repr_html_(self) -> str:
        """The notebook view: pages with what was found on them, and tables."""
        return answers().notebook_of(self)
