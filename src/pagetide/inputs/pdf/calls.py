"""PDFium functions that are called hundreds of times a page, with addresses as numbers.

Without the conversion of pointers a call takes 1.0 µs instead of 1.7. Their return values and
errors are in PDFium's public headers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int


def address_of(handle: Any) -> int:
    """The address that a handle holds."""
    return ctypes.cast(handle, _ADDRESS).value or 0


def text_of(function: Callable[..., int], *handles: Any, most: int) -> str:
    """The UTF-16 text that a PDFium function writes; empty if it has too many bytes."""
    size = function(*handles, None, 0)
    if not 2 < size <= most:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*handles, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")


def _plain(function: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(address_of(function))


char_box = _plain(pdfium.FPDFText_GetLooseCharBox, _INT, _ADDRESS, _INT, _ADDRESS)
char_ink = _plain(pdfium.FPDFText_GetCharBox, _INT, _ADDRESS, _INT, *[_ADDRESS] * 4)
char_origin = _plain(pdfium.FPDFText_GetCharOrigin, _INT, _ADDRESS, _INT, _ADDRESS, _ADDRESS)
char_matrix = _plain(pdfium.FPDFText_GetMatrix, _INT, _ADDRESS, _INT, _ADDRESS)
char_size = _plain(pdfium.FPDFText_GetFontSize, ctypes.c_double, _ADDRESS, _INT)
char_object = _plain(pdfium.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, _INT)
char_is_generated = _plain(pdfium.FPDFText_IsGenerated, _INT, _ADDRESS, _INT)
char_is_unmapped = _plain(pdfium.FPDFText_HasUnicodeMapError, _INT, _ADDRESS, _INT)

page_object = _plain(pdfium.FPDFPage_GetObject, _ADDRESS, _ADDRESS, _INT)
form_object = _plain(pdfium.FPDFFormObj_GetObject, _ADDRESS, _ADDRESS, ctypes.c_ulong)
object_kind = _plain(pdfium.FPDFPageObj_GetType, _INT, _ADDRESS)
object_bounds = _plain(pdfium.FPDFPageObj_GetBounds, _INT, _ADDRESS, *[_ADDRESS] * 4)
object_matrix = _plain(pdfium.FPDFPageObj_GetMatrix, _INT, _ADDRESS, _ADDRESS)
object_is_clear = _plain(pdfium.FPDFPageObj_HasTransparency, _INT, _ADDRESS)
object_content = _plain(pdfium.FPDFPageObj_GetMarkedContentID, _INT, _ADDRESS)
object_font = _plain(pdfium.FPDFTextObj_GetFont, _ADDRESS, _ADDRESS)
font_weight = _plain(pdfium.FPDFFont_GetWeight, _INT, _ADDRESS)
font_flags = _plain(pdfium.FPDFFont_GetFlags, _INT, _ADDRESS)
font_name = _plain(
    pdfium.FPDFFont_GetBaseFontName, ctypes.c_size_t, _ADDRESS, _ADDRESS, ctypes.c_size_t
)
render_mode = _plain(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _ADDRESS)
image_size = _plain(pdfium.FPDFImageObj_GetImagePixelSize, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
form_count = _plain(pdfium.FPDFFormObj_CountObjects, _INT, _ADDRESS)

path_size = _plain(pdfium.FPDFPath_CountSegments, _INT, _ADDRESS)
path_segment = _plain(pdfium.FPDFPath_GetPathSegment, _ADDRESS, _ADDRESS, _INT)
path_mode = _plain(pdfium.FPDFPath_GetDrawMode, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
segment_kind = _plain(pdfium.FPDFPathSegment_GetType, _INT, _ADDRESS)
segment_point = _plain(pdfium.FPDFPathSegment_GetPoint, _INT, _ADDRESS, _ADDRESS, _ADDRESS)
fill_colour = _plain(pdfium.FPDFPageObj_GetFillColor, _INT, _ADDRESS, *[_ADDRESS] * 4)
stroke_colour = _plain(pdfium.FPDFPageObj_GetStrokeColor, _INT, _ADDRESS, *[_ADDRESS] * 4)
stroke_width = _plain(pdfium.FPDFPageObj_GetStrokeWidth, _INT, _ADDRESS, _ADDRESS)
clip_path = _plain(pdfium.FPDFPageObj_GetClipPath, _ADDRESS, _ADDRESS)
clip_count = _plain(pdfium.FPDFClipPath_CountPaths, _INT, _ADDRESS)
clip_size = _plain(pdfium.FPDFClipPath_CountPathSegments, _INT, _ADDRESS, _INT)
clip_segment = _plain(pdfium.FPDFClipPath_GetPathSegment, _ADDRESS, _ADDRESS, _INT, _INT)
