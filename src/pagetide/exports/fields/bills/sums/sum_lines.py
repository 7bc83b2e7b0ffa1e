"""The rows of a bill's pages with the amounts at their ends, as sums are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from decimal import Decimal
from functools import cached_property

from msgspec import Struct

from pagetide.document.field import Field, Value
from pagetide.exports.fields.bills.items.settled_rows import Row
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.structure.tables.pieces import has_figures

_PARTS = 4  # words of an amount with its currency, at most


class SumLine(Struct, frozen=True, dict=True):
    """A row of a page, which may end with an amount.

    Attributes:
        name: Of the sum that the amount is known to be; otherwise empty.
    """

    page: int
    row: Sequence[Phrase]
    name: str

    @cached_property
    def amount(self) -> Decimal | None:
        """The sum of money at its end, after something else such as its label."""
        words = self.row[-1].text.split() if has_figures(self.row[-1].text) else ()
        is_alone = len(self.row) == 1 and not self.name
        for count in range(min(len(words) - is_alone, _PARTS), 0, -1):
            amount = amount_in(" ".join(words[-count:]))
            if amount and amount.is_money:
                return amount.number
        return None


def lines_on(sheets: Sequence[Sheet], pairs: Sequence[Field]) -> list[SumLine]:
    """The pages' rows, from the top; those of labelled sums with their names."""
    names = {(p.value.page, line): p.name for p in pairs for line in p.value.lines}
    return [
        SumLine(sheet.page.number, row, names.get((sheet.page.number, row[-1].line), ""))
        for sheet in sheets
        for row in sheet.rows
    ]


def lines_in(values: Iterable[Value | None]) -> set[tuple[int, int]]:
    """The page number and the line index of each line that some values are in."""
    return {(value.page, line) for value in values if value for line in value.lines}


def lines_of(rows: Sequence[Row]) -> set[tuple[int, int]]:
    """Those with an item's name or amount."""
    return lines_in(value for row in rows for value in (row.item.amount, row.item.description))


def below(own: Set[tuple[int, int]], lines: Sequence[SumLine]) -> Sequence[SumLine]:
    """The rows after the last that contains one of some pages' lines."""
    count = next((n for n, line in enumerate(reversed(lines)) if is_of(own, line)), len(lines))
    return lines[len(lines) - count :]


def is_of(own: Set[tuple[int, int]], line: SumLine) -> bool:
    """Whether a row contains one of some pages' lines."""
    return not own.isdisjoint([(line.page, phrase.line) for phrase in line.row])
