"""Bullets that a PDF draws, as browsers do: they stand before their items, and make a list."""

from __future__ import annotations

import pytest

import pagetide
from pagetide.document import Line, TextStyle, Word
from pagetide.geometry import Box, polygon_of
from pagetide.inputs.drawings.bullets import bullets
from pagetide.layout.drawn_bullets import with_drawn_bullets
from pagetide.structure.tables.pieces import Piece, chunks_of
from tests.written_pdf import text, written_pdf

ITEMS = (b"The gate is locked at ten", b"Water is off in winter", b"Dues come in March")
PROSE = b"".join(
    text(b"The tide rises and the tide falls, and so it does again", 60, 700 - 14 * row)
    for row in range(6)
)


def _ring(x: float, y: float, radius: float, paint: bytes) -> bytes:
    """A circle of four curves around a point."""
    r, k = radius, 0.5523 * radius
    curves = (
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    )
    drawn = b"".join(b"%g %g %g %g %g %g c " % each for each in curves)
    return b"%g %g m %s%s\n" % (x + r, y, drawn, paint)


def _square(x: float, y: float, side: float) -> bytes:
    return b"%g %g %g %g re f\n" % (x - side / 2, y - side / 2, side, side)


@pytest.mark.parametrize(
    "mark",
    [
        lambda x, y: _ring(x, y, 2.2, b"f"),
        lambda x, y: _ring(x, y, 1.2, b"f"),
        lambda x, y: _ring(x, y, 2.2, b"s"),
        lambda x, y: _square(x, y, 4),
        lambda x, y: _square(x, y, 2),
    ],
    ids=["dot", "small dot", "ring", "square", "small square"],
)
def test_items_behind_drawn_bullets_are_a_list(mark) -> None:  # type: ignore[no-untyped-def]
    items = b"".join(
        text(item, 80, 580 - 18 * row) + mark(70, 584 - 18 * row)
        for row, item in enumerate(ITEMS)
    )
    document = pagetide.read(written_pdf(PROSE + items), text_layer="only")
    listed = "\n".join(f"- {item.decode()}" for item in ITEMS)
    assert listed in document.to_markdown()
    for line in document.pages[0].lines[-3:]:
        assert [word.text for word in line.words] == line.text.split()
        assert line.words[0].text == "•"
        assert line.polygon[0][0] <= line.words[0].polygon[0][0]


@pytest.mark.parametrize(
    ("words", "chunks"),
    [
        ([("•", 0), ("free", 24), ("text", 60)], ["• free text"]),
        ([("•", 0), ("free", 90)], ["•", "free"]),
        ([("•", 0), ("•", 24)], ["•", "•"]),
        ([("-", 0), ("12", 24)], ["-", "12"]),
    ],
)
def test_a_bullet_that_begins_a_line_is_no_column(
    words: list[tuple[str, int]], chunks: list[str]
) -> None:
    pieces = [
        Piece(said, x, 0, x + 8 * len(said), 20, 0, (), True, place)
        for place, (said, x) in enumerate(words)
    ]
    assert [chunk.text for chunk in chunks_of(pieces)] == chunks


def test_a_row_of_keys_is_no_list() -> None:
    keys = b"".join(text(b"Key", x, 500) + _square(x - 8, 504, 5) for x in (80, 160, 240))
    document = pagetide.read(written_pdf(PROSE + keys), text_layer="only")
    assert "•" not in document.to_text()


def test_the_dots_of_a_dotted_line_are_none() -> None:
    dots = b"".join(_square(70, 690 - 4 * row, 2) for row in range(25))
    document = pagetide.read(written_pdf(PROSE + dots), text_layer="only")
    assert "•" not in document.to_text()


def _dot(x: float, y: float, side: float = 4.0) -> Box:
    return (x, y, x + side, y + side)


def test_points_of_a_drawing_are_none() -> None:
    plot = (90.0, 90.0, 400.0, 400.0)
    alone, within = _dot(20, 20), _dot(200, 200)
    long, tiny = (20.0, 60.0, 24.0, 80.0), _dot(20, 120, 1.0)
    assert bullets([alone, within, long, tiny], [plot], unit=1) == [alone]


def _line(said: str, left: float, top: float, **more: object) -> Line:
    box = (left, top, left + 10 * len(said), top + 20)
    word = Word(text=said, polygon=polygon_of(box))
    return Line(text=said, polygon=polygon_of(box), words=(word,), **more)  # type: ignore[arg-type]


def test_one_mark_alone_is_no_bullet() -> None:
    lines = [_line("one", 100, 10), _line("two", 100, 40)]
    marks = [_dot(80, 18), _dot(80, 48)]
    assert [line.text for line in with_drawn_bullets(lines, marks)] == ["• one", "• two"]
    assert with_drawn_bullets(lines, marks[:1]) == tuple(lines)


def test_larger_farther_or_lower_marks_are_none() -> None:
    lines = [_line("one", 100, 10), _line("two", 100, 40)]
    for marks in (
        [_dot(80, 12, 16), _dot(80, 42, 16)],
        [_dot(30, 18), _dot(30, 48)],
        [_dot(80, 27), _dot(80, 57)],
        [_dot(80, 18), _dot(60, 48)],
        [_dot(80, 18, 3), _dot(80, 47, 6)],
    ):
        assert with_drawn_bullets(lines, marks) == tuple(lines)


def test_styles_move_with_their_words() -> None:
    styles = (TextStyle(kind="bold", start=0, end=3),)
    lines = [_line("one", 100, 10, styles=styles), _line("two", 100, 40)]
    found, _ = with_drawn_bullets(lines, [_dot(80, 18), _dot(80, 48)])
    assert found.text[found.styles[0].start : found.styles[0].end] == "one"


def test_they_stand_to_the_right_of_lines_that_run_left() -> None:
    lines = [_line("سطر", 100, 10), _line("آخر", 100, 40)]
    found = with_drawn_bullets(lines, [_dot(140, 18), _dot(140, 48)])
    assert [line.text for line in found] == ["• سطر", "• آخر"]


def test_a_line_of_no_height_has_none() -> None:
    flat = Line(text="one", polygon=polygon_of((100, 20, 130, 20)))
    assert with_drawn_bullets([flat, flat], [_dot(80, 18), _dot(80, 18)]) == (flat, flat)
