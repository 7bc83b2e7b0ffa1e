"""Which rows of a block start an item, by their marks; a number may be the sentence's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pagetide.exports.text.lists import begins_item, lettered
from pagetide.layout.bullets import SIGNS

_YEAR = re.compile(r"\(\d{4}\)", re.ASCII)
_NUMBER = re.compile(r"\(?(\d{1,3}|[a-zA-Z]|[ivxIVX]{2,4})[.)]", re.ASCII)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_NUMBERED = re.compile(r"\s*[(\[]?(\d{1,3})(?![\d.,]*\d)", re.ASCII)
# Of Wingdings and similar fonts, without their code: a diamond, a square, a circle, a tick; or
# any sign, such as `„`, which is no quotation mark before a space.
_LETTER_BULLET = re.compile(r"(?:[vqlnuüØ]|[^\w\s]) (?=\S{2})")
_SEVERAL = 3  # rows that start with such a letter, which may also be a word
_CHECK_BOXES = ("☐", "☑", "☒")
_BULLETS = SIGNS + "".join(_CHECK_BOXES) + "→⇒§"
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]{1,2}\s?(?=[^\W\d_])")  # of a note: no sentence goes on so
_NONE = frozenset[int]()


def items_in(
    texts: Sequence[str], is_full: Callable[[int], bool], *, is_list: bool, is_counted: bool
) -> frozenset[int]:
    """The places of the rows that start with a mark, unless that is a number in a sentence.

    Args:
        texts: The rows, from the top.
        is_full: Whether the row at a place had no room for the next one's first word.
        is_list: Whether each item starts on a separate row.
        is_counted: Whether each item may start with its number alone, as footnotes do.
    """
    found = set(_marked(texts, is_full, is_list=is_list))
    found |= {place for place, row in enumerate(texts) if _RAISED.match(row)}
    counted = set(_counted(texts))
    if is_counted or len(counted) > 1:
        found |= counted
    symbols = {place for place, row in enumerate(texts) if _LETTER_BULLET.match(row)}
    if len(symbols) >= _SEVERAL:
        found |= symbols
    return frozenset(found | lettered(texts) if is_list else found)


def _marked(
    texts: Sequence[str], is_full: Callable[[int], bool], *, is_list: bool
) -> Iterator[int]:
    """The rows whose bullet, number or letter is an item's.

    In a list a number or letter is the first, starts anew, counts on or is right below another;
    elsewhere it counts on, or the row before has room or ends a sentence.
    """
    marked = [place for place, text in enumerate(texts) if _has_mark(text)]
    ends = ":;" if len(marked) < 2 else ":;.!?"
    last: frozenset[int] | None = None
    row = -1  # of the last item
    for place in marked:
        numbers = _numbers(texts[place])
        counts = last is not None and any(each - 1 in last for each in numbers)
        begins = last is None or 1 in numbers or not numbers or place == row + 1
        is_listed = (is_list or 0 in marked) and begins
        if (
            counts
            or is_listed
            or texts[place][0] in _BULLETS
            or texts[place - 1].rstrip()[-1:] in ends
            or not is_full(place - 1)
        ):
            last, row = numbers, place
            yield place


def _has_mark(text: str) -> bool:
    return (begins_item(text) and not _YEAR.match(text)) or text[:1] in _CHECK_BOXES


def _counted(texts: Sequence[str]) -> Iterator[int]:
    """The rows that start with the numbers after the first row's, one after another."""
    last = _NUMBERED.match(texts[0])
    for place, text in enumerate(texts[1:], 1):
        found = _NUMBERED.match(text)
        if last and found and int(found[1]) == int(last[1]) + 1:
            last = found
            yield place


def _numbers(text: str) -> frozenset[int]:
    """What an item's mark may count: `(i)` is 1 or 9; none if it is a bullet."""
    found = _NUMBER.match(text)
    if found is None:
        return _NONE
    mark = found[1].lower()
    if mark.isdecimal():
        return frozenset({int(mark)})
    roman = {_ROMAN.index(mark) + 1} if mark in _ROMAN else set[int]()
    return frozenset(roman | ({ord(mark) - ord("a") + 1} if len(mark) == 1 else set()))
