"""A PDF that PDFium reads from an open descriptor: the child cannot open paths."""

from __future__ import annotations

import ctypes
import io
import os
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium


class PdfFile:
    """Supplies a file's bytes to PDFium; keep it as long as the document is open.

    Args:
        fd: The descriptor; closed when nobody holds this any more.

    Attributes:
        access: For `FPDF_LoadCustomDocument`.
    """

    def __init__(self, fd: int) -> None:
        file = io.FileIO(fd)
        self.access = pdfium.FPDF_FILEACCESS()
        self.access.m_FileLen = os.fstat(fd).st_size
        # Not a method: it would hold this, and the child collects no cycles.
        self.access.m_GetBlock = type(self.access.m_GetBlock)(partial(_fill, file))


def _fill(file: io.FileIO, _: Any, position: int, buffer: Any, size: int) -> int:
    """Fill the buffer from there; 0 if the file has become shorter."""
    block = (ctypes.c_char * size).from_address(ctypes.addressof(buffer.contents))
    try:
        return int(os.preadv(file.fileno(), [block], position) == size)
    except OSError:
        return 0
