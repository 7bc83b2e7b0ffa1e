"""The characters of a page's text from PDFium, in the child: one for each index."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.inputs.text.typesetting import SECOND, SOFT_HYPHEN

_HALF = re.compile("[\ud800-\udfff]")
_SOFT_HYPHEN = re.compile(SOFT_HYPHEN)
_HAIR = 0.02  # of the length: PDFium's box of a space is thinner, a hyphen's is a tenth or more


def characters_of(text: Any) -> str:
    """The characters of a loaded page's text, one for each of PDFium's indexes.

    A soft hyphen that is drawn is a hyphen: some writers give each hyphen its code.
    """
    characters = _given(text)
    return _SOFT_HYPHEN.sub(lambda at: "-" if _has_ink(text, at.start()) else at[0], characters)


def _given(text: Any) -> str:
    count = pdfium.FPDFText_CountChars(text)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (2 * count + 1))()
    written = pdfium.FPDFText_GetText(text, 0, count, buffer)
    decoded = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
    if len(decoded) == count:
        return decoded
    # PDFium leaves characters without a code out of its text, but not out of its count,
    # and counts a letter beyond U+FFFF twice.
    return one_for_each([pdfium.FPDFText_GetUnicode(text, index) for index in range(count)])


def _has_ink(text: Any, index: int) -> bool:
    """Whether something is drawn for a character."""
    sides = [ctypes.c_double() for _ in range(4)]
    known = pdfium.FPDFText_GetCharBox(text, index, *sides)
    left, right, low, high = (side.value for side in sides)
    thin, long = sorted([right - left, high - low])
    return bool(known) and thin > _HAIR * long


def one_for_each(codes: Sequence[int]) -> str:
    """A character for each of PDFium's codes, of which a letter beyond U+FFFF has two.

    The second of them becomes a mark that no text has. Half of such a letter alone means
    nothing, nor does an invalid code: U+FFFD.
    """
    letters: list[str] = []
    for code in codes:
        if 0xDC00 <= code < 0xE000 and letters and "\ud800" <= letters[-1] < "\udc00":
            letters[-1] = chr(0x10000 + (ord(letters[-1]) - 0xD800 << 10) + code - 0xDC00)
            letters.append(SECOND)
        else:
            letters.append(chr(code) if code < 0x110000 else "\ufffd")
    return _HALF.sub("\ufffd", "".join(letters))
