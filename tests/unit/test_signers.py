"""Those who sign side by side are each a block, title and name together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.layout import Drawn, Rule
from pagetide.structure import amiss, structure
from tests.unit.tables_drawn import HEIGHT, SIZE, WIDTH, across, prose, text

XS = (80.0, 400.0, 720.0)
TITLES = ("The lessor", "The lessee", "The witness")
NAMES = ("Maud Fenn", "Owen Pritchard", "Ida Quist")
OFFICES = ("Owner", "Partner", "Notary")


def _rows(*rows: Sequence[str], tops: Sequence[float], count: int) -> list[Line]:
    return [
        text(said, x, top)
        for row, top in zip(rows, tops, strict=True)
        for said, x in list(zip(row, XS, strict=True))[:count]
    ]


def _texts(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[str]:
    """What is below the prose at the top."""
    lines = [*prose(100), *lines]
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    assert amiss(lines, blocks) == (0, 0)
    return [block.text for block in blocks][1:]


@given(st.integers(2, 3), st.floats(2.1, 6), st.booleans())
def test_each_signer_is_a_block(count: int, room: float, ruled: bool) -> None:
    low = 320 + room * SIZE
    rules = [across(low - 8, x, x + 200) for x in XS[:count]] if ruled else []
    lines = _rows(TITLES, NAMES, OFFICES, tops=(300, low, low + 26), count=count)
    expected = ["\n".join(each) for each in zip(TITLES, NAMES, OFFICES, strict=True)]
    assert _texts(lines, rules) == expected[:count]


def test_a_typed_rule_is_between_title_and_name() -> None:
    typed = ["_" * 20] * 3
    lines = _rows(TITLES, typed, NAMES, tops=(300, 330, 356), count=2)
    expected = ["\n".join(each) for each in zip(TITLES, typed, NAMES, strict=True)]
    assert _texts(lines) == expected[:2]


@pytest.mark.parametrize("pitch", [50.0, 70.0, 100.0])
def test_rows_evenly_apart_are_no_signers(pitch: float) -> None:
    lines = _rows(TITLES, NAMES, OFFICES, tops=[300 + n * pitch for n in range(3)], count=2)
    assert "The lessor\nMaud Fenn" not in "\n\n".join(_texts(lines))


def test_figures_are_of_no_signers() -> None:
    lines = _rows(TITLES, ("12", "14", "15"), tops=(300, 370), count=2)
    assert "The lessor\n12" not in _texts(lines)


def test_columns_of_text_on_both_sides_of_a_rule_are_no_signers() -> None:
    said = ["boats came"] * 3
    tops = [*(300 + 26.0 * n for n in range(6)), *(500 + 26.0 * n for n in range(6))]
    lines = _rows(*[said] * 12, tops=tops, count=3)
    assert "\n".join(["boats came"] * 12) not in _texts(lines, [across(478, 60, 940)])


@given(st.integers(2, 3), st.floats(100, 190), st.floats(2, 18))
def test_names_and_titles_below_rules_are_signers_though_wide(
    count: int, room: float, below: float
) -> None:
    said, top = "Head of the purchasing", 200 + room
    lines = _rows(NAMES, [said] * 3, tops=(top, top + 24), count=count)
    rules = [across(top - below, x, x + 240) for x in XS[:count]]
    assert _texts(lines, rules) == [f"{name}\n{said}" for name in NAMES[:count]]


def test_names_right_below_typed_rules_close_together_are_signers() -> None:
    lines = [text("_" * 20, 100, 360), text("_" * 20, 330, 360)]  # a line and a half apart
    lines += [text("Maud Fenn", 150, 412), text("Ida Quist", 385, 412)]
    lines += [text("Owner", 173, 438), text("Notary", 403, 438)]
    expected = [
        "\n".join(("_" * 20, *each))
        for each in (("Maud Fenn", "Owner"), ("Ida Quist", "Notary"))
    ]
    assert _texts(lines) == expected
