"""The content of an item table's columns, from its header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pagetide.document import Cell, Table
from pagetide.exports.fields.contents import with_contents
from pagetide.exports.fields.head_words import column_of, shortened_column
from pagetide.exports.fields.pairs.sums import says_which
from pagetide.exports.fields.products import FIGURES, Columns, with_products
from pagetide.exports.fields.values.amounts import CURRENCIES, PERCENT, amount_in, is_percent
from pagetide.languages.labels import begins_column, columns, in_both, plain

_CODE = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z\d][A-Z\d./-]{2,23}")
_OPEN = re.compile(r"[(\[/]")  # followed by a word that is not part of a header
_ROWS = 3  # of a table that may contain its header
_LONGEST = 60  # characters of a header; cells of text are longer
_SOLD = 25  # letters of a description, if no header names one
_NUMBERS = ("position", "article")  # other names of the description column
_RATE_OF_TAX = ("tax", "price")  # such as `GST Rate`: a price may be called a rate, too
_BEFORE = frozenset({"in", "en", *CURRENCIES})  # the start of a header that is only a currency
_EXCLUDED = ((), ("discount",))
Heads = Mapping[int, tuple[str, ...]]
"""The content of columns, by index: two if they were read as one."""


_KEPT = 64
# The results for the last tables: each is needed four times, which took a seventh of the time
# of all fields.
_known_heads: dict[int, tuple[Table, tuple[Heads, int]]] = {}


def heads_of(table: Table) -> tuple[Heads, int]:
    """The columns that a table's header names, and the first row below it.

    An item table has amounts, and descriptions.
    """
    kept = _known_heads.get(id(table))
    if kept is None or kept[0] is not table:
        if len(_known_heads) >= _KEPT:
            _known_heads.clear()
        kept = _known_heads[id(table)] = (table, _heads_of(table))
    return kept[1]


def _heads_of(table: Table) -> tuple[Heads, int]:
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.row < _ROWS and len(cell.text) <= _LONGEST:
            by_row.setdefault(cell.row, []).append(cell)
    for row, cells in sorted(by_row.items()):
        heads = _named_in(cells)
        if not heads:
            continue
        below = [cell for cell in table.cells if cell.row > row]
        found = with_products(_described(heads, below), below)
        kinds = {name for names in found.values() for name in names}
        if "description" in kinds and not kinds & FIGURES:
            found |= _only_amounts(found, below)
            kinds |= {name for names in found.values() for name in names}
        if kinds & FIGURES and _are_described(found, below):
            found |= {} if "article" in kinds else _codes(found, below)
            texts = {cell.column: cell.text for cell in cells}
            found = with_contents(found, texts, below)
            return found, row + 1
    return {}, 0


@lru_cache(maxsize=2048)
def named(head: str) -> tuple[str, ...]:
    """The columns that a header cell names: one, or two that were read as one; or none."""
    if len(head) > _LONGEST:
        return ()
    if name := columns().get(plain(head)) or ("." in head and shortened_column(head)):
        return (name,)
    if not _may_name(head):
        return ()
    if both := in_both(head, _named_by_part):
        return (both,)
    words = head.split()
    for cut in range(1, len(words)):
        pair = tuple(
            columns().get(plain(" ".join(part))) for part in (words[:cut], words[cut:])
        )
        if pair == _RATE_OF_TAX:
            return ("tax",)
        if None not in pair and pair[0] != pair[1]:
            return tuple(name for name in pair if name)
    name = column_of(head)
    return (name,) if name else ()


def _named_by_part(part: str) -> str:
    """What one of two languages in a head names; most parts begin otherwise."""
    return columns().get(plain(part)) or (column_of(part) if _may_name(part) else "")


def _may_name(head: str) -> bool:
    """Whether a header may start as known ones do; most cells start otherwise."""
    first = next(iter(head.replace(".", ". ").split(maxsplit=1)), "")
    is_open = not first[:1].isalnum() or _OPEN.search(first) is not None or " / " in head
    is_beside = says_which(first) or first.lower().rstrip(")].") in _BEFORE
    return is_open or is_beside or begins_column(plain(first))


def parts_of(cell: Cell, heads: Heads) -> tuple[tuple[str, str], ...]:
    """The columns of a cell, with its text for each; none for an unknown one."""
    names = heads.get(cell.column, ())
    if len(names) < 2:
        return ((names[0], cell.text),) if names else ()
    words = cell.text.split()
    for cut in range(1, len(words)):
        texts = (" ".join(words[:cut]), " ".join(words[cut:]))
        if all(_fits(name, text) for name, text in zip(names, texts, strict=True)):
            return tuple(zip(names, texts, strict=True))
    # One of the two is empty in this row: the rest belongs to the column that figures indicate.
    is_figure = amount_in(cell.text) is not None
    fitting = [name for name in names if (name in FIGURES) == is_figure]
    return ((fitting[0], cell.text),) if len(fitting) == 1 and cell.text.strip() else ()


def _named_in(cells: Sequence[Cell]) -> dict[int, tuple[str, ...]]:
    """The columns that a row names; of two with one name the last.

    The first may be a code, such as an article's; of net and gross figures it is left out.
    """
    found: dict[int, tuple[str, ...]] = {}
    for cell in cells:
        own = names = _of_head(cell.text)
        if names == ("article",) and names in found.values():
            continue  # the first is the article's, others are classes of goods and units
        if names and names in found.values():
            instead = () if FIGURES & set(names) else ("article",)
            if names == ("price",):  # like `Price` and `Cost`
                instead, names = names, ("amount",)
            elif names == ("tax",):  # a rate, and its amount
                instead, names = names, ()
            found = {c: instead if n == own else n for c, n in found.items()}
        if names:
            found[cell.column] = names
    return {column: names for column, names in found.items() if names not in _EXCLUDED}


def _of_head(text: str) -> tuple[str, ...]:
    """The column named by a header; by its last line only, if the text above was merged in."""
    return named(text) or (named(text.rpartition("\n")[2]) if "\n" in text else ())


def _described(
    found: dict[int, tuple[str, ...]], below: Sequence[Cell]
) -> dict[int, tuple[str, ...]]:
    """Adds a description column: that of articles by their names, or of items in words.

    Otherwise the one with words in the most rows before the first of figures, if a price or a
    quantity and an amount are named.
    """
    kinds = {name for names in found.values() for name in names}
    if "description" in kinds or not kinds & FIGURES:
        return found
    for number in _NUMBERS:
        for column, names in found.items():
            text = "".join(cell.text for cell in below if cell.column == column)
            letters, least = sum(map(str.isalpha, text)), len(text) / 2
            if names == (number,) and (letters > least or (number == "article" and letters)):
                return {**found, column: ("description",)}
    figures = [column for column, names in found.items() if FIGURES & set(names)]
    words, rows = Counter[int](), len({cell.row for cell in below})
    # Without a quantity or a price it may be a tax table, whose names are short.
    is_certain = bool(kinds & {"quantity", "price"})
    least = 0 if is_certain else _SOLD
    for cell in below if len(found) > 1 else ():
        if cell.column < min(figures) and cell.column not in found:
            letters = sum(map(str.isalpha, cell.text))
            words[cell.column] += letters > max(len(cell.text) / 2, least)
    most = [
        c
        for c, count in words.most_common(1)
        if 2 * count >= rows and (is_certain or count > 2)
    ]
    return found | dict.fromkeys(most, ("description",))


def _codes(found: Columns, below: Sequence[Cell]) -> dict[int, tuple[str, ...]]:
    """The last column before the descriptions in which most rows have a code.

    A code is one word with letters and digits; its header is unknown.
    """
    first = min(column for column, names in found.items() if "description" in names)
    texts: dict[int, list[str]] = {}
    for cell in below:
        if cell.column < first and cell.column not in found and cell.text.strip():
            texts.setdefault(cell.column, []).append(cell.text.strip())
    coded = [
        column
        for column, own in texts.items()
        if 2 * sum(_CODE.fullmatch(text) is not None for text in own) > len(own) > 1
    ]
    return {max(coded): ("article",)} if coded else {}


def _are_described(found: Columns, below: Sequence[Cell]) -> bool:
    """Whether descriptions are in words: tax rates are not descriptions."""
    columns = {column for column, names in found.items() if "description" in names}
    texts = [cell.text for cell in below if cell.column in columns and cell.text.strip()]
    if not {"quantity", "price"} & {name for names in found.values() for name in names}:
        texts = [text for text in texts if not PERCENT.search(text)] or [""]
    return 2 * sum(any(map(str.isalpha, text)) for text in texts) > len(texts)


def _only_amounts(
    found: dict[int, tuple[str, ...]], below: Sequence[Cell]
) -> dict[int, tuple[str, ...]]:
    """The only money column after that of descriptions, whatever its header."""
    first = min(column for column, names in found.items() if "description" in names)
    amounts = [(cell.column, amount_in(cell.text)) for cell in below if cell.column > first]
    money = {column for column, amount in amounts if amount and amount.is_money}
    return dict.fromkeys(money, ("amount",)) if len(money) == 1 else {}


def _fits(name: str, text: str) -> bool:
    """Whether a text fits a column of this name."""
    if name in FIGURES:
        return amount_in(text) is not None
    if name == "tax":
        return is_percent(text) or amount_in(text) is not None
    return any(map(str.isalnum, text))
