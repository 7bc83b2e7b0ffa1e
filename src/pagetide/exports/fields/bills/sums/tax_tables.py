"""Tax tables, as in bills with several rates: nets and taxes by rate, and their sums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from pagetide.document import Block, Cell, Document, Page
from pagetide.document.field import Check, Value
from pagetide.exports.fields.bills.items.rows import sum_in, value_of
from pagetide.exports.fields.bills.items.tables import tables_of
from pagetide.exports.fields.bills.sums.figures import NONE, checked, number_in
from pagetide.exports.fields.heads import named
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.sums import is_payable
from pagetide.exports.fields.values.amounts import CENT, PERCENT, is_money, is_percent
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed

_RATE = re.compile(r"\d{1,2}(?:[.,]\d{1,3})?(?!\d)")
_NAMES = {"subtotal": "net", "tax": "tax", "total": "gross"}
_HEADS = 2  # rows that may contain the header
_ALL = 100  # per cent
_OFF = 3 * CENT  # a rate's tax may be the sum of rounded ones
Figures = dict[str, Decimal]
"""A row's rate, net, tax and gross, as far as present."""


class TaxTable(NamedTuple):
    """The content of a tax table.

    Attributes:
        rows: Of each rate.
        whole: The sum of the rows, if the table gives it.
        values: Of that row, or of the only one: net as `subtotal`, and `tax`.
    """

    rows: list[Figures]
    whole: Figures
    values: dict[str, Value]


def tax_tables(document: Document, order: Order) -> Iterator[TaxTable]:
    """The document's tables with a column of nets and one of taxes, in reading order."""
    for page, block, table in tables_of(document):
        rows: dict[int, list[Cell]] = {}
        for cell in table.cells:  # including empty ones: a row may have no rate
            rows.setdefault(cell.row, []).append(cell)
        if found := _table([rows[row] for row in sorted(rows)], page, block, order):
            yield found


def tax_checks(tables: Sequence[TaxTable]) -> Iterator[Check]:
    """Whether each rate's tax matches its net, and the rates add up to their sums."""
    for table in tables:
        for row in table.rows:
            if len(table.rows) > 1 or "rate" in row:  # otherwise it is a band of sums
                yield from _row_checks(row)
        for name, whole in table.whole.items():
            if name != "rate" and all(name in row for row in table.rows):
                yield checked("tax", sum((r[name] for r in table.rows), NONE), whole, CENT)


def _row_checks(row: Figures) -> Iterator[Check]:
    if "gross" in row:
        yield checked("tax", row["net"] + row["tax"], row["gross"], CENT)
    elif "rate" in row:
        yield checked("tax", row["net"] * row["rate"] / _ALL, row["tax"], _OFF)


def _table(
    rows: Sequence[Sequence[Cell]], page: Page, block: Block, order: Order
) -> TaxTable | None:
    for place, head in enumerate(rows[:_HEADS]):
        if not _may_name(head):
            continue
        if by_rate := _by_rate(head, rows[place + 1 :]):
            return by_rate
        columns = _columns(head, rows[place + 1 :])
        if {"net", "tax"} <= set(columns.values()):
            break
    else:
        return None
    rates: list[Figures] = []
    whole: Figures = {}
    last: Sequence[Cell] = ()
    for cells in rows[place + 1 :]:
        figures = _figures(cells, columns)
        if {"net", "tax"} <= figures.keys():
            is_unrated = "rate" in columns.values() and not _has_rate(cells, columns)
            nets = [abs(row["net"]) for row in rates]
            name = sum_in([cell.text for cell in cells])
            is_sum = name == "total" and abs(figures["net"]) >= max(nets, default=NONE)
            if is_sum or (nets and is_unrated and abs(figures["net"]) == sum(nets)):
                whole, last = figures, cells
                break
            rates.append(figures)
            last = cells
    if not rates or not all("rate" in row or "gross" in row for row in rates):
        return None
    named = {"net": "subtotal", "tax": "tax"}
    values = {
        named[columns[cell.column]]: typed(
            value_of(page, block, cell, cell.text), order, "amount"
        )
        for cell in (last if whole or len(rates) == 1 else ())
        if columns.get(cell.column) in named
    }
    return TaxTable(rates, whole, values)


