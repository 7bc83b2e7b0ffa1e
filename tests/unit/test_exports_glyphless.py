"""The invisible font."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from pagetide.exports.pdf.glyphless import OBJECTS, Codes, font_objects, true_type


def _tables(font: bytes) -> dict[bytes, bytes]:
    count = struct.unpack_from(">H", font, 4)[0]
    records = (struct.unpack_from(">4sIII", font, 12 + 16 * i) for i in range(count))
    return {tag: font[place : place + length] for tag, _, place, length in records}


def _checksum(content: bytes) -> int:
    padded = content + b"\0" * (-len(content) % 4)
    total: int = sum(struct.unpack(f">{len(padded) // 4}I", padded))
    return total % (1 << 32)


def test_the_font_has_the_tables_a_pdf_needs_and_is_small() -> None:
    assert set(_tables(true_type())) == {b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp"}
    assert len(true_type()) < 2000


def test_the_fonts_checksum_is_right() -> None:
    assert _checksum(true_type()) == 0xB1B0AFBA


def test_the_fonts_tables_have_the_sizes_the_format_asks_for() -> None:
    tables = _tables(true_type())
    sizes = {tag: len(table) for tag, table in tables.items() if tag != b"glyf"}
    assert sizes == {b"head": 54, b"hhea": 36, b"hmtx": 8, b"loca": 6, b"maxp": 32}


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=5))
def test_codes_lead_back_to_their_characters(texts: list[str]) -> None:
    codes = Codes()
    shown = [codes.hex(text) for text in texts]
    table = dict(
        row.strip("<>").split("> <")
        for row in codes.to_unicode().decode().splitlines()
        if "> <" in row and not row.startswith("<0000>")
    )
    for text, hexes in zip(texts, shown, strict=True):
        units = [hexes[i : i + 4] for i in range(0, len(hexes), 4)]
        assert "".join(bytes.fromhex(table[u]).decode("utf-16-be") for u in units) == text


def test_no_list_of_the_table_is_longer_than_the_format_allows() -> None:
    codes = Codes()
    codes.hex("".join(map(chr, range(0x4E00, 0x4E00 + 250))))
    counts = [row.split()[0] for row in codes.to_unicode().decode().splitlines()
              if row.endswith("beginbfchar")]  # fmt: skip
    assert counts == ["100", "100", "50"]


def test_the_font_has_as_many_objects_as_it_says() -> None:
    assert len(font_objects(Codes(), 1)) == OBJECTS
