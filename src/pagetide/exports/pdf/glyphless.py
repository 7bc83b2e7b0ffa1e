"""An invisible font for any text: nothing to draw, every character as wide as the next.

Characters get codes as they come; a table in the PDF (`ToUnicode`) turns the codes back
into characters when text is searched or copied. One embedded glyph serves all codes.

Source: ISO 32000-1, 9.7.4 (CIDFonts), 9.10.3 (ToUnicode); the OpenType specification.
"""

from __future__ import annotations

import struct
import zlib

ADVANCE = 500  # all lengths in thousandths of the font's size
ASCENT = 800
DESCENT = -200  # with the ascent, one font size: a glyph is as tall as its word's polygon

OBJECTS = 6  # as many as `font_objects` gives
PdfObject = tuple[str, bytes | None]  # a dictionary's source, and a stream's data
_LAST_CODE = 0xFFFF
_RUN = 100  # the most entries that one list in a ToUnicode table may have


class Codes:
    """The codes given to characters, from 1 up; 0 stands for what does not fit."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def hex(self, text: str) -> str:
        """The text's codes as a PDF hexadecimal string, without its brackets."""
        return "".join(f"{self._code(character):04X}" for character in text)

    def _code(self, character: str) -> int:
        known = self._codes.get(character)
        if known is None:
            known = len(self._codes) + 1 if len(self._codes) < _LAST_CODE else 0
            self._codes[character] = known
        return known

    @property
    def count(self) -> int:
        """How many codes there are, 0 among them."""
        return min(len(self._codes), _LAST_CODE) + 1

    def to_unicode(self) -> bytes:
        """The table that leads from codes to characters, as a CMap."""
        entries = [
            f"<{code:04X}> <{character.encode('utf-16-be', 'replace').hex().upper()}>"
            for character, code in self._codes.items()
            if code
        ]
        runs = [entries[start : start + _RUN] for start in range(0, len(entries), _RUN)]
        lists = "\n".join(
            "\n".join([f"{len(run)} beginbfchar", *run, "endbfchar"]) for run in runs
        )
        return f"""/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
{lists}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
""".encode("ascii")


def font_objects(codes: Codes, first: int) -> list[PdfObject]:
    """The font as PDF objects numbered from `first`; the first of them is the font itself.

    Args:
        codes: With every character that the document uses.
        first: An object number that is free, as are those after it.
    """
    name = "/BaseFont /PagetideGlyphless"
    face = true_type()
    return [
        (
            f"<< /Type /Font /Subtype /Type0 {name} /Encoding /Identity-H"
            f" /DescendantFonts [{first + 1} 0 R] /ToUnicode {first + 2} 0 R >>",
            None,
        ),
        (
            f"<< /Type /Font /Subtype /CIDFontType2 {name} /DW {ADVANCE}"
            " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
            f" /FontDescriptor {first + 3} 0 R /CIDToGIDMap {first + 4} 0 R >>",
            None,
        ),
        deflated(codes.to_unicode()),
        (
            "<< /Type /FontDescriptor /FontName /PagetideGlyphless /Flags 5"
            f" /FontBBox [0 {DESCENT} {ADVANCE} {ASCENT}] /ItalicAngle 0 /StemV 80"
            f" /Ascent {ASCENT} /Descent {DESCENT} /CapHeight {ASCENT}"
            f" /FontFile2 {first + 5} 0 R >>",
            None,
        ),
        deflated(b"\x00\x01" * codes.count),
        deflated(face, f"/Length1 {len(face)}"),
    ]


def deflated(data: bytes, entries: str = "") -> PdfObject:
    """A compressed stream with further dictionary entries."""
    packed = zlib.compress(data)
    space = " " if entries else ""
    return f"<< {entries}{space}/Filter /FlateDecode /Length {len(packed)} >>", packed


def true_type() -> bytes:
    """A TrueType font of two glyphs that draw nothing, with the tables that PDF asks for.

    The second is a line there and back from corner to corner: without area, but with an
    extent. PDFium takes text of no extent for none where it runs up or down the page.
    """
    box = (0, DESCENT, ADVANCE, ASCENT)
    on_curve = b"\x01\x01"
    line = struct.pack(">h4hHH", 1, *box, 1, 0) + on_curve
    line += struct.pack(">4h", 0, ADVANCE, DESCENT, ASCENT - DESCENT)
    tables = {
        b"glyf": line,
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            *(0x00010000, 0x00010000, 0, 0x5F0F3CF5, 0b11, 1000, 0, 0),
            *(*box, 0, 8, 2, 0, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x00010000, ASCENT, DESCENT, 0, ADVANCE, 0, 0, ADVANCE, 1),
            *(0, 0, 0, 0, 0, 0, 0, 2),
        ),
        b"hmtx": struct.pack(">HhHh", ADVANCE, 0, ADVANCE, 0),
        b"loca": struct.pack(">HHH", 0, 0, len(line) // 2),
        b"maxp": struct.pack(">IH13H", 0x00010000, 2, *(2, 1, 0, 0, 1), *[0] * 8),
    }
    return _sfnt(tables)


def _sfnt(tables: dict[bytes, bytes]) -> bytes:
    """The tables as one font file, with their checksums."""
    directory = struct.pack(">IHHHH", 0x00010000, len(tables), 64, 2, len(tables) * 16 - 64)
    place = len(directory) + 16 * len(tables)
    body = b""
    for tag, table in sorted(tables.items()):
        padded = table + b"\0" * (-len(table) % 4)
        directory += struct.pack(">4sIII", tag, _sum(padded), place + len(body), len(table))
        body += padded
    font = directory + body
    # The whole font's sum, which `head` carries at its ninth byte.
    adjustment = (0xB1B0AFBA - _sum(font)) % (1 << 32)
    at = place + sum(
        len(table) + -len(table) % 4 for tag, table in tables.items() if tag < b"head"
    )
    return font[: at + 8] + struct.pack(">I", adjustment) + font[at + 12 :]


def _sum(padded: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) % (1 << 32)
