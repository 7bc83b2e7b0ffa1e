"""Rows of a table told by the room between their lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.structure.tables.baseline import Baseline
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.rows.gaps import rows_by_room
from pagetide.structure.tables.rows.sections import section_names

XS = (100.0, 300.0, 400.0)
SERIALS = "Serien-Nr. 50318842, 50318843,"


def _lines(*said: tuple[float, Sequence[str]]) -> list[Baseline]:
    """Lines of 20 pixels, each below the one before by this much more."""
    found, y = list[Baseline](), 0.0
    for room, texts in said:
        y += 20 + room
        pieces = [
            Piece(text, x, y, x + 9 * len(text), y + 20, line=len(found))
            for text, x in zip(texts, XS, strict=False)
            if text
        ]
        columns = frozenset(n for n, text in enumerate(texts) if text)
        found.append(Baseline(tuple(pieces), columns))
    return found


def _rows(lines: Sequence[Baseline]) -> list[list[str]] | None:
    rows = rows_by_room(lines, lambda piece: XS.index(piece.x0), 20)
    return None if rows is None else [[each.pieces[0].text for each in row] for row in rows]


def test_figures_below_a_name_are_more_of_what_it_says() -> None:
    lines = _lines(
        (10, ("A", "Battery", "394,00")),
        (1, ("", SERIALS)),
        (1, ("", "50318850, 50318851")),
        (10, ("B", "Nails", "91,20")),
        (1, ("", "in boxes of 250")),
    )
    assert _rows(lines) == [["A", SERIALS, "50318850, 50318851"], ["B", "in boxes of 250"]]


def test_figures_below_figures_are_another_row_whatever_room_there_is() -> None:
    lines = _lines(
        (10, ("Rope", "4", "394,00")),
        (1, ("Tar", "2", "12,00")),
        (10, ("Nails", "8", "91,20")),
        (1, ("Oil", "1", "7,00")),
    )
    assert _rows(lines) is None


@pytest.mark.parametrize("room", [6.0, 1.0])
def test_a_sections_name_is_a_row_where_it_has_more_room_than_lines_of_a_cell(
    room: float,
) -> None:
    lines = _lines(
        (10, ("Earthworks",)),
        (room, ("113.111", "1", "8 400")),
        (12, ("113.221", "2", "2 365")),
        (1, ("four months",)),
        (12, ("113.731", "6", "1 860")),
    )
    first = [["Earthworks"], ["113.111"]] if room > 1 else [["Earthworks", "113.111"]]
    assert _rows(lines) == [*first, ["113.221", "four months"], ["113.731"]]


@pytest.mark.parametrize("room", [6.0, 1.0])
def test_a_groups_name_beside_the_keys_is_a_row_with_the_same_room(room: float) -> None:
    lines = _lines(
        (10, ("", "Delivered on Monday")),
        (room, ("113", "Rope", "8 400")),
        (12, ("221", "Tar", "2 365")),
        (1, ("", "four months")),
        (12, ("731", "Sail", "1 860")),
    )
    first = [["Delivered on Monday"], ["113"]] if room > 1 else [["Delivered on Monday", "113"]]
    assert _rows(lines) == [*first, ["221", "four months"], ["731"]]


@pytest.mark.parametrize(("name", "names"), [("Taxes", ["Taxes"]), ("Duty on all the oil", [])])
def test_a_groups_name_that_left_room_for_more_is_none_of_the_items_below(
    name: str, names: list[str]
) -> None:
    lines = _lines(
        (8, ("Rope for the big mast", "12", "37.20")),
        (8, ("Tar", "4", "33.00")),
        (8, ("Oil", "1", "7.00")),
        (8, ("", "", "77.20")),
        (14, (name,)),
        (8, ("Lamps, by the tun", "451", "13.44")),
    )
    assert [piece.text for piece in section_names(lines, 20)] == names


@pytest.mark.parametrize(("title", "names"), [(("Oils",), ["Oils"]), (("", "Oils"), [])])
def test_a_title_over_figures_names_no_group(title: tuple[str, ...], names: list[str]) -> None:
    lines = _lines(
        (8, ("Rope for the big mast", "12", "37.20")),
        (8, ("Tar", "4", "33.00")),
        (8, ("Yarn", "1", "7.00")),
        (16, title),
        (8, ("Palm, by the tun", "451", "13.44")),
        (8, ("Rape", "2", "8.25")),
    )
    assert [piece.text for piece in section_names(lines, 20)] == names


@pytest.mark.parametrize("second", ["financing activities", "Financing activities"])
def test_a_sections_name_of_two_lines_is_one_row_where_its_sentence_goes_on(
    second: str,
) -> None:
    lines = _lines(
        (7, ("Cash flows from investing and",)),
        (1, (second,)),
        (7, ("Dividends", "11", "900")),
        (7, ("Loans repaid: to banks and", "", "")),
        (1, ("other lenders", "13", "500")),
        (7, ("Other", "2", "310")),
    )
    whole = [
        ["Cash flows from investing and", second],
        ["Dividends"],
        ["Loans repaid: to banks and", "other lenders"],
        ["Other"],
    ]
    assert (_rows(lines) == whole) == second.islower()
