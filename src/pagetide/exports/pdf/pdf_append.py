"""Text layers appended to a PDF, in the child: an incremental update, written by hand.

The original bytes stay as they are; what is appended are the font, one content stream and
one changed page object for each page, and a table of these. Nothing else is read or copied,
so that time and memory go with the pages that get text.

Source: ISO 32000-1, 7.5.4 to 7.5.8 (cross-reference tables, streams, updates).
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
)

from pagetide.errors import Damaged, PasswordNeeded
from pagetide.exports.pdf import glyphless, pdf_table
from pagetide.exports.pdf.glyphless import Codes
from pagetide.exports.pdf.pdf_table import Form, Place
from pagetide.exports.pdf.text_layer import (
    FONT_NAME,
    PageLayer,
    UserSpace,
    content,
    layers_from_msgpack,
)
from pagetide.geometry import Box

# What pypdf raises on files that are merely damaged.
_DAMAGE = (
    PyPdfError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
_LETTER = (0.0, 0.0, 612.0, 792.0)


def appended(source: int | bytes, layers: bytes, password: str | None = None) -> bytes:
    """What to write after a PDF's bytes so that its pages have these text layers.

    An encrypted PDF stays encrypted, and opens with the same passwords. Text that a page
    already has stays, too: it cannot go while the original is untouched.

    Args:
        source: A descriptor of the PDF's file, which is closed, or its bytes.
        layers: `PageLayer`s in MessagePack.
        password: Opens the PDF, where it is encrypted.

    Raises:
        Damaged: The PDF's pages cannot be found.
        PasswordNeeded: It is encrypted, and the password does not open it.
    """
    original = source if isinstance(source, bytes) else _content(source)
    wanted = layers_from_msgpack(layers)
    with _translated():
        reader = PdfReader(io.BytesIO(original), strict=False)
        if reader.is_encrypted and not reader.decrypt(password or ""):
            raise PasswordNeeded()
        return _Update(reader, original).written(wanted)


def _content(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


class _Update:
    """The objects to append to one PDF, numbered after its own."""

    def __init__(self, reader: PdfReader, original: bytes) -> None:
        self.reader = reader
        self.original = original
        self.old = pdf_table.find(original)
        self.codes = Codes()
        self.changed: dict[tuple[int, int], PdfObject] = {}
        used = [number for table in reader.xref.values() for number in table]
        size = reader.trailer.get("/Size", 0)
        self.free = max([*used, *reader.xref_objStm, int(size) - 1, 0]) + 1

    def written(self, layers: list[PageLayer]) -> bytes:
        font = self.free
        self.free += glyphless.OBJECTS
        pages = self.reader.pages
        for layer in layers:
            self.lay(pages[layer.number - 1], layer, font)
        for number, (entries, data) in enumerate(
            glyphless.font_objects(self.codes, font), start=font
        ):
            self.changed[number, 0] = _parsed(self.reader, entries, data)
        return self.serialised()

    def lay(self, page: PageObject, layer: PageLayer, font: int) -> None:
        reference = page.indirect_reference
        if reference is None or (reference.idnum, reference.generation) in self.changed:
            return  # the same page object twice in one document: its text is there already
        resources, name = _with_font(page, self.reference(font))
        stream = content(layer, _user_space(page), self.codes, name)
        number, self.free = self.free, self.free + 1
        self.changed[number, 0] = _parsed(self.reader, *glyphless.deflated(stream))
        fresh = DictionaryObject(page)
        fresh[NameObject("/Resources")] = resources
        # First, so that no state the page's own content leaves behind can move the text.
        fresh[NameObject("/Contents")] = ArrayObject([self.reference(number), *_contents(page)])
        self.changed[reference.idnum, reference.generation] = fresh

    def reference(self, number: int) -> IndirectObject:
        return IndirectObject(number, 0, self.reader)

    def serialised(self) -> bytes:
        """The changed objects and their table, to stand right after the original bytes."""
        out = io.BytesIO()
        out.write(b"\n")
        start = len(self.original) - self.old.base
        places: dict[int, Place] = {}
        for (number, generation), changed in sorted(self.changed.items(), key=lambda i: i[0]):
            places[number] = (1, start + out.tell(), generation)
            out.write(f"{number} {generation} obj\n".encode())
            self.encrypted(changed, number, generation).write_to_stream(out)
            out.write(b"\nendobj\n")
        table = start + out.tell()
        if self.old.form is None:
            places = pdf_table.known(self.reader) | places
        if self.old.form is Form.TABLE:
            out.write(pdf_table.table(places, self.trailer(), self.free))
        else:
            places[self.free] = (1, table, 0)
            out.write(pdf_table.stream(places, self.trailer(), self.free))
        out.write(f"startxref\n{table}\n%%EOF\n".encode())
        return out.getvalue()

    def encrypted(self, changed: PdfObject, number: int, generation: int) -> PdfObject:
        encryption = self.reader._encryption  # pypdf offers no public way to the keys
        if encryption is None:
            return changed
        return encryption.encrypt_object(changed, number, generation)

    def trailer(self) -> str:
        """The entries that lead to the document's parts, and to the table before ours."""
        own = self.reader.trailer
        trailer = DictionaryObject()
        for name in ("/Root", "/Info", "/ID", "/Encrypt"):
            if name in own:
                trailer[NameObject(name)] = own.raw_get(name)
        if self.old.form:
            trailer[NameObject("/Prev")] = NumberObject(self.old.place)
        out = io.BytesIO()
        trailer.write_to_stream(out)
        return out.getvalue().decode("latin-1").strip().removeprefix("<<").removesuffix(">>")


