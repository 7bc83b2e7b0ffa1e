"""Columns that no head names, known by what their figures come to: a product is an amount."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations

from pagetide.document import Cell
from pagetide.exports.fields.values.amounts import CENT, measured_in

FIGURES = frozenset({"quantity", "price", "amount"})
_LEAST = 2  # rows that come out, one of them by something else than one
_MOST_COLUMNS, _MOST_ROWS = 10, 40  # that are tried
Columns = Mapping[int, tuple[str, ...]]


def with_products(found: Columns, below: Sequence[Cell]) -> dict[int, tuple[str, ...]]:
    """With a quantity, a price and an amount, where these come out in most rows.

    What heads name stays so; of a quantity and a price that neither names the first is the
    quantity. Nothing is added where a column stands for two.

    Args:
        found: Columns by what their heads name.
        below: The cells below these.
    """
    if any(len(names) > 1 for names in found.values()):
        return dict(found)
    named = {names[0]: column for column, names in found.items()}
    if named.keys() >= FIGURES or "description" not in named:
        return dict(found)
    rows = _figures(below)
    free = sorted({column for row in rows for column in row if column not in found})
    for triple in _triples(named, free[:_MOST_COLUMNS]):
        if _comes_out(triple, rows):
            return {**found, **{column: (name,) for name, column in triple.items()}}
    return dict(found)


def _figures(below: Sequence[Cell]) -> list[dict[int, Decimal]]:
    rows: dict[int, dict[int, Decimal]] = defaultdict(dict)
    for cell in below:
        number = measured_in(cell.text)
        if number is not None:
            rows[cell.row][cell.column] = number
    return list(rows.values())[:_MOST_ROWS]


def _triples(named: Mapping[str, int], free: Sequence[int]) -> Iterator[dict[str, int]]:
    """The columns that a quantity, a price and their product may be in, the named ones so."""
    own = {name: named[name] for name in ("quantity", "price", "amount") if name in named}
    left = [name for name in ("quantity", "price", "amount") if name not in own]
    for columns in combinations(free, len(left)):
        triple = {**own, **dict(zip(left, columns, strict=True))}
        if triple["amount"] > min(triple["quantity"], triple["price"]):
            yield triple


def _comes_out(triple: Mapping[str, int], rows: Sequence[Mapping[int, Decimal]]) -> bool:
    told = [row for row in rows if set(triple.values()) <= row.keys()]
    right = [
        row
        for row in told
        if abs(row[triple["quantity"]] * row[triple["price"]] - row[triple["amount"]]) <= CENT
    ]
    clear = sum(row[triple["quantity"]] != 1 != row[triple["price"]] for row in right)
    return len(right) >= _LEAST and clear > 0 and 3 * len(right) >= 2 * len(told)
