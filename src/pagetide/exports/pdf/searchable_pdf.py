"""A document's input as a PDF that can be searched: its pages, with their text beneath."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pagetide.document import Document
from pagetide.exports.origin import Origin
from pagetide.exports.pdf import pdf_append, picture_pdf
from pagetide.exports.pdf.text_layer import layer_of

_OPEN_S = 20.0  # what opening may take at most, as for reading; a page adds its share
_PAGE_S = 0.5


def write(document: Document, origin: Origin) -> bytes:
    """The input's pages, each with its words as invisible text where they stand.

    A PDF's own bytes come first, untouched; the text is appended to them. An encrypted PDF
    stays encrypted. A page whose lines came from its own text gets no second text, nor does
    one that could not be read. Where a page's own text was there but not trusted, it stays
    (it is part of the original), and a search finds both.

    A picture becomes the page of a new PDF, in its size; a JPEG's bytes are kept as they
    are. Only the pages that were read are there.

    Raises:
        PagetideError: The input can no longer be read, or no text can be added to it.
    """
    content = origin.read(document)
    if document.source.media_type != "application/pdf":
        return picture_pdf.write(document, origin, content)
    layers = [layer_of(page) for page in document.pages if not page.text_layer.used]
    layers = [layer for layer in layers if layer.words]
    if not layers:
        return content
    place = content if isinstance(origin.source, bytes) else Path(origin.source)
    update: bytes = origin.child.call(
        pdf_append.appended,
        place,
        msgspec.msgpack.encode(layers),
        origin.password,
        timeout_s=_OPEN_S + _PAGE_S * len(layers),
    )
    return content + update
