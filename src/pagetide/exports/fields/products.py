"""Columns without a known header, recognised by arithmetic: a product is an amount."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations

from pagetide.document import Cell
from pagetide.exports.fields.values.amounts import CENT, is_percent, measured_in

FIGURES = frozenset({"quantity", "price", "amount"})
_RATE = -1  # the key of a row's first rate
_LEAST = 2  # rows that match, one of them with a factor other than one
_MOST_COLUMNS, _MOST_ROWS = 10, 20  # that are tried
Figures = dict[int, Decimal]
"""A row's numbers by column, and its first rate."""
Columns = Mapping[int, tuple[str, ...]]


def with_products(found: Columns, below: Sequence[Cell]) -> dict[int, tuple[str, ...]]:
    """Adds a quantity, a price and an amount, if these match in most rows.

    Columns named by headers stay; of a quantity and a price without headers the first is the
    quantity. Nothing is added if a column stands for two.

    Args:
        found: Columns by header name.
        below: The cells below these.
    """
    if any(len(names) > 1 for names in found.values()):
        return dict(found)
    named = {names[0]: column for column, names in found.items()}
    if "description" not in named:
        return dict(found)
    rows = _figures(below)
    free = sorted({column for row in rows for column in row} - {_RATE, *found})
    if named.keys() >= FIGURES:
        return _with_net(found, named, free, rows)
    for triple in _triples(named, free[:_MOST_COLUMNS]):
        if _comes_out(triple, rows):
            return {**found, **{column: (name,) for name, column in triple.items()}}
    return dict(found)


def _with_net(
    found: Columns, named: Mapping[str, int], free: Sequence[int], rows: Sequence[Figures]
) -> dict[int, tuple[str, ...]]:
    """Adds the amount that prices give, if the last one has taxes that these have not."""
    own = {name: named[name] for name in FIGURES}
    others = () if _comes_out(own, rows) else free[:_MOST_COLUMNS]
    for column in others:
        if column > own["price"] and _comes_out({**own, "amount": column}, rows):
            kept = {place: names for place, names in found.items() if place != own["amount"]}
            return {**kept, column: ("amount",)}
    return dict(found)


def _figures(below: Sequence[Cell]) -> list[Figures]:
    rows: dict[int, Figures] = defaultdict(dict)
    for cell in below:
        if cell.row not in rows and len(rows) == _MOST_ROWS:
            break
        number = measured_in(cell.text)
        if number is not None:
            rows[cell.row][cell.column] = number
        elif is_percent(cell.text.strip()):
            rows[cell.row].setdefault(
                _RATE, measured_in(cell.text.strip(" %\u00a0")) or Decimal()
            )
    return list(rows.values())


def _triples(named: Mapping[str, int], free: Sequence[int]) -> Iterator[dict[str, int]]:
    """The columns that a quantity, a price and their product may be in; named ones fixed."""
    own = {name: named[name] for name in ("quantity", "price", "amount") if name in named}
    left = [name for name in ("quantity", "price", "amount") if name not in own]
    for columns in combinations(free, len(left)):
        triple = {**own, **dict(zip(left, columns, strict=True))}
        if triple["amount"] > min(triple["quantity"], triple["price"]):
            yield triple


def _comes_out(triple: Mapping[str, int], rows: Sequence[Mapping[int, Decimal]]) -> bool:
    complete = [row for row in rows if set(triple.values()) <= row.keys()]
    right = [row for row in complete if _is_right(triple, row)]
    clear = sum(row[triple["quantity"]] != 1 != row[triple["price"]] for row in right)
    return len(right) >= _LEAST and clear > 0 and 3 * len(right) >= 2 * len(complete)


def _is_right(triple: Mapping[str, int], row: Mapping[int, Decimal]) -> bool:
    """Whether a row's product is its amount, with or without a rate deducted.

    The rate has its sign in the row, or is without one between the price and the amount.
    """
    product, amount = row[triple["quantity"]] * row[triple["price"]], row[triple["amount"]]
    between = range(triple["price"] + 1, triple["amount"])
    rates = [Decimal(), *(row[column] for column in (_RATE, *between) if column in row)]
    ways = (product * (100 - rate) / 100 for rate in rates if rate < 100)
    return any(abs(way - amount) <= CENT for way in ways)
