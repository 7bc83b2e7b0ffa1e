"""A bold phrase that goes on in the next row is one paragraph with it, and no heading."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Block, Line, TextStyle
from pagetide.structure import structure
from tests.documents import line

FIRST = "Stop taking the tablets and tell a doctor or a pharmacist of what has hap-"


def _row(text: str, top: float, bold: int) -> Line:
    styles = (TextStyle(kind="bold", start=0, end=bold),) if bold else ()
    placed = line(text, (100, top, 100 + 10 * len(text), top + 20))
    return replace(placed, bold=bold == len(text), styles=styles, source="text_layer")


def _blocks(first: str, below: str, bold: int) -> tuple[Block, ...]:
    """The blocks of a bold row, one that is bold up to a place, and prose around them."""
    prose = "words that go on and on for as long as the lines of text in this place do"
    lines = [_row(prose, 100 + 25 * n, 0) for n in range(3)]
    lines += [_row(first, 200, len(first)), _row(below, 225, bold)]
    lines += [_row(prose, 250 + 25 * n, 0) for n in range(3)]
    return structure(lines, 1000, 1400)[1]


@pytest.mark.parametrize(
    ("below", "bold"), [("pened at once, if your face swells", 14), ("pened.", 6)]
)
def test_a_phrase_that_goes_on_is_one_paragraph(below: str, bold: int) -> None:
    blocks = _blocks(FIRST, below, bold)
    assert any(f"{FIRST}\n{below}" in block.text for block in blocks)
    assert not any(block.kind == "heading" for block in blocks)


def test_a_short_bold_row_stands_over_a_paragraph_that_starts_in_bold() -> None:
    blocks = _blocks("When to stop", "At once if your face swells, or else after the meal", 7)
    assert "When to stop" in [block.text for block in blocks if block.kind == "heading"]
