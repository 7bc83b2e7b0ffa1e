"""The formats a document can be written in, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pagetide.document import Document
from pagetide.errors import BadOption, nearest
from pagetide.exports import hocr, html, markdown, plain_text
from pagetide.exports.origin import Origin


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a document.

    Attributes:
        name: As asked for.
        suffix: What a file of it ends in, with the dot.
        media_type: As HTTP names it.
        write: Gives the files' endings and contents: one file, or one for each page.
        needs_origin: Whether the input itself is needed.
    """

    name: str
    suffix: str
    media_type: str
    write: Callable[[Document, Origin | None], Iterator[tuple[str, bytes]]]
    needs_origin: bool = False


def export(
    document: Document, name: str, origin: Origin | None = None
) -> Iterator[tuple[str, bytes]]:
    """The document in a format, as endings of file names and contents.

    Every format gives one file, ending in the format's suffix, but `png`: that gives one
    for each page that was read, ending in `.png` where the input has one page, else in
    `.7.png` and the like, and each is drawn only as it is taken.

    Args:
        document: As read.
        name: One of `FORMATS`.
        origin: The input; `pdf` and `png` need it.

    Raises:
        BadOption: No such format, or it needs the input and got none.
        PagetideError: The input can no longer be read.
    """
    if name not in FORMATS:
        raise BadOption(f"There is no format {name!r}: {nearest(name, FORMATS)}.")
    form = FORMATS[name]
    if form.needs_origin and origin is None:
        raise BadOption(f"To write {name}, the input itself is needed.")
    return form.write(document, origin)


def _whole(
    suffix: str, write: Callable[[Document], str]
) -> Callable[[Document, Origin | None], Iterator[tuple[str, bytes]]]:
    def files(document: Document, origin: Origin | None) -> Iterator[tuple[str, bytes]]:
        yield suffix, write(document).encode()

    return files


def _json(document: Document) -> str:
    return document.to_json() + "\n"


def _searchable_pdf(document: Document, origin: Origin | None) -> Iterator[tuple[str, bytes]]:
    from pagetide.exports import searchable_pdf

    assert origin  # noqa: S101  # `export` saw to it
    yield ".pdf", searchable_pdf.write(document, origin)


def _overlays(document: Document, origin: Origin | None) -> Iterator[tuple[str, bytes]]:
    from pagetide.exports import overlay

    assert origin  # noqa: S101  # `export` saw to it
    return overlay.write(document, origin)


FORMATS = {
    form.name: form
    for form in (
        Format(
            name="json",
            suffix=".json",
            media_type="application/json",
            write=_whole(".json", _json),
        ),
        Format(
            name="md",
            suffix=".md",
            media_type="text/markdown",
            write=_whole(".md", markdown.write),
        ),
        Format(
            name="txt",
            suffix=".txt",
            media_type="text/plain",
            write=_whole(".txt", plain_text.write),
        ),
        Format(
            name="html",
            suffix=".html",
            media_type="text/html",
            write=_whole(".html", html.write),
        ),
        Format(
            name="hocr",
            suffix=".hocr",
            media_type="text/vnd.hocr+html",
            write=_whole(".hocr", hocr.write),
        ),
        Format(
            name="pdf",
            suffix=".pdf",
            media_type="application/pdf",
            write=_searchable_pdf,
            needs_origin=True,
        ),
        Format(
            name="png",
            suffix=".png",
            media_type="image/png",
            write=_overlays,
            needs_origin=True,
        ),
    )
}
