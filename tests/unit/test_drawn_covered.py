"""Lines under an opaque box that was drawn after them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagetide.geometry import Box
from pagetide.inputs.drawings import covered
from pagetide.inputs.drawings.covered import Cover, showing
from pagetide.layout.ruling import Piece
from tests.unit.test_drawn import across, down, drawn

RULE = b"0 G 1 w 100 700 m 500 700 l S\n"
BOX = b"0.9 g 300 600 150 150 re f\n"
LINE: Piece = (90.0, 100.0, 500.0, 1.0)


def test_a_rule_behind_a_box_shows_on_both_sides_of_it() -> None:
    page = drawn(RULE + BOX)
    assert [each for each in across(page) if each[0] == 92] == [(92, 100, 300), (92, 450, 500)]


def test_a_rule_on_a_box_is_whole() -> None:
    assert (92, 100, 500) in across(drawn(BOX + RULE))


def test_through_a_box_that_is_not_opaque_all_is_seen() -> None:
    clear = b"/ExtGState<</Half <</Type/ExtGState/ca 0.5>>>>"
    page = drawn(RULE + b"q /Half gs " + BOX + b"Q\n", resources=clear)
    assert (92, 100, 500) in across(page)


def test_the_edges_of_a_box_stay_beside_a_box_of_the_same_size() -> None:
    page = drawn(BOX + BOX)
    assert {at for at, *_ in across(page)} == {42, 192}
    assert {at for at, *_ in down(page)} == {300, 450}


def _shown(box: Box, before: int, pieces: tuple[Piece, ...] = (LINE,)) -> list[Piece]:
    return showing(pieces, [Cover(box, before, before)], down=False, unit=1.0)


def test_what_was_drawn_later_is_not_under_it() -> None:
    assert _shown((200, 50, 300, 150), before=0) == [LINE]
    assert _shown((200, 50, 300, 150), before=1) == [(90, 100, 200, 1), (90, 300, 500, 1)]


def test_a_line_all_under_a_box_is_gone_and_one_on_its_edge_is_not() -> None:
    assert _shown((50, 50, 600, 150), before=1) == []
    assert _shown((50, 90, 600, 150), before=1) == [LINE]


def test_a_drawing_of_too_many_lines_is_left_as_it_is() -> None:
    pieces = (LINE,) * (covered.MOST_LOOKS + 1)
    assert len(_shown((200, 50, 300, 150), before=1, pieces=pieces)) == len(pieces)


SIDES = st.tuples(*[st.integers(0, 60)] * 4).map(
    lambda box: (float(box[0]), float(box[1]), float(box[0] + box[2]), float(box[1] + box[3]))
)


@given(covers=st.lists(SIDES, max_size=4), at=st.integers(0, 60), ends=st.integers(1, 60))
def test_what_shows_is_what_no_box_is_over(covers: list[Box], at: int, ends: int) -> None:
    piece = (float(at), 0.0, float(ends), 1.0)
    parts = showing([piece], [Cover(box, 1, 1) for box in covers], down=False, unit=1.0)
    for x in (place + 0.5 for place in range(ends)):
        hidden = any(y0 + 1 < at < y1 - 1 and x0 <= x <= x1 for x0, y0, x1, y1 in covers)
        assert any(start <= x <= end for _, start, end, _ in parts) is not hidden
