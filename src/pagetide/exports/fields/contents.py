"""Columns without a known header, recognised by content: units, rates, codes, words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from pagetide.document import Cell
from pagetide.exports.fields.pairs.sums import is_of_a_tax
from pagetide.exports.fields.products import FIGURES, Columns
from pagetide.exports.fields.values.amounts import CENT, CURRENCIES, amount_in, measured_in

_CODE = re.compile(r"(?=.*[A-Z\d])[A-Z\d][A-Z\d./-]{1,23}")
_UNIT = re.compile(r"[^\W\d_]{1,10}[.²³]?|[^\W\d_]{1,3}[23²³]")
_RATE = re.compile(r"\d{1,2}(?:[.,]\d{1,3})?\s?%")
_MARK = re.compile(r"[A-Z\d*]{1,2}")
_MARKS = 4  # tax marks of a bill, at most
_MOST = 0.8  # of the rows that determine a column
_HALF = 0.5  # of them have a unit, at least: a deposit may have none
_SOME = 0.3  # of them have a mark, at least: tax-free items may have none
_WORDS = 0.6  # of them have a description in words
_LETTERS = 8  # of such words
_BESIDE = 2  # columns between a quantity and its unit, at most

Texts = Mapping[int, Sequence[str]]


def with_contents(
    found: Columns, heads: Mapping[int, str], below: Sequence[Cell]
) -> dict[int, tuple[str, ...]]:
    """Adds the columns that item rows identify by their content.

    Args:
        found: Columns by header name.
        heads: The texts of all headers.
        below: The cells below these.
    """
    rows = _rows_of_items(found, below)
    texts: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        for column, text in row.items():
            texts[column].append(text)
    known = _with_words(dict(found), texts, len(rows))
    free = [column for column in sorted(texts) if column not in known]
    for column in free:
        kinds = {name for names in known.values() for name in names}
        if "quantity" in kinds and "unit" not in kinds and _is_unit(column, known, texts, rows):
            known[column] = ("unit",)
        elif "tax" not in kinds and _is_tax(column, heads, known, texts, rows):
            known[column] = ("tax",)
    return known


def _rows_of_items(found: Columns, below: Sequence[Cell]) -> list[dict[int, str]]:
    """The texts of rows that have a figure where a header requires one."""
    figures = {column for column, names in found.items() if FIGURES & set(names)}
    rows: dict[int, dict[int, str]] = defaultdict(dict)
    for cell in below:
        if text := cell.text.strip():
            rows[cell.row][cell.column] = text
    return [
        row for row in rows.values() if figures & {c for c, t in row.items() if amount_in(t)}
    ]


def _with_words(
    found: dict[int, tuple[str, ...]], texts: Texts, rows: int
) -> dict[int, tuple[str, ...]]:
    """Splits articles and descriptions, if a header of one covers the other."""
    by_name = {names[0]: column for column, names in found.items() if len(names) == 1}
    place, named = by_name.get("position", -1), by_name.get("description", -1)
    if "article" in by_name:
        return found
    if _are_codes(texts.get(place, ())) and any(
        any(map(str.isalpha, text)) for text in texts[place]
    ):
        return {**found, place: ("article",)}
    if not _are_codes(texts.get(named, ())):
        return found
    words = [
        column
        for column, own in texts.items()
        if column > named and column not in found and _are_words(own, rows)
    ]
    return {**found, named: ("article",), words[0]: ("description",)} if words else found


def _are_codes(texts: Sequence[str]) -> bool:
    return bool(texts) and sum(
        _CODE.fullmatch(text) is not None for text in texts
    ) >= _MOST * len(texts)


def _are_words(texts: Sequence[str], rows: int) -> bool:
    worded = sum(sum(map(str.isalpha, text)) >= _LETTERS for text in texts)
    return worded >= _WORDS * rows


def _is_unit(
    column: int, known: Columns, texts: Texts, rows: Sequence[Mapping[int, str]]
) -> bool:
    [of, *_] = [place for place, names in known.items() if "quantity" in names]
    own = texts[column]
    if abs(column - of) > _BESIDE or len(own) < max(_HALF * len(rows), 1):
        return False
    is_money = any(text in CURRENCIES for text in own)
    return not is_money and all(_UNIT.fullmatch(text) for text in own)


def _is_tax(
    column: int,
    heads: Mapping[int, str],
    known: Columns,
    texts: Texts,
    rows: Sequence[Mapping[int, str]],
) -> bool:
    own = texts[column]
    if sum(_RATE.match(text) is not None for text in own) >= _MOST * max(len(own), 1):
        return is_of_a_tax(heads.get(column, "")) or _comes_out(known, rows)
    figures = [place for place, names in known.items() if FIGURES & set(names)]
    is_marked = len(own) >= _SOME * len(rows) and len(rows) > 1
    marks = set(own)
    is_few = len(marks) <= _MARKS and (len(marks) < len(own) or len(own) == 1)
    return is_marked and is_few and column > min(figures) and all(map(_MARK.fullmatch, own))


def _comes_out(known: Columns, rows: Sequence[Mapping[int, str]]) -> bool:
    """Whether each row's quantity times its price is its amount: no deductions."""
    places = {names[0]: column for column, names in known.items() if len(names) == 1}
    if not places.keys() >= FIGURES:
        return False
    numbers = [
        [measured_in(row.get(places[n], "")) for n in ("quantity", "price", "amount")]
        for row in rows
    ]
    full = [
        (q, p, a) for q, p, a in numbers if q is not None and p is not None and a is not None
    ]
    return bool(full) and all(abs(q * p - a) <= CENT for q, p, a in full)
