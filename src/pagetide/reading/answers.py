"""Implements `document.answers.Answers` with exports.

What gives an answer is imported when it is asked for: a first question waits for no other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from pagetide.document import (
    Chunk,
    ChunkBy,
    Document,
    LineBreaks,
    ModelInfo,
    Page,
    SourceInfo,
    Table,
)
from pagetide.document.answers import Source
from pagetide.document.field import Fields
from pagetide.document.known_source import source_of
from pagetide.document.tabular import Tabular
from pagetide.document.written import CountTokens, Written
from pagetide.errors import PagetideError
from pagetide.exports import FORMATS, Chunking, Style, export, grid
from pagetide.reading.origins import known_or_given, open_origin

if TYPE_CHECKING:
    from PIL.Image import Image

    from pagetide.exports import Origin

_PICTURE_PX = 840  # of a page in a notebook: twice as wide as it is shown
_NOBODY = ModelInfo(name="", engine="", version="", runtime="", language="auto")
_NOTHING = SourceInfo(name="", sha256="", bytes=0, media_type="", page_count=1)


def text_of(of: Written, name: str, figures: str | None, line_breaks: LineBreaks) -> str:
    """A document or a page in a format that is text."""
    style = Style(figures=figures, line_breaks=line_breaks)
    return b"".join(part for _, part in export(_whole(of), name, style=style)).decode()


def files_of(
    of: Written, path: Path, source: Source | None, password: str | None
) -> Iterator[tuple[Path, bytes]]:
    """The files to write and their contents, in the format of the path's ending."""
    from pagetide.exports import endings

    form = FORMATS[endings.ENDINGS[endings.ending_of(path)]]
    with ExitStack() as stack:
        origin, document = None, _whole(of)
        if form.needs_origin:
            known = known_or_given(of, source, password)
            origin, source_info = stack.enter_context(open_origin(known))
            document = document if of is document else replace(document, source=source_info)
        for name, content in endings.files(document, path, origin, Style()):
            yield path.with_name(name), content


def chunks_of(
    of: Written, max_tokens: int, overlap: int, by: ChunkBy, tokenizer: CountTokens | None
) -> tuple[Chunk, ...]:
    """A document or a page in chunks."""
    from pagetide.exports import chunks

    how = Chunking(max_tokens=max_tokens, overlap=overlap, by=by)
    how = how if tokenizer is None else dataclasses.replace(how, tokenizer=tokenizer)
    return tuple(chunks.chunked(_whole(of), how))


def fields_of(of: Written) -> Fields:
    """The fields of a document or a page."""
    from pagetide.exports import fields

    return fields.fields_of(_whole(of))


def notebook_of(of: Written) -> str:
    """A document or a page as HTML for a notebook."""
    from pagetide.exports import notebook

    with ExitStack() as stack:
        return notebook.write(repr(of).strip("<>"), _whole(of).pages, _pictures(of, stack))


def tables_of(document: Document) -> Sequence[Table]:
    """The tables, those that go on over pages as one."""
    from pagetide.exports.tables import tables_csv

    return [table for _, _, table in tables_csv.tables_of(document)]


def image_of(page: Page, drawn: bool, source: Source | None, password: str | None) -> Image:
    """A page's picture, with what was found `drawn` on it."""
    with open_origin(known_or_given(page, source, password)) as (origin, _):
        return _image(origin, page, drawn)


def table_text(table: Tabular, name: str) -> str:
    """A table as `csv`, `md` or `html`."""
    from pagetide.exports.tables import tables_csv
    from pagetide.exports.text import markdown, markup

    write = {"csv": tables_csv.text_of, "md": markdown.table, "html": markup.table}[name]
    return write(cast("Table", table))


def table_rows(table: Tabular) -> list[list[str]]:
    """A table as rows of texts."""
    return grid(cast("Table", table))


def frame_of(table: Tabular) -> Any:
    """A table as a pandas data frame."""
    from pagetide.exports.tables import pandas_frame

    return pandas_frame.frame_of(cast("Table", table))


def _whole(of: Written) -> Document:
    """The document itself, or one of a page alone."""
    if isinstance(of, Document):
        return of
    page = cast("Page", of)
    return Document(source=_NOTHING, model=page.model or _NOBODY, pages=(page,))


def _image(origin: Origin, page: Page, drawn: bool) -> Image:
    from pagetide.exports import overlay

    picture = overlay.picture(origin.picture(page.number, page.dpi).pixels)
    return overlay.drawn(page, picture) if drawn else picture


def _pictures(of: Written, stack: ExitStack) -> Callable[[Page], bytes | None]:
    """Renders pages as JPEG; none where the source is not known or gone."""
    known = source_of(of)
    if known is None:
        return lambda page: None
    try:
        origin, _ = stack.enter_context(open_origin(known))
    except PagetideError:
        return lambda page: None
    return partial(_jpeg, origin)


def _jpeg(origin: Origin, page: Page) -> bytes | None:
    from pagetide.exports import overlay

    try:
        return overlay.jpeg(_image(origin, page, drawn=False), _PICTURE_PX)
    except PagetideError:
        return None
