"""A mark behind a figure is in its cell, wherever it is between two columns."""

from __future__ import annotations

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


def _word(said: str, x: float, y: float) -> Word:
    return Word(text=said, polygon=polygon_of((x, y, x + LETTER * len(said), y + SIZE)))


def _line(figure: str, flag: str, unit: str, room: float, y: float) -> list[Line]:
    words = [_word(figure, FIGURES - LETTER * len(figure), y), _word(unit, UNITS, y)]
    if not flag:
        return [joined([word]) for word in words]
    return [joined([words[0], _word(flag, FIGURES + room, y), words[1]])]


@given(st.floats(9, 17))
@example(10.5)
@example(16.0)
def test_a_mark_behind_a_figure_is_in_its_cell(room: float) -> None:
    lines = row(("Test", "Result", "Unit", "Reference"), (NAME, 360, UNITS, RANGE), 300)
    for n, (name, figure, flag, unit) in enumerate(ROWS):
        y = 330 + 28.0 * n
        lines += [
            text(name, NAME, y),
            *_line(figure, flag, unit, room, y),
            text(f"{n + 2} – {n}9", RANGE, y),
        ]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(700)])]
    assert [cells[1:3] for cells in texts(table)[1:]] == [
        [f"{figure} {flag}".strip(), unit] for _, figure, flag, unit in ROWS
    ]
