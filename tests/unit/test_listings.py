"""Rows in type of a fixed width are code, set in as on the page; prose in such type is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, BlockKind, Line, TextStyle
from pagetide.exports.text import markdown
from pagetide.geometry import Polygon, polygon_of, union
from pagetide.structure import with_code
from tests.documents import document_of, page_of

LETTER, HEIGHT, PITCH = 10, 20, 24


def _block(
    rows: Sequence[str], kind: BlockKind = "text", styled: float = 1.0, turn: int = 0
) -> tuple[list[Line], Block]:
    """A block of rows, each begun where its spaces end; `styled` of each one's end is code."""
    lines, boxes = [], []
    for place, row in enumerate(rows):
        text = row.strip()
        left, top = 100 + LETTER * (len(row) - len(row.lstrip())), 100 + PITCH * place
        boxes.append((left, top, left + LETTER * len(text), top + HEIGHT))
        start = round((1 - styled) * len(text))
        styles = (TextStyle(kind="code", start=start, end=len(text)),) if styled else ()
        polygon = _turned(polygon_of(boxes[-1]), turn)
        lines.append(Line(text=text, polygon=polygon, source="text_layer", styles=styles))
    block = Block(
        kind=kind,
        polygon=_turned(polygon_of(union(boxes)), turn),
        order=0,
        text="\n".join(line.text for line in lines),
        line_indexes=tuple(range(len(lines))),
    )
    return lines, block


def _turned(polygon: Polygon, turn: int) -> Polygon:
    for _ in range(turn):
        polygon = tuple((1000 - y, x) for x, y in polygon)
    return polygon


CODE = ("def f(x):", "    if x > 0:", "        return g(x)", "    return 0")
PROSE = (
    "Nothing is said of what the boats may carry,",
    "but that it must be dry and in small parcels,",
    "and that somebody is there.",
)


@pytest.mark.parametrize("turn", range(4))
def test_code_keeps_its_rows_and_how_far_they_are_set_in(turn: int) -> None:
    lines, block = _block(CODE, turn=turn)
    (told,) = with_code(lines, [block])
    assert (told.kind, told.text.split("\n")) == ("code", list(CODE))
    page = page_of(lines, blocks=(told,))
    assert "```\n" + "\n".join(CODE) + "\n```" in markdown.write(document_of(page))


def test_numbers_of_rows_and_rows_of_signs_may_be_in_another_type() -> None:
    lines, block = _block(("1 import cv2", "2 image = cv2.imread(name)"), styled=0.85)
    signs, _ = _block(("--------------",), styled=0)
    assert with_code(lines, [block])[0].kind == "code"
    mixed = [*lines, *signs]
    longer = with_code(mixed, [_block(("a", "b", "c"))[1]])
    assert longer[0].kind == "code"


def test_parts_of_a_row_stand_where_they_did() -> None:
    lines, block = _block(("move = (", "        a;"))
    beside = Line(
        text="# and so on",
        polygon=polygon_of((300, 100, 410, 120)),
        source="text_layer",
        styles=(TextStyle(kind="code", start=0, end=11),),
    )
    both = [lines[0], beside, lines[1]]
    (told,) = with_code(both, [_replaced(block, (0, 1, 2))])
    assert told.text.split("\n") == ["move = (            # and so on", "        a;"]


def _replaced(block: Block, indexes: tuple[int, ...]) -> Block:
    return Block(
        kind=block.kind, polygon=block.polygon, order=0, text=block.text, line_indexes=indexes
    )


@pytest.mark.parametrize(
    ("rows", "kind", "styled"),
    [
        (PROSE, "text", 1.0),  # a letter in a typewriter's type
        (CODE, "text", 0.5),  # words among others
        (CODE, "text", 0.0),
        (CODE[:1], "text", 1.0),  # one row
        (CODE, "table", 1.0),
        (CODE, "list", 1.0),
    ],
)
def test_what_is_no_code(rows: Sequence[str], kind: BlockKind, styled: float) -> None:
    lines, block = _block(rows, kind, styled)
    assert with_code(lines, [block]) == (block,)


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.text(st.characters(codec="utf-8"), max_size=20)),
        min_size=1,
        max_size=8,
    )
)
def test_every_letter_stays_in_its_order(rows: list[tuple[int, str]]) -> None:
    lines, block = _block([" " * inset + text for inset, text in rows])
    (told,) = with_code(lines, [block])
    assert "".join(told.text.split()) == "".join(block.text.split())
