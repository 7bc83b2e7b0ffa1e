"""The items of a bill: the rows of the tables whose heads name what such rows have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.document.field import Check, Item, Value
from pagetide.exports.fields.bills.descriptions import DETAILS, Descriptions
from pagetide.exports.fields.bills.figures import checked
from pagetide.exports.fields.bills.tables import rows_of, tables_of
from pagetide.exports.fields.heads import Heads, heads_of, named, parts_of
from pagetide.exports.fields.pairs.labels import name_of
from pagetide.exports.fields.pairs.labels_of_sums import named_among
from pagetide.exports.fields.products import FIGURES
from pagetide.exports.fields.values.amounts import (
    CENT,
    CURRENCY_SIGNS,
    MEASURED,
    PERCENT,
    amount_in,
    is_item,
)
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed
from pagetide.languages.labels import LABEL_WORDS, SUMS, names, plain

_LITRE = frozenset({"1", "|", "I", "l"})
"""How a litre's letter is read where it stands alone on a picture; a unit is no figure."""
_ENDS = frozenset({"subtotal", "tax", "total"})
"""Sums below which nothing is an item that no quantity and price come to."""
_ADDED = frozenset({"discount", "shipping"})
RATED = re.compile(r"(?<=\d)\s?[A-Z*]$")  # by a letter behind an amount its tax is told
_SUMMED = 2  # items that a row without a quantity and a price is the sum of
Told = tuple[Cell, str, str]
"""A cell, a column that it is of, and what it says of that."""


class Row(NamedTuple):
    """An item, and the figures that its row has in columns whose heads tell nothing.

    Attributes:
        others: By the column.
        sum: The name of the sum that its words say; such rows are settled with those above.
    """

    item: Item
    others: Mapping[int, Decimal] = {}
    sum: str = ""


class Items(NamedTuple):
    """The rows of a bill's items, and checks of sections' sums that do not come out."""

    rows: list[Row]
    wrong: list[Check]


def rows_of_items(document: Document, order: Order) -> Items:
    """The items, over all pages; none where no table is one of items."""
    found: list[Row] = []
    heads: Heads = {}
    for page, block, table in tables_of(document):
        if block.kind != "table":
            continue
        own, first = heads_of(table)
        if not own and block.continued_from and max(heads, default=0) < table.columns:
            own, first = heads, 0
        if own:
            heads = own
            found += _items(page, block, table, own, first, order)
    return _settled(found)


def _settled(rows: Sequence[Row]) -> Items:
    """The rows without those that say what those above come to, or those of their section.

    What is taken off or added below such a sum of all is no item, and above it is one.
    """
    kept, wrong = list[Row](), list[Check]()
    whole, section, own, is_summed = Decimal(), Decimal(), 0, False
    for row in rows:
        amount = row.item.amount and amount_in(row.item.amount.text)
        number = amount.number if amount else Decimal()
        is_bare = not row.item.description or not (row.item.quantity or row.item.price)
        is_section = row.sum == "subtotal"
        if (is_bare or is_section) and number == section and own >= _SUMMED - is_section:
            is_summed |= number == whole
            section, own = Decimal(), 0
        elif (is_bare or is_section) and number == whole and len(kept) >= _SUMMED - is_section:
            is_summed = True
        elif is_section:
            wrong += [checked("items", section, number, CENT * own)] if own else []
            section, own = Decimal(), 0
        elif not (row.sum and is_summed):
            whole, section, own = whole + number, section + number, own + 1
            kept.append(row)
    return Items(kept, wrong)


def _items(
    page: Page, block: Block, table: Table, heads: Heads, first: int, order: Order
) -> Iterator[Row]:
    rows = {number: cells for number, cells in rows_of(table).items() if number >= first - 1}
    above, ended = [rows.pop(first - 1, [])], False
    last = max((n for n in rows if _is_full(rows[n], heads)), default=-1)
    sums = {number: sum_in(cells) for number, cells in rows.items()}
    net = max((number for number, name in sums.items() if name == "subtotal"), default=-1)
    ordered, descriptions = sorted(rows), Descriptions(page, heads)
    for place, number in enumerate(ordered):
        cells = rows[number]
        told = [(cell, *part) for cell in cells for part in parts_of(cell, heads)]
        name = added = "" if _is_counted(told) else sums[number]
        if name in _ADDED and number < net and not ended:
            name = ""  # it may be in the sum that is told below
        ended |= name in _ENDS and not (name == "subtotal" and number < last)
        is_section = name == "subtotal" and number < max(last, net)
        if is_section or not (
            name or _is_head(cells, heads) or (ended and not _is_item(cells))
        ):
            said = _said(page, block, told, order)
            if (is_section or _is_told(said)) and any(
                said[n].kind == "amount" for n in FIGURES & set(said)
            ):
                following = [rows[n] for n in ordered[place + 1 : place + 2 + DETAILS]]
                descriptions.complete(said, above, cells, following)
                known = {cell.column for cell, _, _ in told}
                named = name if is_section else added
                yield Row(Item(**said), _others(cells, known), named)
        above.append(cells)


