"""Currency signs at the left of cells whose figures are at the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pagetide.document import Line
from tests.unit.tables_drawn import across, found, prose, text, texts

LEFT, RIGHT = (300.0, 560.0), (500.0, 760.0)  # of two columns
NAMES = ("Rope", "Sail", "Tar", "Jib", "Oars")
AMOUNTS = (("$ 8", "$ 31"), ("2", "83"), ("$ 415", "7"), ("85", "$ 50"), ("$ 3", "$ 9"))


def _amount(said: str, left: float, right: float, y: float, *, at_left: bool) -> Iterator[Line]:
    *sign, figure = said.split()
    if sign:
        yield text(sign[0], left, y)
    yield text(figure, right - 10 * len(figure) if sign or not at_left else left, y)


def _table(heads: Sequence[str], *, at_left: bool) -> list[list[str]]:
    """A table of names and amounts, those without a sign at the left or the right."""
    lines = [text(heads[0], 100, 300)]
    lines += [text(head, left, 300) for head, left in zip(heads[1:], LEFT, strict=True)]
    for n, (name, amounts) in enumerate(zip(NAMES, AMOUNTS, strict=True), 1):
        lines.append(text(name, 100, 300 + 40 * n))
        for said, left, right in zip(amounts, LEFT, RIGHT, strict=True):
            lines += _amount(said, left, right, 300 + 40 * n, at_left=at_left)
    rules = [across(y, 90, 780) for y in (290, 330, 530)]
    (table,) = found([*prose(60), *lines, *prose(1100)], rules)
    return texts(table.table)


@pytest.mark.parametrize("at_left", [True, False])
def test_signs_far_from_their_figures_are_in_one_column_with_them(*, at_left: bool) -> None:
    rows = _table(("Goods", "Spring", "Autumn"), at_left=at_left)
    assert rows[1:] == [[name, *amounts] for name, amounts in zip(NAMES, AMOUNTS, strict=True)]
