"""Headers alone at the end of a page are those of the rows on the next one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import Line, Page
from pagetide.exports.text import markdown
from pagetide.layout import Drawn, Rule
from pagetide.structure import settled, structure
from tests.documents import document_of, page_of
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, prose, row, text

SIDES = (80.0, 400.0, 640.0, 900.0)
XS = (90.0, 410.0, 650.0)
HEADS = ("Symptom", "Cause", "Remedy")
ROWS = [("No light", "Lid open", "Close it"), ("Noise", "Rod loose", "Push it in")]


def _cells(rows: Sequence[Sequence[str]], top: float) -> tuple[list[Line], list[Rule]]:
    lines = [each for n, own in enumerate(rows) for each in row(own, XS, top + 10 + 40 * n)]
    foot = top + 40 * len(rows)
    rules = [across(top + 40 * n, SIDES[0], SIDES[-1]) for n in range(len(rows) + 1)]
    return lines, [*rules, *(down(x, top, foot) for x in SIDES)]


def _page(number: int, lines: Sequence[Line], rules: Sequence[Rule]) -> Page:
    found, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    return page_of(list(found), number=number, blocks=blocks)


def _first(heads: Sequence[str], top: float, *, bold: bool = True) -> Page:
    lines, rules = _cells([heads], top)
    lines = [replace(line, bold=bold) for line in lines]
    body = [line for n in range(8) for line in prose(100 + 130 * n) if 130 * n < top - 230]
    return _page(1, [*body, *lines, text("Manual of the mill", 80, 1370)], rules)


def test_headers_at_the_end_of_a_page_head_the_rows_on_the_next() -> None:
    lines, rules = _cells(ROWS, 60)
    second = _page(2, [*lines, *prose(400), *prose(600)], rules)
    written = markdown.write(document_of(*settled([_first(HEADS, 1280), second])))
    told = ["| Symptom | Cause | Remedy |", "| --- | --- | --- |"]
    told += [f"| {' | '.join(own)} |" for own in ROWS]
    assert "\n".join(told) in written


@pytest.mark.parametrize("bold", [True, False])
def test_only_bold_names_in_cells_are_headers(*, bold: bool) -> None:
    kinds = [block.kind for block in _first(HEADS, 1280, bold=bold).blocks]
    assert ("table" in kinds) is bold


def test_figures_in_cells_are_no_headers() -> None:
    kinds = [block.kind for block in _first(("Form 12", "Page 3", "2025"), 1280).blocks]
    assert "table" not in kinds
