"""Pages whose text layer differs from what they show, and a correct one, in Chinese."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pypdf
from pypdf.generic import DecodedStreamObject, NameObject

from samples import pdf
from samples import words_quay as quay
from samples.sheet import Sheet
from tests.drawn.files import scan, written
from tests.drawn.sheets import letter, notice, sheet
from tests.written_pdf import written_pdf

# Each letter's code is 29 less, as if a font's glyph numbers were taken for codes.
_GLYPHS = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Glyphs def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <20> <0020> <21> <7e> <0004> endbfrange endcmap end end"""
_CHINESE = (
    b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts"
    b"[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)"
    b"/Ordering(GB1)/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light"
    b"/Flags 4/FontBBox[0 0 1000 1000]/Ascent 880/Descent -120/StemV 80/ItalicAngle 0"
    b"/CapHeight 880>>>>]>>"
)


def shown() -> Sheet:
    """What a page of a lie shows."""
    return notice(*quay.ENGLISH)


def said() -> bytes:
    """What its text layer says: operators that show other text."""
    return pdf.text_page(letter()).content


def stamped() -> bytes:
    """A scan overlaid with two lines, a hundred letters and more."""
    stamp = sheet()
    stamp.write(40, 24, "Harbour Court of Northwick, case 7/2024, document 3", 7, "sans")
    stamp.write(
        40, 580, "Copied on 4 April 2024 from the file of the registry, page 4 of 9", 7, "sans"
    )
    return _on_scan(b"", b"\n" + pdf.text_page(stamp).content)


def glyph_numbers() -> bytes:
    """Digital text shown with meaningless codes."""
    page = pdf.text_page(letter())
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(written([page])))
    told = DecodedStreamObject()
    told.set_data(_GLYPHS)
    codes = writer._add_object(told)
    for font in writer.pages[0]["/Resources"]["/Font"].values():  # type: ignore[index]
        font.get_object()[NameObject("/ToUnicode")] = codes
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def chinese_lines() -> list[str]:
    """Lines of a Chinese page."""
    whole = "".join(quay.CHINESE[:1] + quay.CHINESE[2:3])
    return [whole[start : start + 24] for start in range(0, len(whole), 24)]


def chinese() -> bytes:
    """A digital page in Chinese."""
    content = b"\n".join(
        b"BT /F1 12 Tf 40 %d Td <%s> Tj ET"
        % (540 - 22 * i, line.encode("utf-16-be").hex().encode())
        for i, line in enumerate(chinese_lines())
    )
    return written_pdf(content, font=_CHINESE, size=(420, 595))


def _on_scan(below: bytes, above: bytes) -> bytes:
    page = scan(shown())
    return written([replace(page, content=below + b"\nq " + page.content + b" Q" + above)])


# The lie: the page, what it shows, and why its text is not used.
LIES: dict[str, tuple[Callable[[], bytes], Callable[[], Sheet], str]] = {
    "text behind the scan": (lambda: _on_scan(said(), b""), shown, "invisible"),
    "another's OCR upon the scan": (
        lambda: _on_scan(b"", b"\n3 Tr " + said()),
        shown,
        "invisible",
    ),
    "a stamp upon the scan": (stamped, shown, "little_coverage"),
    "glyph numbers for codes": (glyph_numbers, letter, "garbage"),
}
