"""Describes an unreadable input in words, and what can be read."""

from __future__ import annotations

from pathlib import PurePath

from pagetide.errors import UnsupportedType
from pagetide.inputs.sniff import MediaType, readable

# The content has shown that it is not readable: its name may say what it is meant to be.
_BY_ENDING = {
    **dict.fromkeys((".doc", ".docx", ".docm", ".rtf"), "a Word document"),
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".xlsb"), "an Excel workbook"),
    **dict.fromkeys((".ppt", ".pptx", ".pptm"), "a PowerPoint presentation"),
    **dict.fromkeys((".odt", ".ods", ".odp"), "an OpenDocument file"),
    **dict.fromkeys((".htm", ".html", ".xhtml"), "a web page"),
    **dict.fromkeys((".txt", ".md", ".csv", ".json", ".xml"), "a text file"),
    **dict.fromkeys((".eml", ".msg"), "an e-mail"),
    **dict.fromkeys((".zip", ".tar", ".gz", ".7z", ".rar"), "an archive"),
    **dict.fromkeys((".svg", ".eps", ".ai"), "a drawing"),
    ".epub": "an e-book",
}
_SIGNATURES = (
    (b"PK\x03\x04", "an archive or an Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document"),
    (b"{\\rtf", "a Word document"),
    (b"%!PS", "a PostScript file"),
)
_NAMES = {
    MediaType.WEBP: "WebP",
    MediaType.JPEG2000: "JPEG 2000",
}


def unread(head: bytes, name: str) -> UnsupportedType:
    """The error that names an input of unknown type.

    Args:
        head: Its first bytes.
        name: Its name, if it has one.
    """
    return UnsupportedType(f"The input is {_kind(head, name)}; {accepted()} are read.")


def accepted() -> str:
    """The readable types, for a sentence."""
    here = readable()
    *most, last = (_NAMES.get(one, one.name) for one in MediaType if one in here)
    return f"{', '.join(most)} and {last}"


def _kind(head: bytes, name: str) -> str:
    if meant := _BY_ENDING.get(PurePath(name).suffix.lower()):
        return meant
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    return "neither a PDF nor a picture of a supported type"
