"""Authors with raised marks are text; titles with raised figures may be headings."""

from __future__ import annotations

from pagetide.document import Line, TextStyle
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.decided import ruled
from pagetide.structure.rows import Row

LIKELY = {"one": 20.0, "rule_heading": 30.0}


def _ruled(text: str, *raised: int) -> str:
    styles = tuple(TextStyle(kind="superscript", start=at, end=at + 1) for at in raised)
    box = (100.0, 200.0, 700.0, 230.0)
    line = Line(text=text, polygon=polygon_of(box), styles=styles, source="text_layer")
    draft = Draft(kind="heading", rows=(Row.of((0,), (line,), (box,)),))
    return ruled(draft, LIKELY).kind


def test_names_with_raised_marks_are_no_heading() -> None:
    assert _ruled("Ada Winter1, Jan Kolar2", 10, 22) == "text"


def test_a_head_with_one_note_or_with_raised_charges_is_a_heading() -> None:
    assert _ruled("Results for the northern lakes1", 30) == "heading"
    assert _ruled("Uptake of Ca2 and Mg2 by roots", 12, 20) == "heading"
