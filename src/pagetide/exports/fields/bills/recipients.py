"""Who is billed where no label says so: the address in a letter's window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from pagetide.exports.fields.bills.letterheads import (
    ends_head,
    has_post_code,
    is_a_name,
    is_attention,
    is_entry,
    is_of_an_address,
    may_be_a_house,
)
from pagetide.exports.fields.pairs.near import is_flush
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet

_TOP = 0.5  # of a page, in which an address stands to be seen through a window
_LEAST, _MOST = 2, 7  # lines of an address with its name
_BESIDE = 20  # phrases of a row with a line of an address, at most
_ABOVE = 3 * _MOST  # rows of all columns in which they stand
_LEADING = 0.9  # heights between its lines, at most
_ALIKE = 0.13  # of a line's height: so much may others be set larger or smaller
_LONGEST = 48  # characters of a post code with its place


def recipient_among(
    addresses: Sequence[Sequence[Phrase]], taken: Set[int], others: Set[str]
) -> Sequence[Phrase]:
    """The lines of a name and an address; none where there are several, or none.

    Args:
        addresses: As `addresses_on` has them.
        taken: Lines that are said to be something else.
        others: Lines of addresses that are somebody else's.
    """
    found = [lines for lines in addresses if not others & {p.text for p in lines}]
    free = [lines for lines in found if not taken & {phrase.line for phrase in lines}]
    return free[0] if len(free) == 1 else ()


def addresses_on(sheet: Sheet) -> list[list[Phrase]]:
    """The lines of each name with an address in the upper half of a page."""
    rows = [row for row in sheet.rows if row[0].box[3] < _TOP * sheet.page.height]
    return list(_addresses([row for row in rows if len(row) <= _BESIDE]))


def _addresses(rows: Sequence[Sequence[Phrase]]) -> Iterator[list[Phrase]]:
    """Flush lines close to each other, from a name to a post code with its place."""
    for place, row in enumerate(rows):
        for last in row:
            if not _is_coded(last) or _goes_on(rows, place, last):
                continue
            lines = [last]
            for upper in reversed(rows[max(place - _ABOVE, 0) : place]):
                above = [p for p in upper if is_flush(p, last)]
                if not above:
                    continue  # a row of another column
                if not _belongs(above[0], lines[0]) or len(lines) == _MOST:
                    break
                lines.insert(0, above[0])
            name = lines[0].text
            if len(lines) >= _LEAST and is_a_name(name) and not is_of_an_address(name):
                yield lines + _country(rows, place, last)


def _is_coded(phrase: Phrase) -> bool:
    text = phrase.text
    return len(text) <= _LONGEST and has_post_code(text) and not ends_head(text)


def _goes_on(rows: Sequence[Sequence[Phrase]], place: int, last: Phrase) -> bool:
    """Whether a post code stands below what may be a house's number."""
    below = (p for row in rows[place + 1 : place + 3] for p in row if is_flush(p, last))
    next_line = next(below, None)
    is_near = next_line is not None and _is_near(last, next_line)
    return may_be_a_house(last.text) and bool(is_near and next_line and _is_coded(next_line))


def _belongs(upper: Phrase, lower: Phrase) -> bool:
    """Whether a line is of the address that the one below it is of."""
    text = upper.text
    coded = has_post_code(text) and not may_be_a_house(text)
    other = coded or ends_head(text) or is_entry(text)
    return _is_near(upper, lower) and (is_attention(text) or not other)


def _country(rows: Sequence[Sequence[Phrase]], place: int, last: Phrase) -> list[Phrase]:
    below = [p for row in rows[place + 1 : place + 2] for p in row if is_flush(p, last)]
    return [p for p in below if _is_near(last, p) and p.text.replace(" ", "").isalpha()]


def _is_near(upper: Phrase, lower: Phrase) -> bool:
    """Whether two lines are set alike, with no room between them."""
    near = lower.box[1] - upper.box[3] < _LEADING * lower.height
    return near and abs(upper.height - lower.height) < _ALIKE * lower.height
