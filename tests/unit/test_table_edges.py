"""Lines right above and below a table: its heads, its last rows, and what is none of these."""

from __future__ import annotations

from pagetide.structure.tables.ends.edge_lines import Edge
from pagetide.structure.tables.line_words import LineWords
from pagetide.structure.tables.pieces import Piece
from tests.unit.tables_drawn import across, found, row, text, texts

XS = (100.0, 400.0, 520.0, 640.0)
BODY = [
    ("Quay", "✓", "●", "✗"),
    ("Mole", "●", "✗", "✓"),
    ("Pier", "✗", "✓", "●"),
    ("Lock", "✓", "✓", "✗"),
]
HEAD = ("Berth", "North", "South", "East")


def test_a_sum_of_marks_below_a_rule_is_a_row() -> None:
    lines = [*row(HEAD, XS, 300)]
    for place, each in enumerate(BODY):
        lines += row(each, XS, 340 + 30 * place)
    lines += row(("Total", "•", "•", "✓"), XS, 470)
    rules = [across(at, 90, 700) for at in (290, 330, 462)]
    (table,) = found(lines, rules)
    assert texts(table.table)[-1] == ["Total", "•", "•", "✓"]


def test_a_head_alone_over_all_figures_is_the_tables() -> None:
    lines = [
        text("Draught in metres, low", 435, 272),
        *row(("North", "South", "East"), XS[1:], 300),
    ]
    for place in range(5):
        values = (f"{place}.25", f"{place + 2}.75", f"1{place}.50")
        lines += row((f"Quay {'ABCDE'[place]}", *values), XS, 330 + 30 * place)
    (table,) = found(lines)
    assert texts(table.table)[0][1] == "Draught in metres, low"


def test_text_of_no_width_has_no_edge() -> None:
    pieces = (Piece(said, 24, 120, 24, 136, 0, (), True, n) for n, said in enumerate("ab"))
    words = [LineWords([piece]) for piece in pieces]
    assert Edge.of((20, 100, 30, 176), words, 16, ()) is None
    assert Edge.of((20, 100, 30, 176), [], 16, ()) is None
