"""How a PDF's own text is set: what its fonts, sizes and baselines say of a line's parts."""

from __future__ import annotations

import pytest

from pagetide.document import Line, Page
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.text.lines import SPACE
from pagetide.inputs.text.raised_glyphs import raised_glyphs
from pagetide.reading.pages_in_work import Work, prepare
from tests.unit.test_text_layer import meaning
from tests.written_pdf import FONT, stream, written_pdf

NAMES = (b"Helvetica-Bold", b"Helvetica-Oblique", b"Courier", b"Times-BoldItalic")
FONTS = tuple(FONT.replace(b"Helvetica", name) for name in NAMES)
RESOURCES = b"/Font<</F1 5 0 R/B 6 0 R/I 7 0 R/C 8 0 R/X 9 0 R>>"
PLAIN = "/F1 12 Tf (Plain words of the page, of which there are more than of others.) Tj"


def read(*rows: str) -> Page:
    """A page of rows of operators, below one of plain words."""
    content = "".join(
        f"BT 1 0 0 1 72 {700 - 30 * at} Tm {row} ET\n" for at, row in enumerate((PLAIN, *rows))
    )
    pdf = written_pdf(content.encode("latin-1"), resources=RESOURCES, extra=FONTS)
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        page = prepare(Work(), opened, 1, dpi=144, text_layer="only").page()
    assert page and not page.error
    return page


def styled(row: str) -> set[tuple[str, str]]:
    """Kind and text of each styled part of a row."""
    page = read(row)
    assert not page.lines[0].styles
    return {each for line in page.lines[1:] for each in parts(line)}


def parts(line: Line) -> list[tuple[str, str]]:
    return [(style.kind, line.text[style.start : style.end]) for style in line.styles]


@pytest.mark.parametrize(
    ("font", "kinds"),
    [
        ("F1", []),
        ("B", ["bold"]),
        ("I", ["italic"]),
        ("C", ["code"]),
        ("X", ["bold", "italic"]),
    ],
)
def test_a_font_says_how_words_are_set(font: str, kinds: list[str]) -> None:
    row = f"/F1 12 Tf (This is ) Tj /{font} 12 Tf (two words) Tj /F1 12 Tf ( of it) Tj"
    assert styled(row) == {(kind, "two words") for kind in kinds}


@pytest.mark.parametrize("size", [6, 8, 10])
@pytest.mark.parametrize(
    ("rise", "kind"), [(4, "superscript"), (-2, "subscript"), (0, None), (14, None)]
)
def test_smaller_letters_off_the_baseline_are_raised_or_lowered(
    size: int, rise: int, kind: str | None
) -> None:
    row = f"/F1 12 Tf (some 10) Tj /F1 {size} Tf {rise} Ts (2) Tj 0 Ts /F1 12 Tf ( more) Tj"
    assert styled(row) == ({(kind, "2")} if kind else set())


def test_a_letter_inside_a_word_is_lowered() -> None:
    row = "/F1 12 Tf (some H) Tj /F1 7 Tf -2 Ts (2) Tj 0 Ts /F1 12 Tf (O there) Tj"
    page = read(row)
    assert page.lines[1].text == "some H2O there"
    assert parts(page.lines[1]) == [("subscript", "2")]


def test_a_mark_before_its_word_is_raised() -> None:
    assert styled("/F1 7 Tf 4 Ts (3) Tj 0 Ts /F1 12 Tf (See the other book) Tj") == {
        ("superscript", "3")
    }


def test_text_beside_a_large_initial_is_not_raised() -> None:
    row = "/F1 30 Tf (T) Tj /F1 12 Tf 9 Ts (here was once a man in the town) Tj"
    assert styled(row) == set()


@pytest.mark.parametrize("marks", ["1", "1, 2", "1, 3, 6", "a,b"])
@pytest.mark.parametrize("after", [" and more of it", " ........", ""])
def test_marks_of_several_words_are_raised_as_one(marks: str, after: str) -> None:
    row = f"/F1 12 Tf (Some dish) Tj /F1 7 Tf 4 Ts ({marks}) Tj 0 Ts /F1 12 Tf ({after}) Tj"
    assert styled(row) == {("superscript", marks)}


def test_what_most_of_a_page_is_set_in_is_no_style() -> None:
    bold = [f"/B 12 Tf (Words of the page in bold, all of row {at}) Tj" for at in range(3)]
    page = read(*bold, "/I 12 Tf (slanted) Tj")
    assert [line.bold for line in page.lines] == [False, True, True, True, False]
    assert [part for line in page.lines for part in parts(line)] == [("italic", "slanted")]


def test_a_sign_alone_is_neither_bold_nor_slanted() -> None:
    row = "/F1 12 Tf (one ) Tj /X 12 Tf (+) Tj /F1 12 Tf ( two ) Tj /X 12 Tf (a + b) Tj"
    assert styled(row) == {("bold", "a + b"), ("italic", "a + b")}


def test_a_page_drawn_letter_by_letter_has_the_styles_of_its_words() -> None:
    def drawn(font: str, text: str) -> str:
        return f"/{font} 12 Tf " + " ".join(f"({letter}) Tj" for letter in text)

    page = read(drawn("F1", "all of these are let"), drawn("F1", "some ") + drawn("B", "bold"))
    assert parts(page.lines[2]) == [("bold", "bold")]


