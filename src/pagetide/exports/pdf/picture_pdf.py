"""A new PDF with pictures for pages and their words as invisible text beneath."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING

from msgspec import Struct, convert

from pagetide.document import Document, Page
from pagetide.errors import Damaged
from pagetide.exports.origin import Origin
from pagetide.exports.pdf import glyphless
from pagetide.exports.pdf.glyphless import Codes, PdfObject
from pagetide.exports.pdf.text_layer import FONT_NAME, UserSpace, content, layer_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STRIP_ROWS = 256
_COLOURS = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}
# How a stored picture is drawn on the unit square so that it stands as its EXIF orientation
# asks: the PDF matrix for each of the eight.
_DRAWN = {
    1: (1, 0, 0, 1, 0, 0),
    2: (-1, 0, 0, 1, 1, 0),
    3: (-1, 0, 0, -1, 1, 1),
    4: (1, 0, 0, -1, 0, 1),
    5: (0, -1, -1, 0, 1, 1),
    6: (0, -1, 1, 0, 0, 1),
    7: (0, 1, 1, 0, 0, 0),
    8: (0, 1, -1, 0, 1, 0),
}


class JpegHead(Struct, frozen=True):
    """What a JPEG's first bytes say: its stored size, channels and orientation."""

    width: int
    height: int
    channels: int
    orientation: int
    is_inverted: bool


def write(document: Document, origin: Origin, original: bytes) -> bytes:
    """A PDF with the document's pages as pictures, each as large as `width_pt` says.

    Args:
        document: Read from a picture file.
        origin: The file.
        original: Its bytes.
    """
    head: JpegHead | None = None
    if document.source.media_type == "image/jpeg":
        head = convert(origin.child.call(jpeg_head, original), JpegHead)
    codes, made = Codes(), _Pdf()
    font = made.reserve(glyphless.OBJECTS)
    for page in document.pages:
        if head:
            picture, drawn = _jpeg(head, original), _DRAWN[head.orientation]
        else:
            if page.error:
                continue  # there is no picture of it to show
            picture = _deflated(origin.picture(page.number, page.dpi).pixels)
            drawn = _DRAWN[1]
        made.add_page(page, picture, drawn, font, codes)
    return made.finished(font, codes)


def jpeg_head(source: bytes) -> dict[str, int]:
    """A JPEG's `JpegHead`, in the child.

    Raises:
        Damaged: It cannot be opened.
    """
    from PIL import JpegImagePlugin

    try:
        image = JpegImagePlugin.JpegImageFile(io.BytesIO(source))
        orientation = image.getexif().get(0x0112, 1)
    except (OSError, SyntaxError, ValueError, LookupError, TypeError):
        raise Damaged("The picture is damaged and cannot be opened.") from None
    return {
        "width": image.width,
        "height": image.height,
        "channels": len(image.getbands()),
        "orientation": orientation if orientation in _DRAWN else 1,
        "is_inverted": image.mode == "CMYK" and "adobe" in image.info,
    }


def _jpeg(head: JpegHead, original: bytes) -> PdfObject:
    entries = (
        f"<< /Type /XObject /Subtype /Image /Width {head.width} /Height {head.height}"
        f" /ColorSpace {_COLOURS[head.channels]} /BitsPerComponent 8"
        f" /Filter /DCTDecode /Length {len(original)}"
    )
    if head.is_inverted:
        entries += " /Decode [1 0 1 0 1 0 1 0]"
    return entries + " >>", original


def _deflated(pixels: NDArray[np.uint8]) -> PdfObject:
    """Height × width × 3, blue-green-red, as a compressed picture; grey where it is."""
    height, width, _ = pixels.shape
    strips = [pixels[top : top + _STRIP_ROWS] for top in range(0, height, _STRIP_ROWS)]
    is_grey = all(
        bool((s[..., 0] == s[..., 1]).all() and (s[..., 1] == s[..., 2]).all()) for s in strips
    )
    packer = zlib.compressobj(6)
    packed = b"".join(
        packer.compress((strip[..., 0] if is_grey else strip[..., ::-1]).tobytes())
        for strip in strips
    )
    packed += packer.flush()
    colour = _COLOURS[1 if is_grey else 3]
    return (
        f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height}"
        f" /ColorSpace {colour} /BitsPerComponent 8 /Filter /FlateDecode"
        f" /Length {len(packed)} >>",
        packed,
    )


class _Pdf:
    """A PDF in the making: its bytes so far, and where its objects begin."""

    def __init__(self) -> None:
        self.out = io.BytesIO()
        self.out.write(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
        self.places: list[int] = []
        self.catalogue, self.tree = self.reserve(), self.reserve()
        self.pages: list[int] = []

    def reserve(self, count: int = 1) -> int:
        """The first of some object numbers to be written later."""
        self.places += [0] * count
        return len(self.places) - count + 1

    def put(self, number: int, entries: str, data: bytes | None = None) -> None:
        self.places[number - 1] = self.out.tell()
        self.out.write(f"{number} 0 obj\n{entries}\n".encode())
        if data is not None:
            self.out.write(b"stream\n")
            self.out.write(data)
            self.out.write(b"\nendstream\n")
        self.out.write(b"endobj\n")

    def add_page(
        self,
        page: Page,
        picture: PdfObject,
        drawn: tuple[int, ...],
        font: int,
        codes: Codes,
    ) -> None:
        width, height = page.width_pt, page.height_pt
        a, b, c, d, e, f = drawn
        place = (a * width, b * height, c * width, d * height, e * width, f * height)
        layer = content(layer_of(page), UserSpace((0, 0, width, height), 0), codes)
        numbers = " ".join(f"{value:g}" for value in place)
        stream = layer + f"q {numbers} cm /Picture Do Q\n".encode()
        number = self.reserve(3)
        self.put(number + 1, *picture)
        self.put(number + 2, *glyphless.deflated(stream))
        self.put(
            number,
            f"<< /Type /Page /Parent {self.tree} 0 R /MediaBox [0 0 {width:g} {height:g}]"
            f" /Resources << /Font << /{FONT_NAME} {font} 0 R >>"
            f" /XObject << /Picture {number + 1} 0 R >> >> /Contents {number + 2} 0 R >>",
        )
        self.pages.append(number)

    def finished(self, font: int, codes: Codes) -> bytes:
        """The whole file."""
        for number, item in enumerate(glyphless.font_objects(codes, font), start=font):
            self.put(number, *item)
        kids = " ".join(f"{number} 0 R" for number in self.pages)
        self.put(self.tree, f"<< /Type /Pages /Count {len(self.pages)} /Kids [{kids}] >>")
        self.put(self.catalogue, f"<< /Type /Catalog /Pages {self.tree} 0 R >>")
        table = self.out.tell()
        size = len(self.places) + 1
        self.out.write(f"xref\n0 {size}\n0000000000 65535 f \n".encode())
        for place in self.places:
            self.out.write(f"{place:010d} 00000 n \n".encode())
        self.out.write(f"trailer\n<< /Size {size} /Root {self.catalogue} 0 R >>\n".encode())
        self.out.write(f"startxref\n{table}\n%%EOF\n".encode())
        return self.out.getvalue()