def _user_space(page: PageObject) -> UserSpace:
    media = _rectangle(page, "/MediaBox") or _LETTER
    crop = _rectangle(page, "/CropBox") or media
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    shown = (left, bottom, right, top) if left < right and bottom < top else media
    rotate = _entry(page, "/Rotate")
    return UserSpace(shown, int(rotate) if isinstance(rotate, int | float) else 0)


def _rectangle(page: PageObject, name: str) -> Box | None:
    try:
        x0, y0, x1, y1 = (float(side.get_object()) for side in _entry(page, name))
    except (AttributeError, TypeError, ValueError):
        return None
    box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return box if box[0] < box[2] and box[1] < box[3] else None


def _entry(dictionary: DictionaryObject, name: str) -> Any:
    """A dictionary's value, followed where it is a reference; None where there is none."""
    return dictionary[name] if name in dictionary else None  # noqa: SIM401  # get() won't follow


def _with_font(page: PageObject, font: IndirectObject) -> tuple[DictionaryObject, str]:
    """The page's resources with our font among its fonts, and the name it has there."""
    resources = _entry(page, "/Resources")
    own = DictionaryObject(resources if isinstance(resources, dict) else {})
    fonts = _entry(own, "/Font")
    listed = DictionaryObject(fonts if isinstance(fonts, dict) else {})
    # A page that has been through here before has the name, and text that needs it.
    names = (f"{FONT_NAME}{suffix}" for suffix in ("", *range(2, len(listed) + 3)))
    name = next(name for name in names if f"/{name}" not in listed)
    listed[NameObject(f"/{name}")] = font
    own[NameObject("/Font")] = listed
    return own, name


def _contents(page: PageObject) -> list[PdfObject]:
    if "/Contents" not in page:
        return []
    raw = page.raw_get("/Contents")
    streams = raw.get_object()
    if isinstance(streams, ArrayObject) and not isinstance(streams, StreamObject):
        return list(streams)
    return [raw] if isinstance(streams, StreamObject) else []


def _parsed(reader: PdfReader, entries: str, data: bytes | None) -> PdfObject:
    """Our own source as pypdf's objects; it keeps references only if it has a reader."""
    dictionary = DictionaryObject.read_from_stream(io.BytesIO(entries.encode()), reader)
    if data is None:
        return dictionary
    stream = StreamObject()
    stream.update(dictionary)
    stream._data = data  # as it is: already compressed
    return stream


@contextmanager
def _translated() -> Iterator[None]:
    """What pypdf raises on damaged files, as ours."""
    try:
        yield
    except _DAMAGE:
        raise Damaged("The PDF is damaged; no text can be added to it.") from None