def _by_rate(head: Sequence[Cell], below: Sequence[Sequence[Cell]]) -> TaxTable | None:
    """A band of sums whose names contain the rates: a net and a tax of each, and their sums."""
    if len(below) != 1:
        return None
    texts = {cell.column: cell.text.strip() for cell in below[0] if is_money(cell.text.strip())}
    by_rate: dict[Decimal | None, Figures] = {}
    for cell in head:
        text = " ".join(cell.text.split())
        name = _NAMES.get(name_of(text), "")
        number = number_in(texts.get(cell.column, "")) if name in ("net", "tax") else None
        if number is not None:
            rate = PERCENT.search(text)
            by_rate.setdefault(_rate(rate[0]) if rate else None, {})[name] = number
    whole = by_rate.pop(None, {})
    rows = [row | {"rate": rate} for rate, row in by_rate.items() if rate and len(row) > 1]
    return TaxTable(rows, whole, {}) if len(rows) == len(by_rate) > 0 else None


def _may_name(head: Sequence[Cell]) -> bool:
    """Whether a row has names of nets and of taxes; most tables have neither."""
    return {"subtotal", "tax"} <= {name_of(" ".join(cell.text.split())) for cell in head}


def _columns(head: Sequence[Cell], below: Sequence[Sequence[Cell]]) -> dict[int, str]:
    """The content of a header's columns; a tax column of percents or codes is its rate's."""
    found: dict[int, str] = {}
    for cell in head:
        text = " ".join(cell.text.split())
        rates = [c.text for row in below for c in row if c.column == cell.column and c.text]
        is_rate = named(text) == ("tax",) and name_of(text) != "tax"
        if rates and (is_rate or _are_rates(rates, text)):
            found[cell.column] = "rate"
        elif (name := _NAMES.get(name_of(text), "")) and not (
            name == "gross" and is_payable(text)
        ):  # of two nets the last is taxed
            found = {column: own for column, own in found.items() if own != name}
            found[cell.column] = name
    return found


def _are_rates(texts: Sequence[str], head: str) -> bool:
    percents = sum(is_percent(text.strip()) for text in texts)
    return 2 * percents > len(texts) or ("%" in head and not any(map(str.isdigit, head)))


def _has_rate(cells: Sequence[Cell], columns: dict[int, str]) -> bool:
    return any(columns.get(cell.column) == "rate" and cell.text.strip() for cell in cells)


def _rate(text: str) -> Decimal | None:
    """The rate in a text, with or without other words; its decimals may be three zeros."""
    found = _RATE.search(text)
    return Decimal(found[0].replace(",", ".")) if found else None


def _figures(cells: Sequence[Cell], columns: dict[int, str]) -> Figures:
    texts = {columns[c.column]: c.text.strip() for c in cells if c.column in columns}
    texts.pop("rate", None)
    figures = {name: number_in(text) for name, text in texts.items() if is_money(text)}
    found = {name: number for name, number in figures.items() if number is not None}
    rates = [_rate(cell.text) for cell in cells if columns.get(cell.column) == "rate"]
    if known := [rate for rate in rates if rate is not None]:
        found["rate"] = _rate_of(known, found)
    return found


def _rate_of(rates: Sequence[Decimal], row: Figures) -> Decimal:
    """A row's rate; of several, as for two halves of a tax, the one its tax matches, or all."""
    whole = sum(rates, NONE)
    if {"net", "tax"} <= row.keys():
        fitting = (
            r for r in (whole, *rates) if abs(row["net"] * r / _ALL - row["tax"]) <= _OFF
        )
        return next(fitting, whole)
    return whole
