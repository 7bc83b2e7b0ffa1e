"""Marks behind figures: a space away in the figure's cell, farther in their own column."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from pagetide.document import Line, Word
from pagetide.geometry import polygon_of
from tests.unit.tables_drawn import LETTER, SIZE, found, joined, prose, row, text, texts

ROWS = [
    ("Sodium", "139", "", "mmol/L"),
    ("Potassium", "5.8", "↑", "mmol/L"),
    ("Glucose", "128", "↑", "mg/dL"),
    ("Urea", "38", "", "mg/dL"),
    ("Iron", "22", "↓", "%"),
    ("Ferritin", "310", "", "ng/mL"),
]
NAME, FIGURES, UNITS, RANGE = 100.0, 420.0, 456.0, 600.0
HEAD = 352.0  # ends before the figures do
CLOSE, FAR = 442.0, 486.0  # units so near that a mark is halfway to them, and far from it


def _word(said: str, x: float, y: float) -> Word:
    return Word(text=said, polygon=polygon_of((x, y, x + LETTER * len(said), y + SIZE)))


def _line(figure: str, flag: str, unit: str, room: float, units: float, y: float) -> list[Line]:
    words = [_word(figure, FIGURES - LETTER * len(figure), y), _word(unit, units, y)]
    if not flag:
        return [joined([word]) for word in words]
    return [joined([words[0], _word(flag, FIGURES + room, y), words[1]])]


def _report(
    rows: Sequence[tuple[str, str, str, str]], room: float, units: float
) -> list[list[str]]:
    lines = row(("Test", "Result", "Unit", "Reference"), (NAME, HEAD, units, RANGE), 300)
    for n, (name, figure, flag, unit) in enumerate(rows):
        y = 330 + 28.0 * n
        lines += [
            text(name, NAME, y),
            *_line(figure, flag, unit, room, units, y),
            text(f"{n + 2} – {n}9", RANGE, y),
        ]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(700)])]
    return texts(table)[1:]


@given(st.floats(3, 7))
@example(6.0)
def test_a_mark_a_space_behind_a_figure_is_in_its_cell(room: float) -> None:
    assert [cells[1:3] for cells in _report(ROWS, room, CLOSE)] == [
        [f"{figure} {flag}".strip(), unit] for _, figure, flag, unit in ROWS
    ]


@given(st.floats(9, 17), st.sampled_from(["↑", "H", "++"]))
@example(10.5, "PB")
@example(16.0, "↑")
def test_marks_at_one_edge_behind_right_aligned_figures_are_a_column(
    room: float, mark: str
) -> None:
    rows = [(name, figure, flag and mark, unit) for name, figure, flag, unit in ROWS]
    assert [cells[1:4] for cells in _report(rows, room, FAR)] == [
        [figure, flag, unit] for _, figure, flag, unit in rows
    ]


@given(st.floats(9, 17))
def test_marks_behind_figures_that_start_at_one_edge_are_in_their_cells(room: float) -> None:
    """One width and one edge: without a flag such figures end where the others do, too."""
    rows = [(name, "7.5", flag, unit) for name, _, flag, unit in ROWS]
    assert [cells[1] for cells in _report(rows, room, UNITS)] == [
        f"{figure} {flag}".strip() for _, figure, flag, _ in rows
    ]