NOTE = "/F1 {} Tf {} Ts ({}) Tj 0 Ts /F1 9 Tf ({}) Tj"


def test_a_note_is_tied_to_its_marks_in_the_text() -> None:
    mark = "/F1 7 Tf 4 Ts ({}) Tj 0 Ts /F1 12 Tf"
    text = "/F1 12 Tf (Many people) Tj " + mark.format("1") + " ( were there, they said.) Tj "
    text += mark.format("*") + " ( And a room of 20 km) Tj " + mark.format("2") + " ( too) Tj"
    page = read(
        text,
        *["/F1 12 Tf (And then there was more of it, for as long as it took.) Tj"] * 15,
        NOTE.format(6, 3, "1", " As it is told in another place."),
        NOTE.format(6, 3, "*", " Nobody counted them."),
        NOTE.format(6, 3, "2", " Not a mark of this one: a power."),
    )
    told = [
        (
            note.mark,
            page.lines[note.place.line].text.split()[1],
            [page.lines[each.line].text[each.start - 4 : each.end] for each in note.marked],
        )
        for note in page.footnotes
    ]
    assert told == [("1", "As", ["ople1"]), ("*", "Nobody", ["aid.*"])]


@pytest.mark.parametrize(
    ("usual", "other", "name", "is_bold"),
    [
        (85, 140, b"Face-Medi", True),
        (50, 72, b"Face-Medi", False),  # the usual one's width is not given
        (85, 140, b"Face-Regular", False),
        (85, 140, b"Face-It", False),
    ],
)
def test_heavier_stems_are_bold_type_unless_the_name_says_no(
    usual: int, other: int, name: bytes, is_bold: bool
) -> None:
    def font(name: bytes, number: int) -> bytes:
        widths = b"/FirstChar 32/LastChar 126/Widths[%s]" % (b"500 " * 95)
        return (
            FONT.replace(b"Helvetica", name)[:-2]
            + widths
            + b"/FontDescriptor %d 0 R>>" % number
        )

    def descriptor(name: bytes, stem: int) -> bytes:
        return (
            b"<</Type/FontDescriptor/FontName/%s/Flags 34/FontBBox[0 -200 1000 900]"
            b"/ItalicAngle 0/Ascent 750/Descent -250/CapHeight 700/StemV %d>>" % (name, stem)
        )

    extra = (font(name, 8), descriptor(b"Face", usual), descriptor(name, other))
    content = b"BT /F1 12 Tf 72 700 Td (Many plain words here, and ) Tj /B 12 Tf (these) Tj ET"
    pdf = written_pdf(
        content, font=font(b"Face", 7), resources=b"/Font<</F1 5 0 R/B 6 0 R>>", extra=extra
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        [line] = opened.page(1, text_layer="only").lines
    assert (("bold", "these") in parts(line)) == is_bold


@pytest.mark.parametrize(
    ("text", "marks"),
    [("nano1", ["1"]), ("1nano", ["1"]), ("no.1", ["1"]), ("nano2", []), ("a1a", [])],
)
def test_a_mark_that_its_font_draws_raised_is_raised(text: str, marks: list[str]) -> None:
    """As large as others and on their baseline: the ink of the `1` alone begins above."""
    low, high = (
        (b"500 0 0 %d 450 %d d1 0 %d 450 350 re f" % (y, y + 350, y)) for y in (0, 400)
    )
    names = {"a": low, "n": low, "o": low, "one": high, "two": low, "period": low}
    procs = b"".join(b"/%s %d 0 R" % (name.encode(), 6 + n) for n, name in enumerate(names))
    codes = {"a": "a", "n": "n", "o": "o", "1": "1", "2": "2", ".": "."}
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 750]/FontMatrix[.001 0 0 .001 0 0]"
        b"/CharProcs<<%s>>/Encoding<</Type/Encoding/Differences"
        b"[46/period 49/one 50/two 97/a 110/n 111/o]>>/FirstChar 46/LastChar 111"
        b"/Widths[%s]/ToUnicode 12 0 R>>" % (procs, b"500 " * 66)
    )
    extra = (*(stream(b"", glyph) for glyph in names.values()), meaning(**codes))
    pdf = written_pdf(
        b"BT /F1 20 Tf 72 700 Td (%s) Tj ET" % text.encode(), font=font, extra=extra
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as document:
        [line] = document.page(1, text_layer="only").lines
    raised = [line.text[each.start : each.end] for each in line.styles]
    assert (line.text, raised) == (text, marks)


def test_a_word_of_which_nothing_is_left_has_no_raised_mark() -> None:
    """PDFium has characters that stand for nothing: a picture of a sign, for one."""
    assert not list(raised_glyphs(0, [("", (0.0, 0.0, 0.0, 0.0), SPACE, 0.0)], [(0, 1)]))


@pytest.mark.parametrize(("room", "text"), [(2.4, "some 10-2 more"), (4, "some 10 -2 more")])
def test_a_power_in_two_fonts_is_raised_and_keeps_to_its_number(room: float, text: str) -> None:
    power = "/I 8 Tf 4 Ts (-) Tj /F1 8 Tf (2) Tj 0 Ts /F1 12 Tf"
    page = read(f"/F1 12 Tf (some 10) Tj [{-1000 * room / 12}] TJ {power} ( more) Tj")
    assert page.lines[1].text == text
    assert ("superscript", "-2") in parts(page.lines[1])
