"""The items of a bill: the rows of tables whose headers name item columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal

from msgspec.structs import replace

from pagetide.document import Block, Cell, Page, Table
from pagetide.document.field import Item, Value
from pagetide.exports.fields.bills.items.numbered_rows import numbered
from pagetide.exports.fields.bills.items.rows_of_words import COUNTED
from pagetide.exports.fields.bills.items.settled_rows import UNNAMED, Items, Row, settled
from pagetide.exports.fields.bills.items.tables import rows_of
from pagetide.exports.fields.heads import Heads, heads_of, named, parts_of
from pagetide.exports.fields.pairs.labels_of_sums import named_among
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.products import FIGURES
from pagetide.exports.fields.values.amounts import (
    CURRENCY_SIGNS,
    MEASURED,
    amount_in,
    is_item,
    is_percent,
    number_of,
)
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed
from pagetide.languages.labels import LABEL_WORDS, SUMS, columns, names, plain

_LITRE = frozenset({"1", "|", "I", "l"})
"""OCR misreadings of the letter for a litre when isolated; a unit is not a figure."""
_ENDS = frozenset({"subtotal", "tax", "total"})
"""Sums below which a row is an item only if its quantity and price give its amount."""
_PARTS = frozenset({"subtotal", "total"})
"""Sums that are a section's when above an item."""
_WHOLE = FIGURES | {"description"}
_ADDED = frozenset({"discount", "shipping"})
_RATED = re.compile(r"(?<=\d)\s?[A-Z*]$")  # a letter after an amount that indicates its tax
_SIGNS = CURRENCY_SIGNS | {"%"}
_CHAINED = re.compile(r"\d{1,2}(?:[.,]\d{1,2})?%?(?:\s?\+\s?\d{1,2}(?:[.,]\d{1,2})?%?){1,3}")
_SUM = 2  # cells of a row with a sum's name and an amount
CellPart = tuple[Cell, str, str]
"""A cell, one of its columns, and its text for that column."""


def rows_of_items(tables: Iterable[tuple[Page, Block, Table]], order: Order) -> Items:
    """The items, over all pages; none if no table is one of items."""
    found: list[Row] = []
    heads: Heads = {}
    for page, block, table in tables:
        if block.kind != "table":
            continue
        own, first = heads_of(table)
        if not own and block.continued_from and max(heads, default=0) < table.columns:
            own, first = heads, 0
        if own:
            heads = own
            found += _items(page, block, table, own, first, order)
    items = settled(found)
    return items._replace(rows=numbered(items.rows))


def _items(
    page: Page, block: Block, table: Table, heads: Heads, first: int, order: Order
) -> Iterator[Row]:
    rows = {number: cells for number, cells in rows_of(table).items() if number >= first}
    parts_in = {
        number: [(cell, *part) for cell in cells for part in parts_of(cell, heads)]
        for number, cells in rows.items()
    }
    last = max((n for n, parts in parts_in.items() if _is_full(parts)), default=-1)
    sums = {n: sum_in([cell.text for cell in cells]) for n, cells in rows.items()}
    net = max((number for number, name in sums.items() if name == "subtotal"), default=-1)
    ended = False
    for number, cells in sorted(rows.items()):
        parts = parts_in[number]
        name = added = "" if _is_counted(parts) else sums[number]
        if name in _ADDED and number < net and not ended:
            name = ""  # it may be in the sum given below
        if name in _ENDS and not (name in _PARTS and number < last):
            ended |= any(amount_in(cell.text) for cell in cells)
        is_section = name in _PARTS and number < max(last, net if name == "subtotal" else -1)
        if not is_section and (
            name
            or _is_head(cells, heads)
            or (ended and not is_item([cell.text for cell in cells]))
        ):
            continue
        values = _values_of(page, block, parts, order)
        if any(values[n].kind == "amount" for n in FIGURES & set(values)):
            known = {cell.column for cell, _, _ in parts}
            named = "subtotal" if is_section else added if _is_identified(values) else UNNAMED
            yield Row(Item(**values), _others(cells, known), named)


def _is_full(parts: Sequence[CellPart]) -> bool:
    """Whether a row has a description, a quantity and a price."""
    return _WHOLE.issubset([name for _, name, _ in parts])


def _is_identified(values: Mapping[str, Value]) -> bool:
    """Whether a row has a description or a quantity: a carried-forward amount has neither."""
    figures = [name for name in FIGURES & set(values) if values[name].kind == "amount"]
    return "description" in values or len(figures) > 1


def _is_counted(parts: Sequence[CellPart]) -> bool:
    """Whether a row's quantity times its price is its amount: an item, whatever its name."""
    figures = {
        name: found.number
        for _, name, text in parts
        if name in FIGURES and (found := amount_in(text))
    }
    if len(figures) < len(FIGURES):
        return False
    return figures["quantity"] * figures["price"] == figures["amount"]