def _is_full(cells: Sequence[Cell], heads: Heads) -> bool:
    """Whether a row has what is sold, how much of it, and at which price."""
    told = {name for cell in cells for name, _ in parts_of(cell, heads)}
    return told >= {"description", *FIGURES}


def _is_told(said: Mapping[str, Value]) -> bool:
    """Whether a row says what is sold, or how much of it: what is brought forward does not."""
    return "description" in said or len(FIGURES & set(said)) > 1


def _is_counted(told: Sequence[Told]) -> bool:
    """Whether a row's quantity times its price is its amount: an item, whatever its name."""
    figures = {
        name: found.number
        for _, name, text in told
        if name in FIGURES and (found := amount_in(text))
    }
    if len(figures) < len(FIGURES):
        return False
    return figures["quantity"] * figures["price"] == figures["amount"]


def _said(page: Page, block: Block, told: Sequence[Told], order: Order) -> dict[str, Value]:
    """What stands in the known columns of a row."""
    known = (each for each in told if each[1] in Item.__struct_fields__)
    said = {name: value_of(page, block, cell, text) for cell, name, text in known}
    for name in FIGURES & set(said):
        whole = said[name]
        said[name] = typed(without_rate(whole), order, "amount")
        if name == "amount" and (mark := whole.text.removeprefix(said[name].text).strip()):
            said.setdefault("tax", replace(whole, text=mark))
    if "quantity" in said and (found := MEASURED.fullmatch(said["quantity"].text.strip())):
        whole = said["quantity"]
        said["quantity"] = typed(replace(whole, text=found["number"]), order, "amount")
        said.setdefault("unit", replace(whole, text=found["unit"]))
    if "unit" in said and said["unit"].text in _LITRE:
        said["unit"] = replace(said["unit"], normalised="l")
    return said


def sum_in(cells: Sequence[Cell]) -> str:
    """The name of the sum that a row says: its only words begin with it, or its last are it."""
    if _is_item(cells):
        return ""
    cells = [cell for cell in cells if cell.text not in CURRENCY_SIGNS]
    words = [cell.text for cell in cells if not _has_figures(cell.text)]
    words = words or [cell.text for cell in cells if amount_in(cell.text) is None]
    if not words:
        return ""
    if (name := name_of(words[-1])) in SUMS:
        return name
    said = words[-1].split(maxsplit=LABEL_WORDS)[:LABEL_WORDS]
    for count in range(len(said) if len(words) == 1 else 0, 0, -1):
        if (name := names().get(plain(" ".join(said[:count])), "")) in SUMS:
            return name
    return named_among(words[-1]) if len(cells) == _SUMMED else ""


def _is_item(cells: Sequence[Cell]) -> bool:
    return is_item([cell.text for cell in cells])


def _others(cells: Sequence[Cell], known: Set[int]) -> dict[int, Decimal]:
    """The figures in columns that are not known; a rate's without its sign."""
    texts = {c.column: c.text.strip() for c in cells if c.column not in known}
    bare = {n: t.rstrip("% ") if PERCENT.fullmatch(t) else t for n, t in texts.items()}
    return {n: found.number for n, text in bare.items() if (found := amount_in(text))}


def _has_figures(text: str) -> bool:
    return amount_in(text) is not None or PERCENT.fullmatch(text.strip()) is not None


def _is_head(cells: Sequence[Cell], heads: Heads) -> bool:
    """Whether it is the head again, at the top of a page."""
    return all(named(cell.text) == heads.get(cell.column, ()) for cell in cells)


def without_rate(value: Value) -> Value:
    """An amount without the letter of its tax behind it."""
    bare = RATED.sub("", value.text)
    return replace(value, text=bare) if bare != value.text and amount_in(bare) else value


def value_of(page: Page, block: Block, cell: Cell, text: str) -> Value:
    """What a cell says, or a part of it, as something that stands where the cell does."""
    return Value(
        text=text,
        page=page.number,
        polygon=cell.polygon or block.polygon,
        lines=cell.line_indexes,
        confidence=cell.confidence,
    )
