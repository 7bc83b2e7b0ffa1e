"""Labels of notes in boxes are text, heads of sections in boxes are headings."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure

WIDTH, HEIGHT = 1000, 1400


def _line(text: str, x: float, y: float, *, high: float = 20, bold: bool = False) -> Line:
    box = (x, y, x + high / 2 * len(text), y + high)
    return Line(text=text, polygon=polygon_of(box), bold=bold, source="text_layer")


def _prose(y: float, count: int = 5, x: float = 100) -> list[Line]:
    said = "words of a paragraph that fill its lines well"
    return [_line(said, x, y + 25 * row) for row in range(count)]


def _box(x0: float, y0: float, x1: float, y1: float) -> list[Rule]:
    corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))
    sides = pairwise(corners)
    return [Rule(start=start, end=end, thickness=1.0) for start, end in sides]


def _kinds(lines: list[Line], rules: list[Rule]) -> dict[str, str]:
    blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))[1]
    return {block.text: block.kind for block in blocks}


def _page(after: list[Line]) -> list[Line]:
    head = _line("Changing the belt", 100, 80, high=30, bold=True)
    label = _line("BEWARE", 100, 320, high=24, bold=True)
    return [head, *_prose(130), label, *_prose(360, 3), *after]


def test_the_label_of_a_boxed_note_is_text_where_the_section_goes_on() -> None:
    box = _box(90, 310, 650, 445)
    assert _kinds(_page(_prose(480)), box)["BEWARE"] == "text"
    assert _kinds(_page(_prose(480)), [])["BEWARE"] == "heading"
    assert _kinds(_page(_prose(480)), box)["Changing the belt"] in ("heading", "title")


@pytest.mark.parametrize(("high", "kind"), [(24, "heading"), (30, "text")])
def test_before_a_heading_no_larger_a_boxs_head_is_a_heading(high: int, kind: str) -> None:
    after = [_line("Fitting the new one", 100, 480, high=high, bold=True), *_prose(530)]
    assert _kinds(_page(after), _box(90, 310, 650, 445))["BEWARE"] == kind
