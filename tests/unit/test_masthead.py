"""Small print above a page's first rule, a chart's axes, and lines that begin a column."""

from __future__ import annotations

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.layout import Drawn
from pagetide.structure import structure
from pagetide.structure.figures.around import with_axes
from pagetide.structure.order.reading_order import xy_cut
from pagetide.structure.tables.ruled.frames import Stroke, framed
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, text

PROSE = [
    text("the boats that came in with the tide were unloaded and went on", 100, 400 + 26 * n)
    for n in range(8)
]
DATE, ISSUE = (
    Line(text=said, polygon=polygon_of((x, 165, x + 150, 180)), source="text_layer")
    for said, x in (("the twelfth of May", 100), ("Number seventeen", 760))
)
NAME = text("Harbour", 100, 90)


def _kinds(rule: float | None, *, issue: bool = True) -> dict[str, str]:
    rules = () if rule is None else (across(rule, 60, 940),)
    lines = [NAME, DATE, *([ISSUE] if issue else []), *PROSE]
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=rules))
    return {block.text.split("\t")[0]: block.kind for block in blocks}


def test_small_print_above_the_first_rule_is_a_header() -> None:
    assert _kinds(195)["the twelfth of May"] == "header"


def test_an_address_by_itself_above_a_rule_is_none() -> None:
    assert _kinds(195, issue=False)["the twelfth of May"] != "header"


def test_without_a_rule_it_is_none() -> None:
    assert _kinds(None)["the twelfth of May"] != "header"


def test_above_a_rule_far_down_the_page_it_is_none() -> None:
    assert _kinds(380)["the twelfth of May"] != "header"


def test_a_chart_has_the_axes_that_its_curve_is_drawn_on() -> None:
    axes = framed([Stroke(500, 100, 400)], [Stroke(100, 200, 500)])
    assert with_axes((120, 300, 380, 420), [axes], []) == (100, 200, 400, 500)


def test_axes_around_text_are_none_of_it() -> None:
    axes = framed([Stroke(500, 100, 400)], [Stroke(100, 200, 500)])
    curve = (120.0, 300.0, 380.0, 420.0)
    assert with_axes(curve, [axes], [(110, 450, 390, 470)]) == curve


def test_a_columns_first_line_above_the_heading_beside_it_is_its_columns() -> None:
    left = [(100.0, 230.0, 210.0, 252.0)]
    left += [(100.0, 290.0 + 27 * n, 540.0, 310.0 + 27 * n) for n in range(6)]
    right = [(600.0, 210.0, 1040.0, 230.0), (600.0, 237.0, 690.0, 257.0)]
    right += [(600.0, 290.0 + 27 * n, 1040.0, 310.0 + 27 * n) for n in range(6)]
    boxes = [*left, *right]
    assert xy_cut(boxes) == list(range(len(boxes)))


def test_a_columns_first_line_may_be_set_in_above_the_heading_beside_it() -> None:
    left = [(100.0, 230.0, 210.0, 252.0)]
    left += [(100.0, 290.0 + 27 * n, 540.0, 310.0 + 27 * n) for n in range(6)]
    right = [(625.0, 210.0, 1040.0, 230.0)]
    right += [(600.0, 237.0 + 27 * n, 1040.0, 257.0 + 27 * n) for n in range(7)]
    boxes = [*left, *right]
    assert xy_cut(boxes) == list(range(len(boxes)))
