"""Which characters a page's own text is made of: PDFium's codes, and what they stand for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.exports.text import markup
from pagetide.geometry import Box
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.text import lines as text_lines
from pagetide.inputs.text.characters import one_for_each
from pagetide.inputs.text.layer import PageText
from pagetide.layout.words import IS_LEFTWARD
from tests.written_pdf import stream, written_pdf

SECOND = "\ufdd0"
FONT = (
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>"
)


def units(text: str) -> list[int]:
    """UTF-16, as PDFium counts."""
    coded = text.encode("utf-16-le", "surrogatepass")
    return [low + (high << 8) for low, high in zip(coded[::2], coded[1::2], strict=True)]


def meaning(**letters: str) -> bytes:
    """What each code of a font stands for, as a PDF says it."""
    said = [
        b"<%02X><%s>" % (ord(code), text.encode("utf-16-be", "surrogatepass").hex().encode())
        for code, text in letters.items()
    ]
    return stream(
        b"",
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def"
        b" 1 begincodespacerange <00><ff> endcodespacerange %d beginbfchar "
        % len(said)
        + b" ".join(said)
        + b" endbfchar endcmap end end",
    )


def read(shown: bytes, **letters: str) -> str:
    content = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % shown
    pdf = written_pdf(content, font=FONT, extra=(meaning(**letters),))
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        page = document.page(1, text_layer="only")
    for line in page.lines:
        assert line.text.replace(" ", "") == "".join(word.text for word in line.words)
    return "\n".join(line.text for line in page.lines)


@given(st.text(st.characters(exclude_characters=SECOND, exclude_categories=["Cs"])))
def test_letters_of_every_plane_are_what_they_were_and_keep_their_places(text: str) -> None:
    found = one_for_each(units(text))
    assert len(found) == len(units(text))
    assert found.replace(SECOND, "") == text


@given(st.lists(st.integers(0, 0x10FFFF) | st.integers(0xD800, 0xDFFF)))
def test_whatever_the_codes_are_there_is_a_character_for_each(codes: list[int]) -> None:
    found = one_for_each(codes)
    assert len(found) == len(codes)
    found.encode()  # no half of a letter is in it


@pytest.mark.parametrize(
    ("letter", "read_as"),
    [
        ("𝑥", "𝑥"),
        ("😀", "😀"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("𠀋", "𠀋"),
        ("\ud835", "\ufffd"),
        ("\udc65", "\ufffd"),
        ("\U0010ffff", "\U0010ffff"),
        ("\ue000", "\ue000"),
        ("ffi", "ffi"),
        ("e\u0301", "e\u0301"),
        ("\x02", "\ufffd"),
        ("\x81", "\ufffd"),
        ("\x92", "’"),
    ],
)
def test_a_page_with_any_letter_is_read(letter: str, read_as: str) -> None:
    assert read(b"one A=B two", A=letter, B="b") == f"one {read_as}=b two"


@pytest.mark.parametrize("code", ["-", "\u00ad", "\u2010", "\x02"])
def test_a_hyphen_at_the_end_of_a_line_is_one_whatever_its_code(code: str) -> None:
    if code == "\x02":
        assert read(b"comA ponent", A=code) == "com\ufffd ponent"
    assert read(b"compoA) Tj 0 -14 Td (nent", A=code).replace("\u2010", "-") == "compo-\nnent"


@pytest.mark.parametrize(("drawn", "read_as"), [("-", "18-28"), (" ", "1828")])
def test_a_soft_hyphen_is_a_hyphen_where_one_is_drawn(drawn: str, read_as: str) -> None:
    shown = f"18{drawn}28".encode()
    assert read(shown, **{drawn: "\u00ad"}) == read_as


def _lines(content: bytes, *fonts: bytes) -> list[Line]:
    pdf = written_pdf(content, font=fonts[0], extra=fonts[1:])
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        return list(document.page(1, text_layer="only").lines)


def _type1(name: bytes) -> bytes:
    return b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % name


@pytest.mark.parametrize(("name", "bold"), [(b"Helvetica-Bold", True), (b"Helvetica", False)])
def test_a_line_says_whether_its_file_sets_it_in_bold(name: bytes, bold: bool) -> None:
    [line] = _lines(b"BT /F1 12 Tf 72 700 Td (Terms of use) Tj ET", _type1(name))
    assert line.bold == bold


def test_a_line_in_a_type_3_font_is_as_tall_as_its_size_says() -> None:
    """Such a font is as tall as its glyphs: of a dash alone it would be a hair."""
    dash = stream(b"", b"500 0 0 250 500 300 d1 0 250 500 50 re f")
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 250 500 300]/FontMatrix[.001 0 0 .001 0 0]"
        b"/CharProcs<</dash 6 0 R>>/Encoding<</Type/Encoding/Differences[45/dash]>>"
        b"/FirstChar 45/LastChar 45/Widths[500]/ToUnicode 7 0 R>>"
    )
    content = b"BT /F1 20 Tf 72 700 Td (-) Tj ET"
    pdf = written_pdf(content, font=font, extra=(dash, meaning(**{"-": "-"})))
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        page = document.page(1, text_layer="only")
    [line] = page.lines
    height = line.polygon[2][1] - line.polygon[0][1]
    assert 0.9 * 20 < height * 72 / page.dpi < 1.4 * 20


def _stems(width: int) -> bytes:
    """A Type 3 font whose `a` is three stems, each so wide."""
    glyph = b"600 0 0 0 600 700 d1 " + b"".join(
        b"%d 0 %d 700 re " % (80 + 180 * n, width) for n in range(3)
    )
    return stream(b"", glyph + b"f")


def test_a_font_without_a_name_is_bold_by_its_ink() -> None:
    """Chrome sets a face that varies in such fonts."""
    fonts = [
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]"
        b"/CharProcs<</a %d 0 R>>/Encoding<</Type/Encoding/Differences[97/a]>>"
        b"/FirstChar 97/LastChar 97/Widths[600]/ToUnicode 9 0 R>>" % glyph
        for glyph in (7, 8)
    ]
    content = b"BT /F1 12 Tf 72 700 Td (aaaaaa) Tj 0 -20 Td (aaaaaaa) Tj ET " + (
        b"BT /F2 12 Tf 72 600 Td (aaaaa) Tj ET BT /F2 24 Tf 72 500 Td (aaaa) Tj ET"
    )
    extra = (fonts[1], _stems(70), _stems(130), meaning(a="a"))
    pdf = written_pdf(
        content, font=fonts[0], extra=extra, resources=b"/Font<</F1 5 0 R/F2 6 0 R>>"
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        lines = document.page(1, text_layer="only").lines
    assert [line.bold for line in lines] == [False, False, True, True]
    assert [[style.kind for style in line.styles] for line in lines[2:]] == [["bold"]] * 2


def test_the_number_of_an_item_by_itself_runs_left_on_a_page_that_does() -> None:
    arabic = {chr(ord("a") + n): chr(0x0628 + n) for n in range(8)}
    content = (
        b"BT /F1 12 Tf 72 700 Td (abcdefgh abcdefgh) Tj ET BT /F1 12 Tf 300 600 Td (.3) Tj ET"
    )
    more = {".": ".", "3": "3", " ": " "}
    pdf = written_pdf(content, font=FONT, extra=(meaning(**arabic, **more),))
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        page = document.page(1, text_layer="only")
    assert [line.text for line in page.lines][-1] == "3."


SPACED = [
    (words, room)
    for words in ["COMMERCIAL INVOICE", "Note of a day", "DATO: TAL", "Table 1 of 2", "FORFALD"]
    for room in (0.0, 0.7, 1.5, 2.2, 3.5, 5.0)
]


@pytest.mark.parametrize(("words", "room"), [*SPACED, ("A B C D", 0.0)])
def test_room_between_letters_makes_no_spaces(words: str, room: float) -> None:
    """As browsers write it: each letter where it stands, and no spaces."""
    apart = b" %.0f " % (-1000 * room / 12)
    shown = (b"-278 " + apart).join(
        b"".join(b"(%c)" % letter + apart for letter in word.encode()) for word in words.split()
    )
    [line] = _lines(b"BT /F1 12 Tf 72 700 Td [%s] TJ ET" % shown, _type1(b"Helvetica"))
    assert line.text == words


def test_a_word_set_wide_in_a_line_of_others_is_one() -> None:
    wide = b"".join(b"(%c) -200 " % letter for letter in b"Miller")
    shown = b"(Mr) -278 " + wide + b"-278 (has) -278 (paid)"
    [line] = _lines(b"BT /F1 12 Tf 72 700 Td [%s] TJ ET" % shown, _type1(b"Helvetica"))
    assert line.text == "Mr Miller has paid"


@pytest.mark.parametrize("pitch", [14.0, 15.5, 17.0, 22.0])
@pytest.mark.parametrize(
    "letters", ["ABACB", "MTWTFSS", "NNYNYY", "TFTFT", "ABCDEF", "MKILSAG"]
)
def test_letters_in_cells_of_one_width_are_no_word(letters: str, pitch: float) -> None:
    shown = b" ".join(
        b"1 0 0 1 %.1f 700 Tm (%s) Tj" % (72 + pitch * n, letter.encode())
        for n, letter in enumerate(letters)
    )
    lines = _lines(b"BT /F1 12 Tf %s ET" % shown, _type1(b"Helvetica"))
    assert [word for line in lines for word in line.text.split()] == list(letters)


@pytest.mark.parametrize("room", [3.0, 4.0, 6.0, 9.0])
@pytest.mark.parametrize("letters", ["ABACB", "NNYNYY", "TFTFT", "ABCDEF", "WXRTZ"])
def test_letters_in_cells_as_wide_as_they_are_are_no_word(letters: str, room: float) -> None:
    apart = b" %.0f " % (-1000 * room / 12)
    row = b"".join(b"(%c)" % letter + apart for letter in letters.encode())
    shown = b"(Ann) -800 " + row
    lines = _lines(b"BT /F1 12 Tf 72 700 Td [%s] TJ ET" % shown, _type1(b"Helvetica"))
    assert [word for line in lines for word in line.text.split()] == ["Ann", *letters]


@given(
    words=st.lists(st.text(ascii_letters, min_size=2, max_size=9), min_size=3, max_size=6),
    room=st.floats(-0.5, 3.0),
    uneven=st.lists(st.floats(-0.5, 0.9), min_size=60, max_size=60),
)
def test_spaces_that_a_page_writes_are_its_spaces(
    words: list[str], room: float, uneven: list[float]
) -> None:
    """Letters one by one at rounded places, and spaces one by one, as browsers write them."""
    text = " ".join(words)
    steps = (7.2 + room + more for more in uneven)  # a letter of Courier at 12 points
    shown = b" ".join(
        b"(%c) Tj %.1f 0 Td" % (letter, step)
        for letter, step in zip(text.encode(), steps, strict=False)
    )
    lines = _lines(b"BT /F1 12 Tf 72 700 Td %s ET" % shown, _type1(b"Courier"))
    assert [line.text for line in lines] == [text]


@pytest.mark.parametrize("room", [16.0, 40.0, 109.0])
def test_what_a_page_sets_far_behind_a_word_is_another(room: float) -> None:
    at = 317.8 + 30 + room  # behind `Included`, in Helvetica at 8.2 points
    row = (
        (6.0, b"A Buildings"),
        (271.6, b"\xa3420,000"),
        (317.8, b"Included"),
        (at, b"\xa3250"),
    )
    said = b" ".join(
        b"q 1 0 0 1 %.1f 700 cm BT 1 0 0 1 0 2.2 Tm /F1 8.2 Tf (%s) Tj T* ET Q" % each
        for each in row
    )
    lines = _lines(said, _type1(b"Helvetica"))
    told = [word for line in lines for word in line.text.split()]
    assert told == ["A", "Buildings", "£420,000", "Included", "£250"]


def test_a_number_and_a_code_in_the_next_cell_are_two_words() -> None:
    """troff sets no space between cells, and PDFium sees one word."""
    said = b" ".join(
        b"BT 1 0 0 1 %.1f 700 Tm /F1 9 Tf (%s) Tj ET" % each
        for each in ((43.6, b"1"), (43.6 + 21, b"6302.60.00"))
    )
    lines = _lines(said, _type1(b"Helvetica"))
    assert [word.text for line in lines for word in line.words] == ["1", "6302.60.00"]


@pytest.mark.parametrize("turned", [False, True])
def test_letters_that_a_program_slants_stand_level(turned: bool) -> None:
    """Their upright leans: PDFium takes its direction for that of a row."""
    page = b"0.8 0.6 -0.6 0.8 200 100 cm " if turned else b""
    [line] = _lines(
        page + b"BT 1 0 0.25 1 72 100 Tm /F1 12 Tf (A) Tj ( slanted gift) Tj ET",
        _type1(b"Helvetica"),
    )
    (x0, y0), (x1, y1), *_ = line.polygon
    assert math.degrees(math.atan2(y0 - y1, x1 - x0)) == pytest.approx(
        math.degrees(math.atan2(0.6, 0.8)) if turned else 0.0, abs=0.1
    )


def _far(boxes: Sequence[Box]) -> bool:
    """Whether letters that PDFium has as one word are more than one."""

    class Placed(PageText):
        def __init__(self) -> None:
            self.characters = "a" * len(boxes)

        def _letters(self, start: int, stop: int) -> Iterator[tuple[str, Box]]:
            return (("a", box) for box in boxes[start:stop])

    wide = (boxes[-1][2] - boxes[0][0]) / 10
    return Placed()._is_far(wide, 0, len(boxes))


@given(count=st.integers(4, 20), at=st.integers(1, 19), room=st.floats(0.0, 30.0))
def test_a_word_is_two_where_a_line_height_is_between_letters_and_all_is_wide(
    count: int, at: int, room: float
) -> None:
    """As where PDFium makes no space between two cells: `Included£250`."""
    at = min(at, count - 1)
    lefts = [5.0 * n + 10 * room * (n >= at) for n in range(count)]
    is_wide = 5 * count + 10 * room > 6.5 * count
    assert _far([(x, 0.0, x + 5, 10.0) for x in lefts]) == (is_wide and room > 1)


def test_mathematical_letters_run_to_the_right_whatever_marks_them() -> None:
    """Our mark for their second half lies among Arabic forms: a line with one was mirrored."""
    for pattern in (IS_LEFTWARD, text_lines._RTL, markup._LEFTWARD):
        assert not any(pattern.search(chr(code)) for code in range(0xFDD0, 0xFDF0))
        assert pattern.search("\ufb50") and pattern.search("\ufdf2")
    shown = b"(share x of each site\x02) Tj 0 -14 Td (day \\(n\\), all) Tj"
    content = b"BT /F1 12 Tf 72 700 Td %s ET" % shown
    letters = {letter: letter for letter in "share oftcidyl-(),"}
    letters |= {"x": "\U0001d465", "n": "\U0001d45b", "e": "e", "\x02": "\x02"}
    pdf = written_pdf(content, font=FONT, extra=(meaning(**letters),))
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        page = document.page(1, text_layer="only")
    told = [line.text for line in page.lines]
    assert told == ["share \U0001d465 of each site-", "day (\U0001d45b), all"]
