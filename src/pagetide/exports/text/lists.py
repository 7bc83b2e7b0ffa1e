"""A list's lines as items: their marks, and their nesting depth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from pagetide.document import Block, Line, Page
from pagetide.exports.text.inline_marks import behind, unmarked
from pagetide.exports.text.markup import runs_right_to_left
from pagetide.exports.text.row_boxes import line_boxes, lines_of_rows
from pagetide.geometry import Box, union
from pagetide.layout.bullets import SIGNS

# The start of an item, however the page draws it. A dash before a number is a minus.
_BULLET = re.compile(
    rf"\s*(?:[{SIGNS}]\s*"
    r"|[−‒]\s+(?=[^\W\d_]{2})|[\ufffd\uf020-\uf0ff]\s+|[·*–—-](?:\s+|$|(?=[^\W\d_])))"
)
# Not `01.`, shown as `1.`; a year at the end of a sentence is not a number.
_NUMBER = re.compile(r"\s*(0|[1-9][0-9]{0,2})[.)](?:\s+|$)")
# Marks that Markdown and HTML do not number in the same way; they stay in the text.
_MARK = re.compile(
    r"\s*(?:\(\w{1,4}\)|（\w{1,4}）|[^\W\d_]\)|[^\W\d_]\.(?=\s)|[ivxlcIVXLC]{1,6}[.)](?=\s)"
    r"|\d{1,3}(?:\.\d+)+\.?(?=\s)|\d{1,3}[.)](?=\s)|\d{1,3}[、．]"
    r"|[一二三四五六七八九十]{1,3}、|[\u2460-\u249b])"
)
_LETTER = re.compile(r"\s*([a-z])\s+\S")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_DEEPEST = 6  # levels; deeper items are shown at the last
_DEEPER = 0.6  # in line heights: an item this far to the right is nested in the one before


@dataclass(kw_only=True)
class Item:
    """One item of a list, being built.

    Attributes:
        kind: What its mark shares with those of its siblings; empty without one.
        number: If it is numbered as Markdown and HTML number; None otherwise.
        lines: Its text, without bullet or number; another mark stays in it.
        below: Its nested items.
    """

    kind: str = ""
    number: int | None = None
    lines: list[str] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)


def items(page: Page, block: Block) -> list[Item]:
    """A list block's items, nested by indentation, in six levels at most.

    A line starts an item if it starts with a bullet, a number or a mark such as `a)`; any other
    line belongs to the item before. An item's indentation is known if the block's text is that
    of its lines, row by row. Items no further in, but of another kind, are nested in one if its
    own kind continues after them.
    """
    rows = block.text.split("\n")
    indents = _indents(rows, page, block)
    begun: list[tuple[float, Item]] = []
    bare = lettered(rows)
    for place, (row, indent) in enumerate(zip(rows, indents, strict=True)):
        item = Item(kind="a", lines=[row]) if place in bare else _begun(row)
        if item is None and begun:
            begun[-1][1].lines.append(row)
        else:
            begun.append((indent, item or Item(lines=[row])))
    return _nested(begun)


def _nested(begun: Sequence[tuple[float, Item]]) -> list[Item]:
    """The outermost items, with the others nested in them."""
    top: list[Item] = []
    above: list[tuple[float, Item, bool]] = []
    for (indent, item), goes_on in zip(begun, _goes_on(begun), strict=True):
        places = [(far, each.kind) for far, each, _ in above]
        if (indent, item.kind) in places:
            del above[places.index((indent, item.kind)) :]
        while above and not _stands_below(indent, item, *above[-1]):
            above.pop()
        if len(above) == _DEEPEST:
            above.pop()
        (above[-1][1].below if above else top).append(item)
        above.append((indent, item, goes_on))
    return top


def _stands_below(
    indent: float, item: Item, indent_above: float, above: Item, goes_on: bool
) -> bool:
    if indent == indent_above:
        return goes_on and item.kind != above.kind
    return indent > indent_above


def _goes_on(begun: Sequence[tuple[float, Item]]) -> list[bool]:
    """For each item whether the next of its kind, as far in, would be its sibling."""
    following: dict[tuple[float, str], int | None] = {}
    found: list[bool] = []
    for indent, item in reversed(begun):
        place = (indent, item.kind)
        number = None if item.number is None else item.number + 1
        found.append(place in following and following[place] == number)
        following[place] = item.number
    return found[::-1]


def begins_item(row: str) -> bool:
    """Whether it starts with a bullet, a number or another mark."""
    return _begun(row) is not None


def lettered(rows: Sequence[str]) -> frozenset[int]:
    """The places of rows that start with `a`, then `b` and so on, with no sign after it.

    One alone is a word; letters after one another are not.
    """
    found, run = set[int](), list[int]()
    for place, row in enumerate(map(unmarked, rows)):
        letter = _LETTER.match(row)
        if letter and letter[1] == "a":
            run = [place]
        elif letter and run and ord(letter[1]) == ord("a") + len(run):
            run.append(place)
            found.update(run)
    return frozenset(found)


def runs(siblings: Sequence[Item]) -> list[list[Item]]:
    """Consecutive items that can form one list: bullets, or counting on."""
    found: list[list[Item]] = []
    for item in siblings:
        last = found[-1][-1].number if found else None
        if found and item.number == (None if last is None else last + 1):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def _begun(whole: str) -> Item | None:
    row = unmarked(whole)
    if number := _NUMBER.match(row):
        return Item(kind="1", number=int(number[1]), lines=[behind(whole, number.end())])
    if bullet := _BULLET.match(row):
        return Item(kind="•", lines=[behind(whole, bullet.end())])
    if mark := _MARK.match(row):
        return Item(kind=_LETTERS.sub("a", _DIGITS.sub("1", mark[0].strip())), lines=[whole])
    return None


def _indents(rows: Sequence[str], page: Page, block: Block) -> list[float]:
    """The indentation of each row, in steps; all equal if unknown."""
    lines = lines_of_rows(page, block)
    if not lines:
        return [0.0] * len(rows)
    boxes = line_boxes(lines, block)
    step = _DEEPER * median(bottom - top for row in boxes for _, top, _, bottom in row)
    starts = _starts(lines, boxes, leftward=runs_right_to_left(block.text))
    ends: list[float] = []
    for start in sorted(starts):
        if not ends or start > ends[-1] + step:
            ends.append(start)
    return [float(sum(end <= start for end in ends)) for start in starts]


def _starts(
    lines: Sequence[Sequence[Line]], boxes: Sequence[Sequence[Box]], *, leftward: bool
) -> list[float]:
    """Where each row starts; marks that end at one place do so where the longest does.

    `I.`, `II.` and `III.` start at different places, if the texts behind them are aligned.
    """
    whole = [union(row) for row in boxes]
    starts = [-right if leftward else left for left, _, right, _ in whole]
    texts = [_text_start(row[0]) for row in lines]
    longest: dict[int, float] = {}
    for start, text in zip(starts, texts, strict=True):
        if text is not None:
            longest[text] = min(start, longest.get(text, start))
    return [
        start if text is None else longest[text]
        for start, text in zip(starts, texts, strict=True)
    ]


def _text_start(line: Line) -> int | None:
    """Where the text behind a line's mark starts, in pixels; None if that is no word's start.

    Of level text that runs from left to right.
    """
    mark = _begun(line.text) and line.text.split(maxsplit=1)[0]
    if not mark or len(line.words) < 2 or line.words[0].text != mark:
        return None
    (left, top), (right, low), *_ = line.words[1].polygon
    return round(left) if top == low and left < right else None
