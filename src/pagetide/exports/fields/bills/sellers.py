"""Who bills, and where: the name at the head of the first page, and the address below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from statistics import median

from pagetide.document.field import Value
from pagetide.exports.fields.bills.letterheads import (
    ends_head,
    has_post_code,
    is_a_name,
    is_address,
    is_addressed,
    is_call,
    is_entry,
    is_form,
    is_of_a_firm,
    is_of_an_address,
    is_title,
    sender_in,
    without_entry,
    without_label,
    without_title,
)
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.languages.labels import plain

_NAMES = 8  # rows of a page in which a name may stand
_FIRMS = 16  # rows of all columns in which one with a firm's word may
_STRIP = 40  # heights of a line: so narrow is a till's paper
_ROWS = 18  # that are looked at for the address
_LINES = 7  # of an address with what stands between it and the name
_AS_LARGE = 0.85  # times the largest letters
# What an address below a name is worth, and what each line between takes off: on a strip of
# paper there is but one, and what stands above a firm's name is a logo.
_ON_A_STRIP, _ON_A_SHEET = 3.5, 1.5
_LOGO, _BETWEEN = 2.5, 1.0
_CALLED = 1.5  # what a telephone's number right below an address is worth
_FOOT = 0.75  # of a page's height: below it stands its foot
_LETTERS = 5  # of a name that the foot has once more, at least
_FORM = 3  # words of it in which its legal form ends
_BETWEEN_PARTS = re.compile(r"\s*[,|·•]|\s[-–—]\s")
_IN_FOOT = 4.0  # what a name is worth that the foot has
_SENDER = 5.5  # what a line with a name and an address is worth
_LEADING = 1.6  # heights between two lines that belong together, at most


@dataclass(frozen=True)
class _Head:
    """A name and an address, and how much speaks for them."""

    name: list[Phrase]
    address: list[Phrase]
    worth: float


def seller_of(
    sheet: Sheet, taken: Set[int], inside: Set[int]
) -> tuple[Value | None, Value | None]:
    """The name and the address of whoever bills; None for what is not found.

    Args:
        sheet: Of the first page.
        taken: Lines that are the values of labels, such as the customer's.
        inside: Lines of addresses, below the names that these begin with.
    """
    strip = is_strip(sheet)
    inside = set() if strip else inside
    head = takewhile(_has_no_sum, sheet.rows[:_ROWS])
    rows = [[phrase for phrase in row if phrase.line not in taken] for row in head]
    named = [
        (number, phrase)
        for number, row in enumerate(rows[: _NAMES if strip else _FIRMS])
        for phrase in row
        if ((number < _NAMES and phrase.line not in inside) or is_of_a_firm(phrase.text))
        and _may_be_a_name(phrase.text)
    ]
    named = [each for each in named if not is_form(each[1].text)] or named
    if not named:
        return None, None
    largest = max(phrase.height for _, phrase in named)
    heads = [_head(rows, number, phrase, largest, strip=strip) for number, phrase in named]
    feet = [] if strip else _feet(sheet)
    best = max(heads, key=lambda head: head.worth + _IN_FOOT * bool(_legal(head, feet)))
    text = without_entry(without_title(" ".join(phrase.text for phrase in best.name)))
    text = without_label(text)
    legal = _legal(best, feet)
    name = sheet.value([legal]) if legal else sheet.value(best.name, text)
    return name, sheet.value(best.address) if best.address else None


def _may_be_a_name(text: str) -> bool:
    return is_a_name(text) and not (is_entry(text) or is_addressed(text))


def _feet(sheet: Sheet) -> list[tuple[Phrase, str, str]]:
    """The lines at the foot of a page, where firms say their legal names.

    With each what it says first, as it stands and plain.
    """
    top = _FOOT * sheet.page.height
    feet = [phrase for row in sheet.rows for phrase in row if phrase.box[1] > top]
    first = [_BETWEEN_PARTS.split(foot.text, maxsplit=1)[0] for foot in feet]
    return [(foot, said, plain(said)) for foot, said in zip(feet, first, strict=True)]


def _legal(head: _Head, feet: Sequence[tuple[Phrase, str, str]]) -> Phrase | None:
    """A name as the page's foot has it whole; None where it does not say it."""
    own = plain("".join(phrase.text for phrase in head.name))
    for foot, said, bare in feet if len(own) >= _LETTERS else ():
        if not bare.startswith(own):
            continue
        ends = [word.end() for word in re.finditer(r"\S+", said)]
        ends = [end for end in ends if len(plain(said[:end])) >= len(own)]
        firm = [end for end in ends[:_FORM] if is_of_a_firm(said[:end])]
        end = firm[0] if firm else ends[0]
        is_sentence = said[end - 1] == "." and said[end : end + 2].strip().isupper()
        return foot.part(0, end - is_sentence)
    return None


def is_strip(sheet: Sheet) -> bool:
    """Whether a page is a till's strip of paper."""
    heights = [phrase.height for row in sheet.rows[:_ROWS] for phrase in row]
    return bool(heights) and sheet.page.width < _STRIP * median(heights)


def _has_no_sum(row: Sequence[Phrase]) -> bool:
    found = amount_in(row[-1].text)
    return not (found and found.is_money)


def _head(
    rows: Sequence[Sequence[Phrase]], number: int, first: Phrase, largest: float, *, strip: bool
) -> _Head:
    if span := sender_in(first.text):
        parts = first.part(0, span[0]), first.part(span[1], len(first.text))
        return _Head([parts[0]], [parts[1]], _SENDER - 0.1 * number)
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
        worth += _ON_A_STRIP if strip else _ON_A_SHEET
        worth -= before * (_LOGO if strip and is_logo else _BETWEEN)
    worth += 0.0 if strip else _CALLED * _is_called(rows, number, [*name, *address])
    worth -= 1.0 * first.text.islower()
    worth -= 3.0 * is_of_an_address(first.text)
    return _Head(name, address, worth)


def _below(rows: Sequence[Sequence[Phrase]], number: int, first: Phrase) -> Iterator[Phrase]:
    """The lines below a name in its column, as close as lines are, as far as its head goes.

    A title, a telephone or a tax number may stand between the name and the address.
    """
    last, seen = first, False
    for row in rows[number + 1 : number + 1 + _LINES]:
        under = [phrase for phrase in row if _overlap(phrase, first)]
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


def _is_called(rows: Sequence[Sequence[Phrase]], number: int, lines: Sequence[Phrase]) -> bool:
    """Whether right below a name and its address it is said how to call: theirs who bill."""
    last = lines[-1]
    below = (p for row in rows[number + 1 :] for p in row if p.box[1] > last.box[1])
    next_line = next((p for p in below if _is_next(p, last)), None)
    return next_line is not None and (is_call(next_line.text) or is_address(next_line.text))


def _is_next(phrase: Phrase, last: Phrase) -> bool:
    return _overlap(phrase, last) and phrase.box[1] - last.box[3] < _LEADING * last.height


def _overlap(phrase: Phrase, other: Phrase) -> bool:
    return phrase.box[0] < other.box[2] and phrase.box[2] > other.box[0]


def _address(lines: Sequence[Phrase]) -> tuple[list[Phrase], int]:
    """The lines of an address among those below a name, and how many stand before it.

    The last line may have nothing of an address itself, as a state's name has not.
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
