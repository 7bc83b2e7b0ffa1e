"""The formats a document can be written in, by name.

What writes one is imported when it is written: a cold start waits for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pagetide.document import Document, LineBreaks
from pagetide.errors import BadOption, nearest
from pagetide.exports.chunks.chunking import Chunking
from pagetide.exports.origin import Origin
from pagetide.exports.packing import zipped

Files = Iterator[tuple[str, bytes]]
ZIP = "application/zip"


@dataclass(frozen=True, kw_only=True)
class Style:
    """What may be chosen of how text is written.

    Attributes:
        figures: Where `md` and `html` link to figures' pictures: an address up to its last
            slash, such as `scan-figures/`. None makes no links.
        line_breaks: Whether `md`, `txt` and `html` `join` a paragraph's rows, and undo
            hyphens, or `keep` each line.
        chunking: How large chunks are.
    """

    figures: str | None = None
    line_breaks: LineBreaks = "join"
    chunking: Chunking = field(default_factory=Chunking)


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a document.

    Attributes:
        name: As asked for.
        suffix: What a file of it ends in, with the dot.
        media_type: As HTTP names it.
        write: Gives the files' endings and contents, of a document, its input where that is
            there, and what was chosen.
        needs_origin: Whether the input itself is needed.
        many: Whether it may be any number of files.
    """

    name: str
    suffix: str
    media_type: str
    write: Callable[[Document, Origin | None, Style], Files]
    needs_origin: bool = False
    many: bool = False

    @property
    def packed_suffix(self) -> str:
        """What its one file ends in: a ZIP archive, where it is many files."""
        return f".{self.name}.zip" if self.many else self.suffix

    @property
    def packed_media_type(self) -> str:
        """The type of its one file."""
        return ZIP if self.many else self.media_type


def export(
    document: Document, name: str, origin: Origin | None = None, style: Style = Style()
) -> Files:
    """The document in a format, as endings of file names and contents.

    Most formats give one file, ending in the format's suffix. Others give any number, each
    made only as it is taken: `png` one for each page that was read, ending in `.png` where
    the input has one page, else in `.7.png` and the like; `csv` one for each table
    (`-p3-t1.csv` is the first of page 3); `figures` one for each figure, chart and seal
    (`-figures/p0003-b12.png` is block 12 of page 3).

    Args:
        document: As read.
        name: One of `FORMATS`.
        origin: The input; `pdf`, `png` and `figures` need it.
        style: How text is written.

    Raises:
        BadOption: No such format, or it needs the input and got none.
        PagetideError: The input can no longer be read.
    """
    if name not in FORMATS:
        raise BadOption(f"There is no format {name!r}: {nearest(name, FORMATS)}.")
    form = FORMATS[name]
    if form.needs_origin and origin is None:
        raise BadOption(f"Writing {name} needs the input itself.")
    return form.write(document, origin, style)


def packed(
    document: Document, name: str, origin: Origin | None = None, style: Style = Style()
) -> Iterator[bytes]:
    """The document in a format as one file, in parts; see `Format.packed_suffix`.

    Takes and raises what `export` does. In a ZIP archive, names are the endings without the
    dash: `p3-t1.csv`, `figures/p0003-b12.png`.
    """
    files = export(document, name, origin, style)
    if FORMATS[name].many:
        return zipped((ending.lstrip("-."), content) for ending, content in files)
    return (content for _, content in files)


def _json(document: Document, origin: Origin | None, style: Style) -> Files:
    yield ".json", f"{document.to_json()}\n".encode()


def _markdown(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.text import markdown

    yield ".md", markdown.write(document, style.figures, style.line_breaks).encode()


def _text(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.text import plain_text

    yield ".txt", plain_text.write(document, style.line_breaks).encode()


def _html(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.text import html

    yield ".html", html.write(document, style.figures, style.line_breaks).encode()


def _chunks(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports import chunks

    yield ".chunks.jsonl", chunks.write(document, style.chunking).encode()


def _fields(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports import fields

    yield ".fields.json", fields.write(document).encode()


def _hocr(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.text import hocr

    yield ".hocr", hocr.write(document).encode()


def _csv(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.tables import tables_csv

    return tables_csv.write(document)


def _workbook(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.tables import tables_xlsx

    yield ".xlsx", tables_xlsx.write(document)


def _searchable_pdf(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports.pdf import searchable_pdf

    assert origin  # noqa: S101  # `export` saw to it
    yield ".pdf", searchable_pdf.write(document, origin)


def _overlays(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports import overlay

    assert origin  # noqa: S101  # `export` saw to it
    return overlay.write(document, origin)


def _figures(document: Document, origin: Origin | None, style: Style) -> Files:
    from pagetide.exports import figures as pictures

    assert origin  # noqa: S101  # `export` saw to it
    return pictures.write(document, origin)


FORMATS = {
    form.name: form
    for form in (
        Format(
            name="json",
            suffix=".json",
            media_type="application/json",
            write=_json,
        ),
        Format(
            name="md",
            suffix=".md",
            media_type="text/markdown",
            write=_markdown,
        ),
        Format(
            name="txt",
            suffix=".txt",
            media_type="text/plain",
            write=_text,
        ),
        Format(
            name="html",
            suffix=".html",
            media_type="text/html",
            write=_html,
        ),
        Format(
            name="chunks",
            suffix=".chunks.jsonl",
            media_type="application/jsonl",
            write=_chunks,
        ),
        Format(
            name="fields",
            suffix=".fields.json",
            media_type="application/json",
            write=_fields,
        ),
        Format(
            name="hocr",
            suffix=".hocr",
            media_type="text/vnd.hocr+html",
            write=_hocr,
        ),
        Format(
            name="pdf",
            suffix=".pdf",
            media_type="application/pdf",
            write=_searchable_pdf,
            needs_origin=True,
        ),
        Format(
            name="csv",
            suffix=".csv",
            media_type="text/csv",
            write=_csv,
            many=True,
        ),
        Format(
            name="xlsx",
            suffix=".xlsx",
            media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            write=_workbook,
        ),
        Format(
            name="figures",
            suffix=".png",
            media_type="image/png",
            write=_figures,
            needs_origin=True,
            many=True,
        ),
        Format(
            name="png",
            suffix=".png",
            media_type="image/png",
            write=_overlays,
            needs_origin=True,
            many=True,
        ),
    )
}
