"""The fields of a PDF's form that hold text, in the child: names, values, positions."""

from __future__ import annotations

from functools import partial
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.document import FormField, FormFieldKind, Notice
from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.annotations import widgets_of
from pagetide.inputs.pdf.frame import PageFrame

_KINDS: dict[int, FormFieldKind] = {
    pdfium.FPDF_FORMFIELD_TEXTFIELD: "text",
    pdfium.FPDF_FORMFIELD_COMBOBOX: "choice",
    pdfium.FPDF_FORMFIELD_LISTBOX: "choice",
    pdfium.FPDF_FORMFIELD_SIGNATURE: "signature",
}
_MOST = 2000  # of a page
_LONGEST_BYTES = 65_536  # of a name or value, in UTF-16; a longer one is left out
_MOST_OPTIONS = 500  # of a list; of a longer one only the first selected option is given
LEFT_OUT = Notice(
    code="form_fields_left_out",
    message=f"The page has more than {_MOST} form fields; the rest were left out.",
)

_text = partial(calls.text_of, most=_LONGEST_BYTES)


def form_fields_on(
    form: Any, page: Any, frame: PageFrame
) -> tuple[tuple[FormField, ...], tuple[Notice, ...]]:
    """The visible fields, in the file's order, and notices about them.

    Args:
        form: PDFium's handle of the document's form; None if it has none.
        page: Likewise, as loaded.
        frame: Of the page.
    """
    found: list[FormField] = []
    for kind, annotation, box in widgets_of(form, page, _KINDS):
        if len(found) == _MOST:
            return tuple(found), (LEFT_OUT,)
        found.append(
            FormField(
                kind=kind,
                polygon=frame.polygon(box),
                name=_text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation),
                value=_chosen(form, annotation)
                or _text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation),
                label=_text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation),
            )
        )
    return tuple(found), ()


def _chosen(form: Any, annotation: Any) -> str:
    """Several selected options of a list, as shown, one per line: PDFium gives only one."""
    count = pdfium.FPDFAnnot_GetOptionCount(form, annotation)
    chosen = [
        option
        for option in range(count if count <= _MOST_OPTIONS else 0)
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, option)
    ]
    if len(chosen) < 2:
        return ""
    label = pdfium.FPDFAnnot_GetOptionLabel
    return "\n".join(_text(label, form, annotation, option) for option in chosen)
