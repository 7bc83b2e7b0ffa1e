"""Tables of items, as invoices have: heads and figures prove them, whatever stands between."""

from __future__ import annotations

from typing import Any

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import NOTHING_DRAWN, Drawn, Rule
from pagetide.structure.tables import find_tables
from pagetide.structure.tables.items.item_heads import are_heads
from pagetide.structure.tables.items.items import _Items
from pagetide.structure.tables.pieces import Piece

WIDTH, HEIGHT = 1000.0, 1400.0
COLUMNS = (100.0, 560.0, 700.0, 860.0)
HEADS = ("Item", "Quantity", "Rate", "Amount")


def _line(text: str, x: float, y: float) -> Line:
    words, at = [], x
    for word in text.split():
        box = (at, y, at + 10 * len(word), y + 20)
        words.append(Word(text=word, polygon=polygon_of(box)))
        at += 10 * len(word) + 8
    return Line(text=text, polygon=polygon_of((x, y, at - 8, y + 20)), words=tuple(words))


def _row(y: float, *texts: str) -> list[Line]:
    return [_line(text, x, y) for text, x in zip(texts, COLUMNS, strict=True) if text]


def _service(y: float, name: str, *figures: str) -> list[Line]:
    """An item with three lines of words below it, as far apart as the item is from others."""
    notes = [_line(f"{word} of it", 100, y + 35 * n) for n, word in enumerate("abc", 1)]
    return [*_row(y, name, *figures), *notes]


def _tables(lines: list[Line], drawn: Drawn = NOTHING_DRAWN) -> list[list[list[str]]]:
    boxes = [box_of(line.polygon) for line in lines]
    found = []
    for each in find_tables(lines, boxes, drawn, (), WIDTH, HEIGHT):
        rows = [[""] * each.table.columns for _ in range(each.table.rows)]
        for cell in each.table.cells:
            rows[cell.row][cell.column] = cell.text
        found.append(rows)
    return found


PROSE = [
    _line("plain words of a letter go on to the very end of this line of it", 100, 100 + 28 * n)
    for n in range(4)
]
ITEMS = [
    *_row(300, *HEADS),
    *_service(340, "Service A", "12", "$10.00", "$120.00"),
    *_service(480, "Service B", "5", "$1.50", "$7.50"),
]


def test_a_ruled_head_has_the_items_below_it_with_their_words() -> None:
    head = Drawn(
        rules=tuple(Rule(start=(90.0, y), end=(960.0, y)) for y in (290.0, 330.0)),
        fills=((90.0, 290.0, 960.0, 330.0),),
    )
    name = [_line("Contract no. 17", 100, 340)]
    items = [*_service(400, "Service A", "12", "$10.00", "$120.00")]
    items += _service(545, "Service B", "5", "$1.50", "$7.50")
    [table] = _tables([*PROSE, *_row(300, *HEADS), *name, *items], head)
    assert table[0] == list(HEADS)
    figures = [row[1:] for row in table if row[3] and row[3] != HEADS[3]]
    assert figures == [["12", "$10.00", "$120.00"], ["5", "$1.50", "$7.50"]]


def test_sums_far_below_are_of_the_table_and_what_follows_is_not() -> None:
    sums = [
        line
        for n, name in enumerate(("Subtotal:", "Tax:", "Total:"))
        for line in (_line(name, 700, 700 + 32 * n), _line("$127.50", 860, 700 + 32 * n))
    ]
    notes = [_line("Notes:", 100, 860), _line("All names are made up for this page.", 100, 890)]
    [table] = _tables([*PROSE, *ITEMS, *sums, *notes])
    assert [row[-1] for row in table[-3:]] == ["$127.50"] * 3
    assert [row[0] for row in table[-3:]] == ["Subtotal:", "Tax:", "Total:"]


def test_pairs_of_an_invoices_head_are_no_items() -> None:
    pairs = [_line("Date", 100, 300), _line("Due", 560, 300), _line("Reference", 700, 300)]
    values = [_line("03/20/2023", 100, 330), _line("04/04/2023", 560, 330)]
    values.append(_line("CUSTREF", 700, 330))
    assert _tables([*PROSE, *pairs, *values]) == []


def test_addresses_and_telephones_side_by_side_are_no_items() -> None:
    rows = (
        ("Firm", "Board", "Bank"),
        ("Long Street", "A Person", "Kto 48567"),
        ("Tel +49 6051 916 10", "Court HRB 13302", "Blz: 507 500 94"),
        ("Fax +49 6051 916 29", "Id 232 446 240 11", "DE30 5075 0094 0000"),
    )
    feet = [line for n, row in enumerate(rows) for line in _row(1200 + 24 * n, *row, "")]
    assert _tables([*PROSE, *feet]) == []


