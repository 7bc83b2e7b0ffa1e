"""Tables of amounts as reports print them: close columns, a bold sum, a title above."""

from __future__ import annotations

import pagetide
from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import chunks_of
from tests.written_pdf import text, written_pdf

ROWS = (
    ("Branch", "2023", "2024", "2025"),
    ("Central", "98,100", "101,700", "108,300"),
    ("Hafen", "31,400", "33,900", "37,200"),
    ("Nord", "36,800", "38,200", "38,700"),
    ("All", "166,300", "173,800", "184,200"),
)
ENDS = (0.0, 190.0, 239.0, 288.0)
PROSE = b"".join(
    text(b"The library counted more visits than in the year before, and", 60, 700 - 14 * row)
    for row in range(4)
)


def _table(top: float) -> bytes:
    """The rows below one another, figures ending where their column does, and two rules."""
    said = b""
    for place, cells in enumerate(ROWS):
        y = top - 18 * place
        said += text(cells[0].encode(), 60, y)
        for end, cell in zip(ENDS[1:], cells[1:], strict=True):
            wide = 6.67 * sum(map(str.isdigit, cell)) + 3.33 * cell.count(",")
            said += text(cell.encode(), end - wide, y)
    rules = (top - 5, top - 18 * (len(ROWS) - 1) + 13)
    return said + b"".join(b"60 %g 234 0.7 re f\n" % y for y in rules)


def _rows(content: bytes) -> list[tuple[str, ...]]:
    [table] = pagetide.read(written_pdf(content), text_layer="only").tables
    cells = {(cell.row, cell.column): cell.text for cell in table.cells}
    return [
        tuple(cells.get((row, column), "") for column in range(table.columns))
        for row in range(table.rows)
    ]


def test_columns_of_amounts_set_close_are_parted_and_the_sum_is_a_row() -> None:
    assert _rows(PROSE + _table(600)) == list(ROWS)


def test_a_title_in_larger_type_is_no_row_of_items() -> None:
    tiles = text(b"visits", 60, 610) + text(b"loans", 180, 610) + text(b"readers", 300, 610)
    title = text(b"Visits by branch", 60, 570, size=18)
    assert _rows(PROSE + tiles + title + _table(540)) == list(ROWS)


def _chunks(*said: str) -> list[str]:
    """What words as far from each other as the words of the page's prose make."""
    prose = [_line(30 * row, "words", "that", "stand", "apart") for row in range(4)]
    lines = [*prose, _line(200, *said)]
    words = words_of(lines, [box_of(each.polygon) for each in lines])
    return [chunk.text for chunk in chunks_of(words[-1])]


def _line(top: float, *said: str) -> Line:
    words, x = [], 0.0
    for text_ in said:
        box = (x, top, x + 10 * len(text_), top + 20)
        words.append(Word(text=text_, polygon=polygon_of(box)))
        x = box[2] + 9
    whole = polygon_of((0, top, x - 9, top + 20))
    return Line(text=" ".join(said), polygon=whole, words=tuple(words))


def test_of_figures_as_far_as_words_only_those_with_a_point_or_comma_part() -> None:
    assert _chunks("166,300", "173,800") == ["166,300", "173,800"]
    assert _chunks("1.5", "2.25") == ["1.5", "2.25"]
    assert _chunks("166", "300") == ["166 300"]
    assert _chunks("12.", "10.", "2026") == ["12. 10. 2026"]
