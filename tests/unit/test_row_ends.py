"""What a heading's row ends with, such as points or a date, heads nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Block, Line, TextStyle
from pagetide.structure import structure
from tests.documents import line

PROSE = "a sentence of plain words that goes on from here up to the right end of its line"


def _row(text: str, top: float, left: float = 100.0, bold: bool = False) -> Line:
    box = (left, top, left + 10 * len(text), top + 20)
    styles = (TextStyle(kind="bold", start=0, end=len(text)),) if bold else ()
    return replace(line(text, box), bold=bold, styles=styles, source="text_layer")


def _page(*tasks: tuple[str, str, int]) -> tuple[Block, ...]:
    """Each a heading, the end of its row, and the number of rows below."""
    lines, top = list[Line](), 100.0
    for name, end, rows in tasks:
        lines.append(_row(name, top, bold=True))
        lines.append(_row(end, top, left=900 - 10 * len(end)))
        lines += [_row(PROSE, top + 40 + 25 * n) for n in range(rows)]
        top += 40 + 25 * rows + 60
    _, blocks = structure(lines, 1000, 1400)
    return blocks


@pytest.mark.parametrize(
    "ends", [("6 points", "12 points", "8 points"), ("May 2026", "2025", "2024")]
)
def test_the_bold_start_is_a_heading_and_the_end_is_not(ends: tuple[str, ...]) -> None:
    names = ("Task 1. The water tank", "Task 2. The way to school", "Task 3. The ramp")
    blocks = _page(*zip(names, ends, (2, 3, 2), strict=True))
    assert [block.text for block in blocks if block.kind == "heading"] == list(names)
    assert [block.text for block in blocks if block.text in ends] == list(ends)


def test_names_with_their_values_are_no_headings() -> None:
    rows = [("Number", "4711 A"), ("Carrier", "by sea"), ("Parcels", "three")]
    lines = [_row(PROSE, 40 + 25 * n) for n in range(3)]
    for n, (name, value) in enumerate(rows):
        lines.append(_row(name, 200 + 25 * n, bold=True))
        lines.append(_row(value, 200 + 25 * n, left=900 - 10 * len(value)))
    _, blocks = structure(lines, 1000, 1400)
    assert not any(block.kind == "heading" for block in blocks)
