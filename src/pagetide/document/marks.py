"""What stands on a page beside its text and blocks: links, notes, check boxes, bar codes."""

from __future__ import annotations

from msgspec import Struct

from pagetide.document.kinds import FormFieldKind, SelectionKind
from pagetide.geometry import Polygon


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a page that leads somewhere.

    Attributes:
        polygon: Upright; a link on several rows has one of these for each.
        address: As the file gives it, of whatever scheme: nobody has looked where it leads.
        page: The number of the document's page that it leads to.
    """

    polygon: Polygon
    address: str | None = None
    page: int | None = None


class TextPlace(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a line.

    Attributes:
        line: The line's place in `Page.lines`.
        start: The place in the line's `text` of its first character, from 0.
        end: The place behind its last.
    """

    line: int
    start: int
    end: int


class Footnote(Struct, frozen=True, kw_only=True, gc=False):
    """A note, tied to its marks in the text.

    Attributes:
        mark: As the page has it: a number, a letter, a sign such as `*`.
        place: Where the note has it; the note begins with that line.
        marked: Where it stands raised in the text.
    """

    mark: str
    place: TextPlace
    marked: tuple[TextPlace, ...]


class SelectionMark(Struct, frozen=True, kw_only=True, gc=False):
    """A check box or a radio button: of a PDF's form, or drawn beside words.

    The page's lines have it, too, before what it marks: as U+2612 where it is selected (or as
    the sign U+2611 that stands there), as U+2610 where it is not.

    Attributes:
        polygon: Upright.
        name: The field's, as the file gives it; empty of a drawn one.
        value: What the field has where this mark is selected; likewise.
    """

    kind: SelectionKind
    selected: bool
    polygon: Polygon
    name: str = ""
    value: str = ""


class Barcode(Struct, frozen=True, kw_only=True, gc=False):
    """A bar code or one in two dimensions, such as a QR code, with what it holds.

    Attributes:
        kind: Such as `qr_code`, `data_matrix`, `code_128` or `ean_13`.
        text: What it holds, as text.
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
        name: The field's, as the file gives it, with those of the fields that hold it.
        value: What was entered or chosen; empty where nothing was, and of a signature. Several
            that were chosen are as they are shown, a line each.
        label: What a reader is shown of it, as a hint; empty where the file gives none.
    """

    kind: FormFieldKind
    polygon: Polygon
    name: str = ""
    value: str = ""
    label: str = ""
