"""Heads over several columns: in groups that repeat, without rules, and by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line, Word
from pagetide.geometry import polygon_of
from pagetide.structure.tables import FoundTable
from tests.unit.tables_drawn import across, down, found, joined, prose, row, spans, text, texts

XS = (100.0, 300.0, 420.0, 580.0, 700.0)
PAIRED = ("Quay", "Count", "Price", "Count", "Price")
GOODS = [
    ("Rope", "12", "3.10", "14", "3.30"),
    ("Sail", "1", "21.00", "2", "20.00"),
    ("Tar", "4", "8.25", "5", "8.75"),
]


def _rows(rows: Sequence[Sequence[str]], top: float, xs: Sequence[float] = XS) -> list[Line]:
    return [line for n, each in enumerate(rows) for line in row(each, xs, top + 40 * n)]


def _table(
    lines: Sequence[Line], rules: Sequence[float] = (), right: float = 800
) -> FoundTable:
    page = [*prose(60), *lines, *prose(1100)]
    (table,) = found(page, [across(y, 90, right) for y in rules])
    return table


def _rights(words: Sequence[str], y: float) -> list[Line]:
    """Heads or figures that end at places, two columns close together and two more."""
    ends = (420, 500, 660, 740)
    each = zip(words, ends, strict=True)
    return [text(said, end - 10 * len(said), y) for said, end in each if said]


def _repeated(heads: Sequence[str]) -> dict[str, tuple[int, int]]:
    """What spans in a table with two years above such heads, each above the last of its own."""
    lines = [*_rights(("", "2015", "", "2016"), 300), text("Region", 100, 340)]
    lines += _rights(heads, 340)
    for n, (name, *figures) in enumerate(GOODS):
        lines += [text(name, 100, 380 + 40 * n), *_rights(figures, 380 + 40 * n)]
    return spans(_table(lines, (290, 370, 490), 770).table)


def test_heads_over_the_same_heads_again_span_these_though_none_is_in_the_middle() -> None:
    both = {"2015": (1, 2), "2016": (1, 2)}
    assert _repeated(("Amount", "Share", "Amount", "Share")) == {"Region": (2, 1), **both}


def test_heads_over_heads_that_differ_do_not() -> None:
    heads = ("Amount", "Share", "Weight", "Loss")
    assert {"2015", "2016"}.isdisjoint(_repeated(heads))


def test_a_table_without_rules_keeps_the_heads_that_span_its_columns() -> None:
    lines = [text("North", 340, 300), text("South", 620, 300), *_rows([PAIRED, *GOODS], 340)]
    table = _table(lines).table
    assert spans(table) == {"Quay": (2, 1), "North": (1, 2), "South": (1, 2)}
    assert texts(table)[1:] == [["", *PAIRED[1:]], *map(list, GOODS)]


@pytest.mark.parametrize("top", [[290.0], []])
def test_two_rows_of_heads_and_the_first_figures_above_the_first_rule_are_three(
    top: list[float],
) -> None:
    lines = [text("Boats in the quay", 290, 300), text("Boats on the land", 570, 300)]
    lines += _rows([PAIRED, *GOODS, ("Oak", "4", "8.25", "5", "8.75")], 340)
    table = _table(lines, [*top, 410, 450, 490, 530]).table
    assert texts(table)[0] == ["Quay", "Boats in the quay", "", "Boats on the land", ""]
    assert texts(table)[1:3] == [["", *PAIRED[1:]], list(GOODS[0])]
    assert {cell.row for cell in table.cells if cell.header} == {0, 1}


@pytest.mark.parametrize(
    ("xs", "x"), [((100, 400, 520), 460), ((100, 300, 420, 540, 660), 485)]
)
def test_a_head_by_itself_in_the_middle_over_all_columns_but_the_first_is_taken(
    xs: tuple[float, ...], x: float
) -> None:
    heads = ("Quay", "North", "South", "East", "West")[: len(xs)]
    goods = [each[: len(xs)] for each in (*GOODS, GOODS[0])]
    lines = [text("Dues", x, 270), *_rows([heads, *goods], 300, xs)]
    table = _table(lines, (330, 370, 410, 450, 490), 720).table
    assert spans(table) == {"Quay": (2, 1), "Dues": (1, len(xs) - 1)}


def test_a_title_by_itself_over_the_first_column_is_not() -> None:
    xs = (100.0, 300.0, 420.0, 540.0, 660.0)
    lines = [text("Dues", 100, 270), *_rows([PAIRED, *GOODS, GOODS[0]], 300, xs)]
    table = _table(lines, (330, 370, 410, 450, 490), 720).table
    assert texts(table)[0] == list(PAIRED)


def _small(words: str, x: float, y: float) -> Line:
    """A phrase in letters two thirds as high."""
    end = x + 7 * len(words)
    word = Word(text=words, polygon=polygon_of((x, y, end, y + 14)))
    return joined([word])


def test_a_head_right_above_smaller_letters_is_no_line_of_their_cell() -> None:
    xs = (100.0, 300.0, 440.0, 580.0)
    lines = [text("Goods", 100, 296), text("In the harbour", 392, 296)]
    named = zip(("Count", "Share", "Price"), xs[1:], strict=True)
    lines += [_small(said, x, 318) for said, x in named]
    lines += _rows([each[:4] for each in GOODS], 340, xs)
    assert spans(_table(lines, (290, 335, 460), 700).table) == {
        "Goods": (2, 1),
        "In the harbour": (1, 3),
    }


def _placed(said: str, left: float, right: float, y: float) -> Line:
    """A text that is as wide as it was on a page."""
    return joined([Word(text=said, polygon=polygon_of((left, y, right, y + 20)))])


def _centred(words: Sequence[str], middles: Sequence[float], y: float) -> list[Line]:
    each = zip(words, middles, strict=True)
    return [_placed(said, at - 5 * len(said), at + 5 * len(said), y) for said, at in each]


def _right(words: Sequence[str], ends: Sequence[float], y: float) -> list[Line]:
    each = zip(words, ends, strict=True)
    return [_placed(said, end - 10 * len(said), end, y) for said, end in each]


def test_a_head_is_over_the_columns_whose_figures_it_is_in_the_middle_of() -> None:
    lines = [_placed("Tromso", 373, 436, 300), _placed("Edinburgh", 485, 574, 300)]
    lines += _centred(("Wall", "n", "w", "n", "w"), (128, 354, 416, 479, 541), 334)
    for n, wall in enumerate(("Brick", "Lime", "Sand", "Wood")):
        y = 368 + 34 * n
        lines.append(_placed(wall, 108, 153, y))
        lines += _centred(("5", "3"), (354, 479), y)
        lines += [
            _placed(said, at - 45, at + 45, y)
            for said, at in (("0.34(0.09)", 416), ("0.29(0.07)", 541))
        ]
    told = spans(_table(lines, (290, 361, 500), 593).table)
    assert (told["Tromso"], told["Edinburgh"]) == ((1, 2), (1, 2))


def test_a_rule_below_a_whole_header_does_not_narrow_its_one_head() -> None:
    middles = (536, 583, 635, 687, 739)
    lines = [_placed("Time(in minutes)", 550, 731, 363)]
    for y, name in ((395, "Value"), (427, "Count")):
        lines += [
            _placed(name, 440, 496, y),
            *_centred(("5", "10", "15", "20", "30"), middles, y),
        ]
    rules = [across(387, 440, 751), across(419, 440, 751), down(516, 355, 447)]
    (table,) = found([*prose(60), *lines, *prose(700)], rules)
    assert spans(table.table)["Time(in minutes)"] == (1, 5)


def test_a_head_is_in_the_middle_of_the_cells_of_right_aligned_figures() -> None:
    ends = (622, 739, 857, 974, 1091)  # in cells 117 wide, 9 from their right edges
    lines = [_placed("As published", 638, 742, 300), _placed("Restated", 931, 1035, 300)]
    lines += [
        _placed("In euros", 100, 337, 334),
        *_right(("2026", "2025", "2024", "2023", "2022"), ends, 334),
    ]
    for n in range(1, 6):
        y = 334 + 34 * n
        figures = ("2184", "971", "1958", f"{n}40", "-802")
        lines += [_placed(f"Line {n}", 100, 261, y), *_right(figures, ends, y)]
    rules = [across(327 + 34 * n, 91, 1100) for n in range(7)]
    (table,) = found([*prose(60), *lines, *prose(700)], rules)
    told = spans(table.table)
    assert (told["As published"], told["Restated"]) == ((1, 3), (1, 2))


def _in_middle(words: str, middle: float, y: float) -> Line:
    return text(words, middle - 5 * len(words), y)


@pytest.mark.parametrize("levels", [2, 3])
def test_each_of_stacked_heads_centred_over_one_another_spans_the_same_columns(
    levels: int,
) -> None:
    heads = ("Harbour dues", "Northern quay", "Boats")[-levels:]
    lines = [_in_middle(head, 500, 300 + 40 * n) for n, head in enumerate(heads)]
    top = 300 + 40 * levels
    rows = [("1991", "1992"), *(("12", "31"), ("1", "21"), ("4", "8"))]
    for n, (name, years) in enumerate(zip(("", "Rope", "Sail", "Tar"), rows, strict=True)):
        y = top + 40 * n
        lines += [text(name, 100, y)] if name else []
        lines += [_in_middle(said, x, y) for said, x in zip(years, (400, 600), strict=True)]
    table = _table(lines, (290, top + 30, top + 150)).table
    assert spans(table) == {head: (1, 2) for head in heads}
    assert texts(table)[levels] == ["", "1991", "1992"]


def test_a_head_spans_one_of_two_lines_and_one_beside_its_last_line() -> None:
    lines = [_in_middle("Harbour dues here", 500, 300), _in_middle("1991", 420, 340)]
    lines += [_in_middle("(USD)", 420, 364), _in_middle("1992", 560, 364)]
    for n, (name, *figures) in enumerate((("Rope", "12", "31"), ("Sail", "1", "21")) * 2):
        y = 410 + 40 * n
        lines += [text(name, 100, y)]
        lines += [_in_middle(said, x, y) for said, x in zip(figures, (420, 560), strict=True)]
    table = _table(lines, (290, 396, 570)).table
    assert spans(table)["Harbour dues here"] == (1, 2)
    assert texts(table)[1] == ["", "1991\n(USD)", "1992"]
