"""TEDS of small tables, worked out by hand."""

from __future__ import annotations

import random

import pytest

from bench.drawn.tree_edits import letters_apart, teds


def _table(*rows: str) -> str:
    lines = ("".join(f"<td>{cell}</td>" for cell in row.split("|")) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def test_the_same_tables_are_as_near_as_can_be() -> None:
    assert teds(_table("a|b", "c|d"), _table("a|b", "c|d")) == 1


def test_a_row_less_costs_the_row_and_its_cells() -> None:
    assert teds(_table("a|b"), _table("a|b", "c|d")) == pytest.approx(1 - 3 / 6)


def test_a_text_costs_its_share_of_letters_and_nothing_in_structure() -> None:
    assert teds(_table("abcd|b"), _table("abxy|b")) == pytest.approx(1 - 0.5 / 3)
    assert teds(_table("abcd|b"), _table("abxy|b"), text=False) == 1


def test_another_span_costs_a_whole_cell() -> None:
    wide = '<table><tr><td colspan="2">a</td></tr></table>'
    assert teds(wide, _table("a")) == pytest.approx(1 - 1 / 2)


def test_rows_that_are_joined_cost_the_rows_alone() -> None:
    assert teds(_table("a|b|c|d"), _table("a|b", "c|d")) == pytest.approx(1 - 3 / 6)


def test_letters_apart_is_levenshteins_distance() -> None:
    chance = random.Random(3)  # noqa: S311 - the same each time
    for _ in range(200):
        a, b = ("".join(chance.choices("abc", k=chance.randint(0, 9))) for _ in range(2))
        assert letters_apart(a, b) == _plain(a, b)


def _plain(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (one != other))
    return row[-1]
