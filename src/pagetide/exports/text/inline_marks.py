"""Marks in a text for inline links and styles, until a format writes them.

Rows are joined, escaped and put into lists with the marks in them. No text of the page contains
them: a page whose text does gets none. Marks are nested, and none spans a line feed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Page, StyleKind, TextStyle
from pagetide.exports.text.hyphens import HYPHENS

# Characters that no text has, reserved by Unicode for such use; each is followed by its sign.
_OPEN, _CLOSE = "\ufdd2", "\ufdd3"
_FIRST_LINK, _FIRST_STYLE = 0xF0000, 0x100000
NOTES = 0x8000  # the sign of a page's first footnote: those of its links are lower
_MARK = re.compile("([\ufdd2\ufdd3])([\U000f0000-\U0010fffd])")
_MARKS = re.compile("[\ufdd2\ufdd3]")
_EMPTY = re.compile("\ufdd2(.)\ufdd3\\1")
_SOFT = frozenset((*HYPHENS, "\u00ad"))
# From the outermost to the innermost, inside a link.
STYLES: tuple[StyleKind, ...] = ("bold", "italic", "code", "superscript", "subscript")

Sign = int | StyleKind
"""What a mark is for: a link, or an end of one, by a number; or a style."""


class Piece(NamedTuple):
    """A word, or a part of it with one style: its letters, its link, its styles."""

    text: str
    link: int | None
    styles: frozenset[StyleKind]


class Token(NamedTuple):
    """A stretch of text, or a mark.

    Attributes:
        text: Empty for a mark.
        sign: What a mark is for; None for text.
        opens: Whether a mark is an opening one.
    """

    text: str
    sign: Sign | None = None
    opens: bool = False


def put(text: str, pieces: Sequence[Piece]) -> str:
    """The text with marks around what is linked or styled.

    Args:
        text: That of the pieces, rows joined or not; any other text is unchanged.
        pieces: In the text's order.
    """
    places = _places(text, [piece.text for piece in pieces])
    if places is None:
        return text
    opens: dict[int, list[str]] = defaultdict(list)
    closes: dict[int, list[str]] = defaultdict(list)
    for start, end, sign in _spans(text, pieces, places):
        opens[start].append(_OPEN + _letter(sign))
        closes[end].insert(0, _CLOSE + _letter(sign))
    parts, last = [], 0
    for at in sorted(opens.keys() | closes.keys()):
        parts += [text[last:at], *closes[at], *opens[at]]
        last = at
    return "".join(parts) + text[last:]


def tokens(text: str) -> list[Token]:
    """A text split into stretches and marks."""
    found: list[Token] = []
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() > end:
            found.append(Token(text[end : mark.start()]))
        found.append(Token("", _sign(mark[2]), mark[1] == _OPEN))
        end = mark.end()
    return [*found, Token(text[end:])] if end < len(text) else found


def unmarked(text: str) -> str:
    """The text without its marks."""
    return _MARK.sub("", text)


def moved(text: str, by: int) -> str:
    """The text of another page: its link numbers increased by `by`, without footnote marks."""

    def mark(found: re.Match[str]) -> str:
        sign = _sign(found[2])
        if isinstance(sign, int):
            return found[1] + _letter(sign + by) if sign + by < NOTES else ""
        return found[0]

    return _MARK.sub(mark, text)


def bare(text: str) -> str:
    """The text without the characters that open and close our marks, whoever put them there."""
    return _MARKS.sub("", unmarked(text))


def behind(text: str, count: int) -> str:
    """The text without its first `count` letters, and with its marks."""
    kept: list[str] = []
    end = 0
    for mark in _MARK.finditer(text):
        stretch = text[end : mark.start()]
        kept += [stretch[count:], mark[0]]
        count, end = max(0, count - len(stretch)), mark.end()
    left = "".join(kept) + text[end + count :]
    while (fewer := _EMPTY.sub("", left)) != left:  # as often as marks are nested
        left = fewer
    return left


def has_marks(page: Page) -> bool:
    """Whether a text already has our marks: somebody wants it to be taken for them."""
    texts = [line.text for line in page.lines] + [block.text for block in page.blocks]
    tables = (block.table for block in page.blocks if block.table)
    texts += (cell.text for table in tables for cell in table.cells)
    return any(map(_MARKS.search, texts))


def writes_marks(page: Page) -> bool:
    """Whether a page's text may hold our marks: without links and styles it has none."""
    return bool(page.links) or any(line.styles for line in page.lines)


def carried(own: Page, page: Page) -> tuple[Callable[[str], str], Page]:
    """How text moves to another page, which is returned with the links that it brings.

    Its marks are renumbered. What looks like a mark on a page that has none is not ours: if the
    other page's text has such, it keeps none.

    Args:
        own: The page of the text, marked.
        page: The one that it moves to, marked.
    """
    if not writes_marks(own):
        return (bare if writes_marks(page) else str), page
    if not writes_marks(page):
        if has_marks(page) or not page.lines:
            return bare, page
        page = _with_marks(page)
    count = len(page.links)
    if count < NOTES:
        page = replace(page, links=page.links + own.links)
    return partial(moved, by=count), page


def _with_marks(page: Page) -> Page:
    """The page with a style of no letter, so that marks in it are written."""
    nothing = TextStyle(kind="bold", start=0, end=0)
    first, *others = page.lines
    return replace(page, lines=(replace(first, styles=(nothing,)), *others))


def _letter(sign: Sign) -> str:
    first = _FIRST_LINK + sign if isinstance(sign, int) else _FIRST_STYLE + STYLES.index(sign)
    return chr(first)


def _sign(letter: str) -> Sign:
    code = ord(letter)
    return STYLES[code - _FIRST_STYLE] if code >= _FIRST_STYLE else code - _FIRST_LINK


def _places(text: str, words: Iterable[str]) -> list[tuple[int, int]] | None:
    """The start and end of each word in the text; None if it does not consist of them."""
    found: list[tuple[int, int]] = []
    at = 0
    for word in words:
        while at < len(text) and text[at].isspace():
            at += 1
        start = at
        for letter in word:
            while at < len(text) and text[at].isspace() and letter != text[at]:
                at += 1
            if at < len(text) and text[at] == letter:
                at += 1
            elif letter not in _SOFT:
                return None
        found.append((start, at))
    return found


def _spans(
    text: str, pieces: Sequence[Piece], places: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, Sign]]:
    """Start, end and sign of what is marked, outer ones before inner ones."""
    signs = [_signs(piece) for piece in pieces]

    def within(run: Sequence[int], layer: int) -> Iterator[tuple[int, int, Sign]]:
        for sign, group in groupby(run, key=lambda at: signs[at][layer]):
            part = list(group)
            if sign is not None:
                yield places[part[0]][0], places[part[-1]][1], sign
            if layer < len(STYLES):
                yield from within(part, layer + 1)

    for row, group in groupby(range(len(pieces)), key=_rows(text, places).__getitem__):
        if row is not None:
            yield from within(list(group), 0)


def _signs(piece: Piece) -> tuple[Sign | None, ...]:
    return (piece.link, *(style if style in piece.styles else None for style in STYLES))


def _rows(text: str, places: Sequence[tuple[int, int]]) -> list[int | None]:
    """The row of each place; None for one that is empty or in two rows."""
    rows: list[int | None] = []
    row, last = 0, 0
    for start, end in places:
        row, last = row + text.count("\n", last, start), start
        rows.append(row if start < end and "\n" not in text[start:end] else None)
    return rows
