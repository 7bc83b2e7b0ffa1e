"""Addresses beside names and values, lists without a head, tables told by bold heads."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import Line
from pagetide.layout.addresses import is_address
from pagetide.structure.tables.baseline import lists_values
from tests.unit.tables_drawn import across, down, found, prose, row, rows_from, text, texts

LIST = [
    ("Our reference", "HB-20417", "Herr und Frau Moser"),
    ("Date", "14 March 2025", "Sonnenrain 8"),
    ("Your order", "77-120", "3612 Oberhofen"),
    ("Berth", "12 on the north quay", ""),
    ("Contact", "R. Zurbuchen", ""),
]
XS = (100.0, 320.0, 620.0)


@pytest.mark.parametrize(
    "lines",
    [
        ("Karin Holm", "Ekstigen 14", "749 52 GRILLBY"),
        ("Le Bistrot du Canal", "3, quai Sainte-Barbe", "69470 Thizy", "TVA FR 77 880114207"),
        ("Harbor Food Bank", "2100 Wharfside Avenue", "New Bedford, MA 02740", "United States"),
        ("Mrs P. Ashworth", "The Old Toll House", "118 Burnley Road", "Mytholm", "HX7 4ZD"),
        ("Norvac inc.", "1150, boul. Industriel", "Granby (Québec) J2J 1A4"),
        ("Casa Verde Ltda.", "Av. dos Ipês 1180", "12247-004 São José dos Campos, SP"),
    ],
)
def test_an_address_ends_in_a_postal_code_beside_a_town_below_a_street(
    lines: Sequence[str],
) -> None:
    assert is_address(lines)


@pytest.mark.parametrize(
    "lines",
    [
        ("Period", "2023 Actual", "2024 Budget"),
        ("Item", "Bolt 100200", "Nut 100300"),
        ("Subtotal", "Berth 4", "Total EUR 1250"),
        ("Model", "Switch", "Cisco WS 2960"),
        ("3612 Oberhofen", "Sonnenrain 8", "749 52 Grillby"),
        ("Branches", "Quay 1", "3612 Oberhofen", "Quay 2", "3600 Thun"),
        ("a" * 5000, "Sonnenrain 8", "3612 Oberhofen"),
    ],
)
def test_a_column_with_codes_is_no_address(lines: Sequence[str]) -> None:
    assert not is_address(lines)


def test_an_address_beside_names_and_values_on_its_own_lines_is_none_of_their_table() -> None:
    lines = [*prose(40), *rows_from(LIST, 200, XS), *prose(1100)]
    for each in found(lines):
        assert not any("Oberhofen" in cell for cells in texts(each.table) for cell in cells)
    branches = [(a, b, f"{3600 + n} Thun") for n, (a, b, _) in enumerate(LIST)]
    (table,) = found([*prose(40), *rows_from(branches, 200, XS), *prose(1100)])
    assert table.table.columns == 3


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Shop GmbH, Am Quay 17, 79102 Freiburg",
            "Frau",
            "Kim Moser",
            "Ring 4",
            "04277 Leipzig",
        ),
        (
            "みどり工務店 御中",
            "総務部 佐々木",
            "件名：制作一式",
            "下記のとおり",
            "ご請求申し上げます",
        ),
    ],
)
def test_who_is_written_to_beside_a_list_on_the_same_lines_is_no_column(
    lines: Sequence[str],
) -> None:
    beside = [(said, name, value) for said, (name, value, _) in zip(lines, LIST, strict=True)]
    for each in found(
        [*prose(40), *rows_from(beside, 200, (60.0, 520.0, 760.0)), *prose(1100)]
    ):
        assert each.table.columns == 2


def test_an_address_is_none_of_a_list_above_a_line_that_names_other_columns() -> None:
    lines = rows_from([(c, a, b) for a, b, c in LIST], 200, (60.0, 520.0, 760.0))
    lines += [text("Where it is sent", 60, 400)]
    lines += row(("14 the north quay of Oberhofen, berth 12", "7 tons in all"), (60, 620), 440)
    lines += [text("What was read", 60, 480)]
    lines += row(("Meter", "Read before", "Read now"), (60, 470, 700), 520)
    (table,) = found([*prose(40), *lines, *prose(1100)])
    assert texts(table.table) == [[a, b] for a, b, _ in LIST]


@pytest.mark.parametrize(
    ("values", "is_list"),
    [
        (("2025-0318", "21. August 2025", "10 447", "17.03. – 25.07.", "31. Juli"), True),
        (("FE2501-0098", "210 447", "13 de febrero", "ES76 2100"), True),
        (("31 Dec 2024", "1,204.10", "80.00", "12 %"), False),
        (("2024", "1,204.10", "12 %", "3 days"), False),
        (("Amount", "1,204.10", "12 %", "3 days"), False),
        (("Tariff 2.0", "5 GB", "unlimited", "24/7"), False),
        (("12.50", "13.00", "1,204.10", "7.00"), False),
        (("." * 20000, "1", "a 2", "3 b"), False),
    ],
)
def test_values_of_many_kinds_from_the_first_on_have_no_head(
    values: Sequence[str], is_list: bool
) -> None:
    assert lists_values(values) is is_list


def test_a_title_level_with_a_name_and_its_figure_is_none_of_their_table() -> None:
    sums = [("Subtotal", "49,415.40"), ("Tax", "7,906.46"), ("Total", "57,321.86")]
    lines = [*rows_from(sums, 200, (620.0, 800.0)), text("What the guest pays", 100, 200)]
    (table,) = found([*prose(40), *lines, *prose(1100)])
    assert texts(table.table) == [[*each] for each in sums]


def _bold(lines: Sequence[Line]) -> list[Line]:
    return [replace(line, bold=True) for line in lines]


def test_texts_that_go_on_below_bold_names_are_a_table_where_each_row_begins_in_all() -> None:
    """Addresses below bold names, each with lines of its own, are none."""
    xs = (100.0, 240.0, 700.0)
    lines = _bold(row(("Minute", "Action", "Who"), xs, 200))
    for n, (number, action, more, who) in enumerate(
        [
            ("112/19", "Obtain three quotations for the", "car park behind the hall", "Clerk"),
            ("118/19", "Write to the county about the", "missing sign at the lane", "Beamish"),
            ("121/19", "Meet the holders over charges", "and agree a date to read", "Tapp"),
        ]
    ):
        y = 226 + 48.0 * n
        lines += [*row((number, action, who), xs, y), text(more, 240, y + 24)]
    (table,) = found([*prose(40), *lines, *prose(1100)])
    assert texts(table.table)[0] == ["Minute", "Action", "Who"]
    blocks = [
        ("Ada Lind", "Harbour Ropes"),
        ("Quay 4", "Mole 11"),
        ("Visby", "Ystad"),
        ("", "Sweden"),
    ]
    said = _bold(row(("Invoice to", "Deliver to"), xs[:2], 200))
    said += [e for n, each in enumerate(blocks) for e in row(each, xs[:2], 226 + 24.0 * n)]
    assert found([*prose(40), *said, *prose(1100)]) == []


def test_tables_side_by_side_below_titles_of_their_own_are_two() -> None:
    xs = (100.0, 260.0, 320.0, 520.0, 680.0, 740.0)
    heads = ("Team", "W", "L", "Name", "Feb", "Mar")
    rows = [
        heads,
        *[(f"Club {n}", str(n), str(9 - n), f"Player {n}", str(n + 3), "7") for n in range(5)],
    ]
    rules = [across(236, 95, 400), across(236, 515, 800)]

    def tables(titles: Sequence[str], ends: Sequence[float]) -> int:
        titled = _bold([text(said, x, 150) for said, x in zip(titles, ends, strict=True)])
        return len(found([*prose(20), *titled, *rows_from(rows, 205, xs), *prose(1100)], rules))

    assert tables(("County League", "Solving ladder"), (100, 520)) == 2
    assert tables(("County League",), (100,)) == 1


def test_a_form_s_boxes_with_labels_over_values_have_no_head() -> None:
    """A ruled table of words in two lines has one."""
    xs = (100.0, 400.0, 700.0)

    def heads(*said: Sequence[str]) -> bool:
        places = zip(said, (210, 232, 270, 292), strict=True)
        lines = [line for each, y in places for line in row(each, xs, y)]
        rules = [across(y, 90, 950) for y in (200, 260, 320)]
        rules += [down(x, 200, 320) for x in (90, 390, 690, 950)]
        (table,) = found([*prose(40), *lines, *prose(1100)], rules)
        return any(cell.header for cell in table.table.cells)

    assert not heads(
        ("Number", "Date", "Client"),
        ("87/2025", "19/03/2025", "0214"),
        ("Payment", "Bank", "Code"),
        ("30 days", "Account 77-120", "M5UX"),
    )
    assert heads(
        ("Role in the", "What they do", "Where they"),
        ("house", "all day long", "sit"),
        ("Pilot of the", "Brings in boats", "On the outer"),
        ("harbour", "by night", "wall"),
    )
