"""Names in a column with their values in the next, though no colon tells."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.structure import structure
from pagetide.structure.pairs.named_values import lists_of_pairs
from pagetide.structure.running import RowsOf
from tests.unit.tables_drawn import HEIGHT, WIDTH, joined, prose, text

TITLE = [  # up to where values begin
    text("Lovelace and Babbage of Harbour Town", 375, 69),
    text("By the Quay, in Harbour Town", 430, 111),
    text("Lovelace, 12 Quay Road, Harbour", 142, 255),
]
ADDRESS = [
    text(said, 142, 296 + 27 * n)
    for n, said in enumerate(["Madam", "Ada Lovelace", "12 Quay Road", "Harbour Town"])
]
NAMES = ["Number", "Date of issue", "Berth", "Harbour No.", "Pages", "Ref."]
VALUES = ["A-1207", "7 May 1843", "Northern pier", "7716", "1 of 2", "12/1843"]


def _texts(lines: list[Line]) -> list[str]:
    _, blocks = structure([*lines, *prose(500)], WIDTH, HEIGHT)
    return [block.text for block in blocks][:-1]


def _pairs(names: list[str], values: list[str], *, right: float | None = None) -> list[Line]:
    """Each name from 709 on, and its value from 879 on or up to `right`."""
    lines = []
    for n, (name, value) in enumerate(zip(names, values, strict=True)):
        lines.append(text(name, 709, 287 + 28 * n))
        wide = text(value, 0, 0).polygon[1][0]
        lines.append(text(value, 879 if right is None else right - wide, 287 + 28 * n))
    return lines


@pytest.mark.parametrize("right", [None, 1000.0])
def test_each_name_has_its_value_beside_an_address_on_other_heights(
    right: float | None,
) -> None:
    lines = [*TITLE, *ADDRESS, *_pairs(NAMES, VALUES, right=right)]
    *_, address, pairs = _texts(lines)
    assert address.endswith("Madam\nAda Lovelace\n12 Quay Road\nHarbour Town")
    assert pairs == "\n".join(map("\t".join, zip(NAMES, VALUES, strict=True)))


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (NAMES, ["ashore", "at sea", *VALUES[2:3] * 4]),
        ([f"{name} 12" for name in NAMES], VALUES),
        (["who came in with the tide"] * 6, VALUES),
        (NAMES[:2], VALUES[:2]),
    ],
    ids=["no figures", "names with figures", "sentences", "two"],
)
def test_other_columns_are_no_list(names: list[str], values: list[str]) -> None:
    assert _lists(_pairs(names, values)) == 0


def test_nothing_else_stands_among_names_and_values() -> None:
    lines = _pairs(NAMES, VALUES)
    assert _lists(lines) == 1
    assert _lists([*lines, text("to the", 800, 300)]) == 0
    assert _lists([*lines, *(text("more", 1040, 287 + 28 * n) for n in range(6))]) == 0


def _lists(lines: list[Line]) -> int:
    boxes = [box_of(line.polygon) for line in lines]
    places = range(len(lines))
    found, left = lists_of_pairs(RowsOf(lines, places, boxes), places, 20.0)
    held = [n for draft in found for row in draft.rows for n in row.indexes]
    assert sorted([*held, *left]) == list(places)
    return len(found)


def _with_close(name: str, value: str) -> list[Line]:
    """The list, with a name that ends close before its value, in one line with it."""
    lines = _pairs(["Number", "Berth", "Pages"], ["A-1207", "North", "1 of 2"])
    low = 287 + 28 * 3
    return [*lines, joined([*text(name, 709, low).words, *text(value, 879, low).words])]


@pytest.mark.parametrize("name", ["Date of an issue", "Harbour number:"])
def test_the_longest_name_may_be_in_one_line_with_its_value(name: str) -> None:
    lines = _with_close(name, "7 May 1843")
    assert len(lines) == 7
    assert _lists(lines) == 1


def test_names_with_colons_are_a_list_though_an_address_is_level_with_them() -> None:
    address = [text("more", 1040, 287 + 28 * n) for n in range(5)]
    assert _lists([*_pairs([f"{name}:" for name in NAMES], VALUES), *address]) == 1
    assert _lists([*_pairs(NAMES, VALUES), *address]) == 0
