"""PDFium's functions that are called hundreds of times a page, with addresses as numbers.

Without the conversion of pointers a call takes 1.0 µs instead of 1.7. What they return, and
when they fail, is in PDFium's public headers.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int


def address_of(handle: Any) -> int:
    """The address that a handle holds."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def _plain(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(address_of(function))


char_box = _plain(pdfium.FPDFText_GetLooseCharBox, _INT, _ADDRESS, _INT, _ADDRESS)
char_angle = _plain(pdfium.FPDFText_GetCharAngle, ctypes.c_float, _ADDRESS, _INT)
char_object = _plain(pdfium.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, _INT)
char_is_unmapped = _plain(pdfium.FPDFText_HasUnicodeMapError, _INT, _ADDRESS, _INT)

page_object = _plain(pdfium.FPDFPage_GetObject, _ADDRESS, _ADDRESS, _INT)
form_object = _plain(pdfium.FPDFFormObj_GetObject, _ADDRESS, _ADDRESS, ctypes.c_ulong)
object_kind = _plain(pdfium.FPDFPageObj_GetType, _INT, _ADDRESS)
object_bounds = _plain(pdfium.FPDFPageObj_GetBounds, _INT, _ADDRESS, *[_ADDRESS] * 4)
object_matrix = _plain(pdfium.FPDFPageObj_GetMatrix, _INT, _ADDRESS, _ADDRESS)
object_is_clear = _plain(pdfium.FPDFPageObj_HasTransparency, _INT, _ADDRESS)
render_mode = _plain(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _ADDRESS)
image_size = _plain(pdfium.FPDFImageObj_GetImagePixelSize, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
form_count = _plain(pdfium.FPDFFormObj_CountObjects, _INT, _ADDRESS)
