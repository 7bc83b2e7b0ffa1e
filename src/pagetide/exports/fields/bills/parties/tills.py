"""The seller on a till receipt: the name at its head, the address below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from statistics import median

from pagetide.document.field import Value
from pagetide.exports.fields.bills.parties.addresses import (
    has_post_code,
    is_of_an_address,
)
from pagetide.exports.fields.bills.parties.firms import is_entry, is_form, is_of_a_firm
from pagetide.exports.fields.bills.parties.letterheads import (
    bare_name,
    ends_head,
    is_a_name,
    is_addressed,
    is_call,
)
from pagetide.exports.fields.bills.parties.titles import is_title
from pagetide.exports.fields.pairs.near import overlap
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import amount_in

_NAMES = 8  # rows of a page in which a name may be
_STRIP = 40  # heights of a line: till paper is no wider
_ROWS = 18  # that are examined for the address
_LINES = 7  # of an address, including lines between it and the name
_AS_LARGE = 0.85  # times the largest letters
# The score of an address below a name, and the deduction for each line between: text above a
# company name is a logo.
_ADDRESS, _LOGO, _BETWEEN = 3.5, 2.5, 1.0
_LEADING = 1.6  # heights between two lines that belong together, at most


@dataclass(frozen=True)
class _Head:
    """A name and an address, and their score."""

    name: list[Phrase]
    address: list[Phrase]
    worth: float


def seller_at_head(sheet: Sheet, taken: Set[int]) -> tuple[Value | None, Value | None]:
    """The seller's name and address; None for what is not found.

    Args:
        sheet: Of the first page.
        taken: Lines that are the values of labels, such as the customer's.
    """
    head = takewhile(_has_no_sum, sheet.rows[:_ROWS])
    rows = [[phrase for phrase in row if phrase.line not in taken] for row in head]
    named = [
        (number, phrase)
        for number, row in enumerate(rows[:_NAMES])
        for phrase in row
        if _may_be_a_name(phrase.text)
    ]
    named = [each for each in named if not is_form(each[1].text)] or named
    if not named:
        return None, None
    largest = max(phrase.height for _, phrase in named)
    heads = [_head(rows, number, phrase, largest) for number, phrase in named]
    best = max(heads, key=lambda head: head.worth)
    text = bare_name(" ".join(phrase.text for phrase in best.name))
    return sheet.value(best.name, text), sheet.value(best.address) if best.address else None


def _may_be_a_name(text: str) -> bool:
    return is_a_name(text) and not (is_entry(text) or is_addressed(text))


def is_strip(sheet: Sheet) -> bool:
    """Whether a page is a strip of till paper."""
    heights = [phrase.height for row in sheet.rows[:_ROWS] for phrase in row]
    return bool(heights) and sheet.page.width < _STRIP * median(heights)


def _has_no_sum(row: Sequence[Phrase]) -> bool:
    found = amount_in(row[-1].text)
    return not (found and found.is_money)


def _head(
    rows: Sequence[Sequence[Phrase]], number: int, first: Phrase, largest: float
) -> _Head:
    below = list(_below(rows, number, first))
    name = [first]
    while below and is_form(below[0].text):
        name.append(below.pop(0))
    entries = len(list(takewhile(is_entry, (phrase.text for phrase in below))))
    below = [phrase for phrase in below if not is_entry(phrase.text)]
    address, before = _address(below)
    is_logo = any(is_of_a_firm(phrase.text) for phrase in below[:before])
    worth = 2.0 * (first.height > _AS_LARGE * largest) - 0.1 * number + 1.5 * bool(entries)
    worth += 1.5 * is_of_a_firm(" ".join(phrase.text for phrase in name))
    if address:
        worth += _ADDRESS - before * (_LOGO if is_logo else _BETWEEN)
    worth -= 1.0 * first.text.islower()
    worth -= 3.0 * is_of_an_address(first.text)
    return _Head(name, address, worth)


def _below(rows: Sequence[Sequence[Phrase]], number: int, first: Phrase) -> Iterator[Phrase]:
    """The lines below a name in its column, without larger gaps, up to the end of its head.

    A title, a phone or a tax number may be between the name and the address.
    """
    last, seen = first, False
    for row in rows[number + 1 : number + 1 + _LINES]:
        under = [phrase for phrase in row if overlap(phrase, first)]
        if not under:
            continue
        phrase = under[0]
        text = phrase.text
        if phrase.box[1] - last.box[3] > _LEADING * last.height:
            return
        last = phrase
        if is_entry(text) or is_form(text):
            yield phrase
        elif is_title(text) or is_call(text):
            if seen:
                return
        elif ends_head(text) or is_addressed(text):
            return
        else:
            seen |= is_of_an_address(text)
            yield phrase


def _address(lines: Sequence[Phrase]) -> tuple[list[Phrase], int]:
    """The lines of an address among those below a name, and how many precede it.

    The last line may have no address parts, for example a state's name.
    """
    places = [n for n, line in enumerate(lines) if is_of_an_address(line.text)]
    if not places:
        return [], 0
    coded = [n for n in places if has_post_code(lines[n].text)]
    first, end = places[0], (coded or places)[-1] + 1
    if end < len(lines) and _is_a_place(lines[end], lines[end - 1]):
        end += 1
    return list(lines[first:end]), first


def _is_a_place(line: Phrase, before: Phrase) -> bool:
    text = line.text
    bare = not any(map(str.isdigit, text)) and not text.startswith(("(", "[", "*", "-"))
    return bare and abs(line.height - before.height) < 0.2 * before.height
