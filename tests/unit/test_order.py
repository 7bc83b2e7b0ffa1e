"""The reading order of blocks that areas have made."""

from __future__ import annotations

from pagetide.document import Line
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.order.of_blocks import sorted_drafts
from pagetide.structure.rows import Row


def _block(text: str, x: float, y: float, lines: int = 1) -> Draft:
    rows = []
    for n in range(lines):
        line = Line(text=text, polygon=polygon_of((x, y + 30 * n, x + 150, y + 30 * n + 20)))
        rows.append(Row.of((n,), (line,), (box_of(line.polygon),)))
    return Draft(kind="text", rows=tuple(rows))


def _read(*drafts: Draft) -> list[str]:
    return [draft.rows[0].text for draft in sorted_drafts(drafts)]


def test_addresses_side_by_side_are_read_each_below_its_name() -> None:
    names = _block("Billed to", 100, 100), _block("Sent to", 600, 100)
    addresses = _block("Maud Fenn", 100, 140, 4), _block("Harbour", 600, 140, 3)
    assert _read(*names, *addresses) == ["Billed to", "Maud Fenn", "Sent to", "Harbour"]


def test_single_lines_in_rows_are_read_row_by_row() -> None:
    names = _block("Date", 100, 100), _block("Due", 600, 100)
    values = _block("1 May", 100, 140), _block("3 June", 600, 140)
    assert _read(*names, *values) == ["Date", "Due", "1 May", "3 June"]
