"""Names of those who sign are text, not headings."""

from __future__ import annotations

from pagetide.document import Line, TextStyle
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.signed import with_signatures
from pagetide.structure.rows import Row
from pagetide.structure.tables.ruled.frames import Stroke

PAGE = (0.0, 0.0, 1000.0, 1400.0)


def _line(
    text: str, x: float, y: float, *, high: float = 20, bold: bool = False, italic: bool = False
) -> Line:
    styles = (TextStyle(kind="italic", start=0, end=len(text)),) if italic else ()
    box = (x, y, x + high / 2 * len(text), y + high)
    polygon = polygon_of(box)
    return Line(text=text, polygon=polygon, bold=bold, styles=styles, source="text_layer")


def _draft(line: Line, *below: Line, head: bool = False) -> Draft:
    rows = []
    for each in (line, *below):
        (x0, y0), _, (x1, y1), _ = each.polygon
        rows.append(Row.of((0,), (each,), ((x0, y0, x1, y1),)))
    return Draft(kind="heading" if head else "text", rows=tuple(rows))


def _head(text: str, x: float, y: float, *, high: float = 20, bold: bool = False) -> Draft:
    line = _line(text, x, y, high=high, bold=bold, italic=not bold)
    return _draft(line, head=True)


def _kind(drafts: list[Draft], name: str, *rules: Stroke) -> str:
    return next(d.kind for d in with_signatures(drafts, rules, PAGE) if d.text == name)


def _prose(y: float) -> Draft:
    said = "words of a paragraph that fill its lines well"
    return _draft(*(_line(said, 100, y + 25 * row) for row in range(4)))


def test_a_name_under_a_rule_with_room_to_sign_on_is_text() -> None:
    name = _head("THE TENANT", 200, 253, bold=True)
    below = _draft(_line("Ruth Amsel of Wick", 165, 278, high=19))
    rule = Stroke(250, 100, 400)
    assert _kind([_prose(60), name, below], "THE TENANT", rule) == "text"
    assert _kind([_prose(60), name, below], "THE TENANT") == "heading"


def test_a_head_of_prose_under_a_rule_stays_a_heading() -> None:
    drafts = [_head("THE TENANT", 100, 255, bold=True), _prose(280)]
    assert _kind(drafts, "THE TENANT", Stroke(250, 100, 560)) == "heading"


def test_a_head_right_below_text_and_a_rule_stays_a_heading() -> None:
    drafts = [_prose(145), _head("THE TENANT", 100, 255, bold=True)]
    assert _kind(drafts, "THE TENANT", Stroke(250, 100, 560)) == "heading"


def test_a_signature_on_a_rule_that_says_so_is_text() -> None:
    signature = _head("Ruth Amsel", 150, 400, high=34)
    said = _draft(_line("Signature of the tenant", 120, 440, high=14))
    rule = Stroke(437, 110, 450)
    assert _kind([_prose(200), signature, said], "Ruth Amsel", rule) == "text"
    assert _kind([_prose(200), signature, _prose(480)], "Ruth Amsel", rule) == "heading"


def test_a_signature_below_a_letters_last_line_is_text() -> None:
    signature = _head("Ruth Amsel", 100, 310, high=26)
    closing = _draft(_line("With kind regards from us all,", 100, 240))
    ended = _draft(_line("That is how it was decided.", 100, 240))
    assert _kind([closing, signature, _prose(350)], "Ruth Amsel") == "text"
    assert _kind([ended, signature, _prose(350)], "Ruth Amsel") == "heading"


def test_a_signature_over_the_same_name_is_text() -> None:
    signature = _head("Ruth Amsel", 100, 310, high=26)
    typed = _draft(_line("Ruth Amsel", 100, 350), _line("Head of the choir", 100, 375))
    assert _kind([_prose(150), signature, typed], "Ruth Amsel") == "text"