def test_an_address_in_the_frame_above_the_heads_is_not_of_the_table() -> None:
    address = [_line(f"{12345 + n} Long Street", 100, 190 + 26 * n) for n in range(3)]
    address += [_line(f"Order {98765 + n}", 700, 190 + 26 * n) for n in range(3)]
    across = [
        Rule(start=(90.0, y), end=(960.0, y)) for y in (180.0, 290.0, 330.0, 460.0, 620.0)
    ]
    [table] = _tables([*address, *ITEMS], Drawn(rules=tuple(across)))
    assert table[0] == list(HEADS)
    assert not any("Street" in text for row in table for text in row)


def test_every_word_is_in_one_cell_at_most() -> None:
    lines = [*PROSE, *ITEMS]
    [table] = _tables(lines)
    said = " ".join(text for row in table for text in row).split()
    assert sorted(said) == sorted(" ".join(line.text for line in ITEMS).split())


def test_a_page_of_nothing_but_names_is_read_as_quickly_as_others() -> None:
    """Each row may be heads; the rows looked at below them are few."""
    seen = 0

    class Counted(list[tuple[Piece, ...]]):
        def __getitem__(self, place: Any) -> Any:
            nonlocal seen
            seen += 1
            return super().__getitem__(place)

    row = tuple(Piece("name", x, 0.0, x + 40, 10.0, 0) for x in (100.0, 300.0, 500.0))
    rows = Counted(
        tuple(piece._replace(y0=12.0 * n, y1=12.0 * n + 10) for piece in row)
        for n in range(1500)
    )
    assert all(_Items(rows, place, 10.0, (), ()).end() is None for place in range(1000))
    assert seen < 40 * 1000


def test_sums_between_rules_of_their_own_stand_beside_no_items() -> None:
    lines = [*_row(300, *HEADS), _line("--- Goods ---", 100, 340)]
    lines += _row(380, "Wax", "1", "42.00", "$42.00")
    lines += _row(420, "Office chair", "2", "35.00", "$70.00")
    lines += [_line("Subtotal $112.00", 800, 460), _line("--- Food ---", 100, 500)]
    lines += _row(540, "Olive oil", "1", "1.00", "$1.00")
    lines += _row(580, "Truffles", "3", "50.00", "$150.00")
    sums = [("Net", "$263.00"), ("Tax", "$16.00"), ("Total", "$279.00")]
    for n, (name, figure) in enumerate(sums):
        lines += [_line(name, 560, 660 + 40 * n), _line(figure, 860, 660 + 40 * n)]
    wide = [Rule(start=(90.0, y), end=(960.0, y)) for y in range(290, 620, 40)]
    short = [Rule(start=(550.0, y), end=(960.0, y)) for y in (650.0, 690.0, 730.0)]
    tables = _tables([*PROSE, *lines], Drawn(rules=(*wide, *short)))
    (items,) = [each for each in tables if list(HEADS) in each]
    assert ["Wax", "1", "42.00", "$42.00"] in items
    assert ["Truffles", "3", "50.00", "$150.00"] in items


def test_heads_may_all_be_shortened() -> None:
    def row(*texts: str) -> list[Piece]:
        return [
            Piece(text, 100.0 * n, 0.0, 100.0 * n + 80, 20.0, line=0)
            for n, text in enumerate(texts)
        ]

    assert are_heads(row("Artigo", "Qtd. Un.", "Pr. Unit.", "Valor"))
    assert are_heads(row("Artikelnr.", "Qtd. Un.", "Summe"))
    assert not are_heads(row("the boats of it.", "came in by night.", "they went north."))


def test_a_sum_behind_which_its_currency_stands_in_letters_is_a_row() -> None:
    lines = [*_row(100, *HEADS), *_row(140, "Rope", "2", "10.00", "20.00")]
    lines += _row(180, "Tar", "1", "8.50", "8.50")
    lines += [_line("Rounding", 560, 230), _line("0.00", 900, 230)]
    lines += [_line("To be paid", 560, 253), _line("28.50 kr", 850, 253)]
    [table] = _tables(lines)
    assert [row[-1] for row in table] == ["Amount", "20.00", "8.50", "0.00", "28.50 kr"]


def test_a_sum_may_be_below_another_column_of_amounts_than_the_last() -> None:
    """A figure of another kind there, as of a bank account, ends no table."""
    heads = ("Item", "Pieces", "Amount", "Tax")
    lines = [*_row(100, *heads), *_row(140, "Rope", "2", "20.00", "2.40")]
    lines += [*_row(180, "Tar", "1", "8.50", "1.02"), *_row(228, "Carried", "", "28.50", "")]
    [table] = _tables(lines)
    assert table[-1] == ["Carried", "", "28.50", ""]
    [table] = _tables([*lines[:-2], *_row(228, "Account", "", "48567", "")])
    assert table[-1][0] == "Tar"
