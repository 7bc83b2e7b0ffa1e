"""A small PDF writer: pages of text in the standard fonts, pages that are a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from samples.sheet import Face, Sheet, Text

_FONTS: dict[Face, str] = {
    "sans": "Helvetica",
    "bold": "Helvetica-Bold",
    "serif": "Times-Roman",
    "serif_bold": "Times-Bold",
    "mono": "Courier",
    "mono_bold": "Courier-Bold",
}
# Helvetica's widths in thousandths: only figures are ever right-aligned in a PDF here.
_WIDTHS = dict.fromkeys("0123456789£€", 556) | dict.fromkeys(" .,:/", 278) | {"-": 333}


@dataclass(frozen=True, kw_only=True)
class PdfPage:
    """A page's size in points, its content stream and the JPEG it shows, if any."""

    width: float
    height: float
    content: bytes
    picture: Image.Image | None = None


def text_page(sheet: Sheet) -> PdfPage:
    """The sheet as a page with real text."""
    parts = [
        f"{rule.weight:g} w {rule.x0:g} {sheet.height - rule.y0:g} m"
        f" {rule.x1:g} {sheet.height - rule.y1:g} l S"
        for rule in sheet.rules
    ]
    parts += [_show(text, sheet.height) for text in sheet.texts]
    content = "\n".join(parts).encode("cp1252")
    return PdfPage(width=sheet.width, height=sheet.height, content=content)


def picture_page(picture: Image.Image, dpi: float) -> PdfPage:
    """A page that consists of a picture."""
    width, height = picture.width * 72 / dpi, picture.height * 72 / dpi
    content = f"{width:g} 0 0 {height:g} 0 0 cm /Scan Do".encode()
    return PdfPage(width=width, height=height, content=content, picture=picture)


def _show(text: Text, height: float) -> str:
    x = text.x
    if text.align == "right":
        x -= sum(_WIDTHS[character] for character in text.text) * text.size / 1000
    escaped = text.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{text.face} {text.size:g} Tf {x:g} {height - text.y:g} Td ({escaped}) Tj ET"


def write(pages: Sequence[PdfPage], *, jpeg_quality: int) -> bytes:
    """The pages as one PDF; the same pages always give the same bytes."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", _fonts()]
    kids = []
    for page in pages:
        content = len(objects) + 1
        objects.append(_stream("", page.content))
        resources = "/Font 3 0 R"
        if page.picture is not None:
            objects.append(_jpeg(page.picture, jpeg_quality))
            resources += f" /XObject << /Scan {len(objects)} 0 R >>"
        box = f"[0 0 {page.width:g} {page.height:g}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents {content} 0 R"
            f" /Resources << {resources} >> >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    return _assemble(objects)


def _fonts() -> bytes:
    entries = (
        f"/{face} << /Type /Font /Subtype /Type1 /BaseFont /{name}"
        " /Encoding /WinAnsiEncoding >>"
        for face, name in _FONTS.items()
    )
    return f"<< {' '.join(entries)} >>".encode()


def _stream(entries: str, body: bytes) -> bytes:
    return f"<< {entries} /Length {len(body)} >>\nstream\n".encode() + body + b"\nendstream"


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality, optimize=True)
    return _stream(
        f"/Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height}"
        " /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode",
        buffer.getvalue(),
    )


def _assemble(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    trailer = (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    return bytes(out + trailer.encode())
