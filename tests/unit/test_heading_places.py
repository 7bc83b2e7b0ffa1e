"""What looks like a heading and heads nothing is text."""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.document import Line, TextStyle
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Drawn
from pagetide.structure import structure
from pagetide.structure.draft import Draft
from pagetide.structure.headings.places import apart
from pagetide.structure.rows import Row

WIDTH, HEIGHT = 1000, 1400


def _line(text: str, x: float, y: float, *, right: float = 0, style: str = "") -> Line:
    line = Line(text=text, polygon=polygon_of((x, y, right or x + 10 * len(text), y + 20)))
    if style == "bold":
        return replace(line, bold=True)
    styles = (TextStyle(kind="italic", start=0, end=len(text)),) if style else ()
    return replace(line, styles=styles)


def _prose(y: float, count: int = 6) -> list[Line]:
    return [
        _line(f"line {i} of a paragraph of many words", 100, y + 25 * i, right=800)
        for i in range(count)
    ]


def _kinds(lines: list[Line], drawn: Drawn | None = None) -> dict[str, str]:
    blocks = structure(lines, WIDTH, HEIGHT, drawn=drawn or Drawn())[1]
    return {block.text: block.kind for block in blocks}


def test_buttons_side_by_side_are_no_headings_and_heads_of_cards_are() -> None:
    names = ("First", "Second", "Third")
    places = (100, 400, 700)
    shades = tuple((x - 10.0, 95.0, x + 190.0, 125.0) for x in places)
    buttons = [_line(said, x, 100, style="bold") for said, x in zip(names, places, strict=True)]
    lines = [*buttons, *_prose(400)]
    kinds = _kinds(lines, Drawn(fills=shades))
    assert "heading" not in {kinds[name] for name in names}
    cards = [
        _line(f"What is {said} and more", x, 130 + 25 * n)
        for said, x in zip(names, places, strict=True)
        for n in range(2)
    ]
    kinds = _kinds([*buttons, *cards, *_prose(400)], Drawn(fills=shades))
    assert {kinds[name] for name in names} == {"heading"}


def test_who_signs_a_letter_heads_nothing() -> None:
    signed = _line("The Harbour Master", 100, 400, style="italic")
    foot = [_line(said, x, 1230) for said, x in (("Harbour Office", 100), ("7 Tidal Row", 400))]
    assert _kinds([*_prose(100), signed, *foot])["The Harbour Master"] == "text"
    told = _kinds([*_prose(100), signed, *_prose(430), *foot])
    assert told["The Harbour Master"] == "heading"


def test_a_short_line_and_one_in_italics_below_it_are_two() -> None:
    lines = [
        *_prose(100),
        _line("S. Field", 500, 400),
        _line("keeper of the lights and shoals", 500, 425, style="italic"),
    ]
    assert {"S. Field", "keeper of the lights and shoals"} <= _kinds(lines).keys()


def test_a_line_of_a_sentence_that_goes_on_is_no_heading() -> None:
    """As beside a box that the lines above ran around."""
    opened = _line("The year was marked above all by the opening on", 100, 100, style="bold")
    rest = [replace(each, bold=True) for each in _prose(126, 3)]
    assert "heading" not in _kinds([opened, *rest, *_prose(300)]).values()


def _draft(*lines: Line) -> Draft:
    boxes = tuple(box_of(line.polygon) for line in lines)
    return Draft(rows=(Row.of(tuple(range(len(lines))), lines, boxes),))


def test_headings_side_by_side_stand_each_before_what_is_under_it() -> None:
    heads = _draft(
        _line("Your savings", 100, 300, style="bold"), _line("Notice", 600, 300, style="bold")
    )
    left, right = _draft(_line("Account", 100, 340)), _draft(_line("Fees", 600, 340))
    told = [draft.text for draft in apart([heads, left, right])]
    assert told == ["Your savings", "Account", "Notice", "Fees"]
    across = _draft(_line("Both", 100, 340, right=700))
    assert apart([heads, across]) == [heads, across]
