"""Links, notes, check boxes and bar codes on a page, besides its text and blocks."""

from __future__ import annotations

from msgspec import Struct

from pagetide.document.kinds import FormFieldKind, SelectionKind
from pagetide.geometry import Polygon


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a page that links somewhere.

    Attributes:
        polygon: Upright; a link on several rows is given once for each.
        address: As the file gives it, with any scheme: its target was not checked.
        page: The number of the document's page that it points to.
    """

    polygon: Polygon
    address: str | None = None
    page: int | None = None


class TextPlace(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a line.

    Attributes:
        line: The line's index in `Page.lines`.
        start: The index in the line's `text` of its first character, from 0.
        end: The index after its last.
    """

    line: int
    start: int
    end: int


class Footnote(Struct, frozen=True, kw_only=True, gc=False):
    """A note, linked to its marks in the text.

    Attributes:
        mark: As on the page: a number, a letter, a sign such as `*`.
        place: Its position in the note; the note starts with that line.
        marked: Its raised positions in the text.
    """

    mark: str
    place: TextPlace
    marked: tuple[TextPlace, ...]


class SelectionMark(Struct, frozen=True, kw_only=True, gc=False):
    """A check box or a radio button: of a PDF's form, or drawn beside words.

    The page's lines contain it, too, before what it marks: as U+2612 if it is selected (or as
    the sign U+2611 on the page), as U+2610 if it is not.

    Attributes:
        polygon: Upright.
        name: The field's, as the file gives it; empty for a drawn one.
        value: The value of the field if this mark is selected; likewise.
    """

    kind: SelectionKind
    selected: bool
    polygon: Polygon
    name: str = ""
    value: str = ""


class Barcode(Struct, frozen=True, kw_only=True, gc=False):
    """A one- or two-dimensional bar code, such as a QR code, with its content.

    Attributes:
        kind: Such as `qr_code`, `data_matrix`, `code_128` or `ean_13`.
        text: Its content, as text.
        content: The same in bytes; Base64 in JSON.
        polygon: Clockwise from the code's own top left.
    """

    kind: str
    text: str
    content: bytes
    polygon: Polygon


class FormField(Struct, frozen=True, kw_only=True, gc=False):
    """A field of a PDF's form that holds text; the page's lines have its value, too.

    Its check boxes and radio buttons are selection marks.

    Attributes:
        polygon: Upright.
        name: The field's, as the file gives it, with those of its parent fields.
        value: What was entered or chosen; empty if nothing was, and for a signature. Several
            chosen options are given as shown, one per line.
        label: The hint shown to a reader; empty if the file gives none.
    """

    kind: FormFieldKind
    polygon: Polygon
    name: str = ""
    value: str = ""
    label: str = ""