def _values_of(
    page: Page, block: Block, parts: Sequence[CellPart], order: Order
) -> dict[str, Value]:
    """The values in the known columns of a row."""
    known = (each for each in parts if each[1] in Item.__struct_fields__)
    values = {name: value_of(page, block, cell, text) for cell, name, text in known}
    for name in FIGURES & set(values):
        whole = values[name]
        values[name] = typed(without_rate(whole), order, "amount")
        if name == "amount" and (mark := whole.text.removeprefix(values[name].text).strip()):
            values.setdefault("tax", replace(whole, text=mark))
    if "article" not in values and "description" in values:
        values |= _article_below(values["description"])
    if not {"quantity", "price"} & set(values) and "description" in values:
        values |= _counted_below(values["description"], order)
    if "quantity" in values and (found := MEASURED.fullmatch(values["quantity"].text.strip())):
        whole = values["quantity"]
        values["quantity"] = typed(replace(whole, text=found["number"]), order, "amount")
        values.setdefault("unit", replace(whole, text=found["unit"]))
    if "unit" in values and values["unit"].text in _LITRE:
        values["unit"] = replace(values["unit"], normalised="l")
    return values


def sum_in(row: Sequence[str]) -> str:
    """The name of a row's sum: the start of its only words, or its last words."""
    if is_item(row):
        return ""
    texts = [text for text in row if text not in _SIGNS]
    words = [text for text in texts if not _has_figures(text)]
    words = words or [text for text in texts if amount_in(text) is None]
    if not words or _is_behind_figures(texts, words):
        return ""
    if (name := name_of(words[-1])) in SUMS:
        return name
    start = words[-1].split(maxsplit=LABEL_WORDS)[:LABEL_WORDS]
    for count in range(len(start) if len(words) == 1 else 0, 0, -1):
        if (name := names().get(plain(" ".join(start[:count])), "")) in SUMS:
            return name
    return named_among(words[-1]) if len(texts) == _SUM else ""


def _is_behind_figures(texts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether figures precede the last of several words: a unit, not a sum's name."""
    return len(words) > 1 and any(map(_has_figures, texts[: texts.index(words[-1])]))


def _others(cells: Sequence[Cell], known: Set[int]) -> dict[int, Decimal]:
    """The figures in unknown columns; a rate's without its sign.

    For successive rates, such as `35+10`, the combined rate.
    """
    texts = {c.column: c.text.strip() for c in cells if c.column not in known}
    bare = {n: t.rstrip("% ") if is_percent(t) else t for n, t in texts.items()}
    chained = {n: _in_turn(t) for n, t in bare.items() if _CHAINED.fullmatch(t)}
    alone = {n: found.number for n, text in bare.items() if (found := amount_in(text))}
    return chained | alone


def _in_turn(text: str) -> Decimal:
    """The combined deduction of successive rates, in percent of the whole."""
    left = Decimal(1)
    for rate in text.rstrip("% ").split("+"):
        left *= 1 - number_of(rate)[0] / 100
    return 100 * (1 - left)


def _article_below(value: Value) -> dict[str, Value]:
    """The description and its number, if that is on a separate line with its label."""
    name, *lines = value.text.split("\n")
    for line in lines:
        label, _, code = line.rpartition(":" if ":" in line else " ")
        code = code.strip()
        if any(map(str.isdigit, code)) and columns().get(plain(label)) == "article":
            left = "\n".join([name, *(other for other in lines if other != line)])
            return {
                "description": replace(value, text=left),
                "article": replace(value, text=code),
            }
    return {}


def _counted_below(value: Value, order: Order) -> dict[str, Value]:
    """The description, quantity and price, if the last two are below the name."""
    name, _, last = value.text.rpartition("\n")
    counted = COUNTED.fullmatch(last) if name else None
    if counted is None:
        return {}
    parts = {
        key: typed(replace(value, text=counted[key]), order, "amount")
        for key in ("quantity", "price")
    }
    return {"description": replace(value, text=name), **parts}


def _has_figures(text: str) -> bool:
    return amount_in(text) is not None or is_percent(text.strip())


def _is_head(cells: Sequence[Cell], heads: Heads) -> bool:
    """Whether it is a repeated header at the top of a page."""
    return all(named(cell.text) == heads.get(cell.column, ()) for cell in cells)


def unmarked(text: str) -> str:
    """An amount's text without the letter of its tax after it."""
    return text if text[-1:].isdigit() else _RATED.sub("", text)


def without_rate(value: Value) -> Value:
    """An amount without the letter of its tax after it."""
    bare = unmarked(value.text)
    return replace(value, text=bare) if bare != value.text and amount_in(bare) else value


def value_of(page: Page, block: Block, cell: Cell, text: str) -> Value:
    """The text of a cell, or a part of it, as a value located at the cell."""
    return Value(
        text=text,
        page=page.number,
        polygon=cell.polygon or block.polygon,
        lines=cell.line_indexes,
        confidence=cell.confidence,
    )
