"""A PDF form's check boxes and radio buttons, in the child: as marks and as words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.document import Notice, SelectionKind, SelectionMark
from pagetide.geometry import Box, center, contains
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.annotations import widgets_of
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.inputs.text.lines import NEW_LINE, PlacedWord, turned
from pagetide.layout.check_marks import LEFT_OUT, MOST_MARKS, SELECTED, UNSELECTED

_KINDS: dict[int, SelectionKind] = {
    pdfium.FPDF_FORMFIELD_CHECKBOX: "checkbox",
    pdfium.FPDF_FORMFIELD_RADIOBUTTON: "radio",
}
_LONGEST_BYTES = 1024  # of a name or value, in UTF-16
_NEAR = 3.0  # in heights of the mark: the distance of what it marks, at most
_LEVEL = 0.5  # of the lower of two boxes that are level

# Where PDFDocEncoding is not Latin-1 (ISO 32000-1, annex D.3): from 0x80, and 0xA0.
_ODD = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
_PDFDOC = {ord(letter): 0x80 + place for place, letter in enumerate(_ODD)} | {ord("€"): 0xA0}

_text = partial(calls.text_of, most=_LONGEST_BYTES)

Placed = tuple[SelectionMark, Box]
"""A mark, and its box in the PDF's own space."""


def selection_on(
    form: Any, page: Any, frame: PageFrame
) -> tuple[list[Placed], tuple[Notice, ...]]:
    """The visible check boxes and radio buttons, in the file's order, and notices about them.

    Args:
        form: PDFium's handle of the document's form; None if it has none.
        page: Likewise, as loaded.
        frame: Of the page.
    """
    found: list[Placed] = []
    for kind, annotation, box in widgets_of(form, page, _KINDS):
        mark = SelectionMark(
            kind=kind,
            selected=bool(pdfium.FPDFAnnot_IsChecked(form, annotation)),
            polygon=frame.polygon(box),
            name=_text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation),
            value=_state(_text(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation)),
        )
        found.append((mark, box))
        if len(found) > MOST_MARKS:
            return found[:MOST_MARKS], (LEFT_OUT,)
    return found, ()


def _state(name: str) -> str:
    """The name of a state: PDFium decodes its bytes as PDFDocEncoding even if they are UTF-8.

    Bytes without a meaning there are lost, so a name with a `ß` stays as it was.
    """
    try:
        return name.translate(_PDFDOC).encode("latin-1").decode()
    except UnicodeError:
        return name


def with_marks(words: Sequence[PlacedWord], marks: Sequence[Placed]) -> list[PlacedWord]:
    """The words with a sign for each mark before what it marks, or after it.

    A drawing inside a mark that shows that it is set is not a word.
    """
    if not marks:
        return list(words)
    boxes = [box for _, box in marks]
    found = [word for word in words if not _is_within(word, boxes)]
    for mark, box in marks:
        sign = SELECTED if mark.selected else UNSELECTED
        place, angle = _place(found, box)
        found.insert(place, (sign, turned(box, angle), NEW_LINE, angle))
    return found


def _is_within(word: PlacedWord, boxes: Sequence[Box]) -> bool:
    middle = center(turned(word[1], -word[3]) if word[3] else word[1])
    return any(contains(box, middle) for box in boxes)


def _place(words: Sequence[PlacedWord], box: Box) -> tuple[int, float]:
    """The index among the words at which a mark is read, and the text's angle there."""
    best, place, angle = float("inf"), len(words), 0.0
    for at, (_, there, _, turn) in enumerate(words):
        left, low, right, high = turned(box, turn) if turn else box
        height = high - low
        level = min(high, there[3]) - max(low, there[1])
        if level < _LEVEL * min(height, there[3] - there[1]):
            continue
        before, behind = there[0] - right, left - there[2]
        # A mark belongs to what is on its right; to its left, if there is nothing else.
        gap = before if before > -height / 2 else behind + _NEAR * height
        if gap < best and max(before, behind) <= _NEAR * height:
            best, place, angle = gap, at + (before <= -height / 2), turn
    return place, angle
